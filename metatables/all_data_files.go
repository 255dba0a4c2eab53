package metatables

import "github.com/apache/iceberg-go"

func allDataFiles() Table {
	return fileTable("all_data_files", "The data files of every valid snapshot; a file that several manifests list comes several times.", contentFileColumns, fileTerms, entryFilter{all: true, content: only(iceberg.ManifestContentData)})
}
