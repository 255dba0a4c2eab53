package metatables

import "github.com/apache/iceberg-go"

func dataFiles() Table {
	return fileTable("data_files", "The data files of a snapshot.", contentFileColumns, fileTerms, entryFilter{content: only(iceberg.ManifestContentData)})
}
