package metatables

import "github.com/apache/iceberg-go"

func dataFiles() Table {
	return define("data_files", "The data files of a snapshot.", contentFileColumns, fileRows(entryFilter{content: only(iceberg.ManifestContentData)}))
}
