package metatables

func allEntries() Table {
	return define("all_entries", "The entries of the manifests of every valid snapshot, those of removed files too; each manifest is read once.",
		entryColumns, fileRows(entryFilter{all: true, deleted: true}))
}
