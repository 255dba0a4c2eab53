package metatables

func allFiles() Table {
	return define("all_files", "The data and delete files of every valid snapshot; a file that several manifests list comes several times.", contentFileColumns, fileRows(entryFilter{all: true}))
}
