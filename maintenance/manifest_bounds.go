package maintenance

import "github.com/apache/iceberg-go"

// withEmptyBounds is a manifest whose partition summaries have bounds of no
// bytes, of the empty text, where the library has nil. Written as null they would
// say that there are only nulls, and readers skip the manifest.
func withEmptyBounds(m iceberg.ManifestFile) iceberg.ManifestFile {
	summaries := m.Partitions()
	filled := false
	for _, s := range summaries {
		for _, bound := range []*[]byte{s.LowerBound, s.UpperBound} {
			if bound != nil && *bound == nil {
				*bound, filled = []byte{}, true
			}
		}
	}
	if !filled {
		return m
	}
	return iceberg.NewManifestFile(m.Version(), m.FilePath(), m.Length(), m.PartitionSpecID(), m.SnapshotID()).
		Content(m.ManifestContent()).SequenceNum(m.SequenceNum(), m.MinSequenceNum()).
		AddedFiles(m.AddedDataFiles()).ExistingFiles(m.ExistingDataFiles()).DeletedFiles(m.DeletedDataFiles()).
		AddedRows(m.AddedRows()).ExistingRows(m.ExistingRows()).DeletedRows(m.DeletedRows()).
		Partitions(summaries).Build()
}
