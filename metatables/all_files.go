package metatables

func allFiles() Table {
	return fileTable("all_files", "The data and delete files of every valid snapshot; a file that several manifests list comes several times.", contentFileColumns, fileTerms, entryFilter{all: true})
}
