package metatables

import "github.com/apache/iceberg-go"

func deleteFiles() Table {
	return define("delete_files", "The delete files of a snapshot.", contentFileColumns, fileRows(entryFilter{content: only(iceberg.ManifestContentDeletes)}))
}
