package metatables

import "github.com/apache/iceberg-go"

func deleteFiles() Table {
	return fileTable("delete_files", "The delete files of a snapshot.", contentFileColumns, fileTerms, entryFilter{content: only(iceberg.ManifestContentDeletes)})
}
