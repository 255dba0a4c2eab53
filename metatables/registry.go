package metatables

import "strings"

// All lists the metadata tables in the order of their names.
func All() []Table {
	return []Table{
		allDataFiles(),
		allDeleteFiles(),
		allEntries(),
		allFiles(),
		allManifests(),
		dataFiles(),
		deleteFiles(),
		entries(),
		files(),
		history(),
		manifests(),
		metadataLogEntries(),
		partitions(),
		positionDeletes(),
		refs(),
		snapshots(),
	}
}

// Find returns the metadata table of that name, in any case.
func Find(name string) (Table, bool) {
	for _, t := range All() {
		if strings.EqualFold(t.Name, name) {
			return t, true
		}
	}
	return Table{}, false
}
