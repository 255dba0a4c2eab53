package metatables

func allEntries() Table {
	return fileTable("all_entries", "The entries of the manifests of every valid snapshot, those of removed files too; each manifest is read once.",
		entryColumns, entryTerms, entryFilter{all: true, deleted: true})
}
