package metatables

import "github.com/apache/iceberg-go"

func allDeleteFiles() Table {
	return fileTable("all_delete_files", "The delete files of every valid snapshot; a file that several manifests list comes several times.", contentFileColumns, fileTerms, entryFilter{all: true, content: only(iceberg.ManifestContentDeletes)})
}
