package maintenance

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/apache/iceberg-go"
	"github.com/apache/iceberg-go/table"
)

// fileCounts adds up files added to and removed from a table or partition, for
// a snapshot's summary.
type fileCounts struct {
	addedFiles, removedFiles                               int64
	addedRecords, removedRecords                           int64
	addedSize, removedSize                                 int64
	removedDeletes, removedEqDeletes, removedPosDeletes    int64
	removedDVs, removedPosDeleteRows, removedEqDeletesRows int64
	addedDeletes, addedDVs, addedPosDeleteRows             int64
}

// add counts a data file, position delete file or deletion vector.
func (c *fileCounts) add(df iceberg.DataFile) {
	c.addedSize += ContentSize(df)
	switch {
	case df.ContentType() == iceberg.EntryContentData:
		c.addedFiles++
		c.addedRecords += df.Count()
		return
	case IsDV(df):
		c.addedDVs++
	}
	c.addedDeletes++
	c.addedPosDeleteRows += df.Count()
}

func (c *fileCounts) remove(df iceberg.DataFile) {
	c.removedSize += ContentSize(df)
	switch df.ContentType() {
	case iceberg.EntryContentData:
		c.removedFiles++
		c.removedRecords += df.Count()
	case iceberg.EntryContentEqDeletes:
		c.removedDeletes++
		c.removedEqDeletes++
		c.removedEqDeletesRows += df.Count()
	default:
		c.removedDeletes++
		c.removedPosDeleteRows += df.Count()
		if IsDV(df) {
			c.removedDVs++
		} else {
			c.removedPosDeletes++
		}
	}
}

// properties are the summary's entries; counts of zero are left out.
func (c *fileCounts) properties() iceberg.Properties {
	props := iceberg.Properties{}
	for key, n := range map[string]int64{
		"added-data-files":              c.addedFiles,
		"deleted-data-files":            c.removedFiles,
		"added-records":                 c.addedRecords,
		"deleted-records":               c.removedRecords,
		"added-files-size":              c.addedSize,
		"removed-files-size":            c.removedSize,
		"removed-delete-files":          c.removedDeletes,
		"removed-equality-delete-files": c.removedEqDeletes,
		"removed-position-delete-files": c.removedPosDeletes,
		"removed-dvs":                   c.removedDVs,
		"removed-position-deletes":      c.removedPosDeleteRows,
		"removed-equality-deletes":      c.removedEqDeletesRows,
		"added-delete-files":            c.addedDeletes,
		"added-position-delete-files":   c.addedDeletes - c.addedDVs,
		"added-dvs":                     c.addedDVs,
		"added-position-deletes":        c.addedPosDeleteRows,
	} {
		if n > 0 {
			props[key] = strconv.FormatInt(n, 10)
		}
	}
	return props
}

// summary gathers what a snapshot's summary says, with the keys of Java's
// SnapshotSummary.
type summary struct {
	total      fileCounts
	partitions map[string]*fileCounts
}

func newSummary() *summary { return &summary{partitions: map[string]*fileCounts{}} }

func (s *summary) partition(meta table.Metadata, df iceberg.DataFile) *fileCounts {
	key := PartitionPath(meta, df)
	if s.partitions[key] == nil {
		s.partitions[key] = &fileCounts{}
	}
	return s.partitions[key]
}

func (s *summary) add(meta table.Metadata, df iceberg.DataFile) {
	s.total.add(df)
	s.partition(meta, df).add(df)
}

func (s *summary) remove(meta table.Metadata, df iceberg.DataFile) {
	s.total.remove(df)
	s.partition(meta, df).remove(df)
}

// build returns the summary of a snapshot on top of parent: changes, changed
// partitions up to write.summary.partition-limit, and the parent's totals
// brought forward.
func (s *summary) build(meta table.Metadata, parent *table.Snapshot, created, kept, replaced int) iceberg.Properties {
	props := s.total.properties()
	props["changed-partition-count"] = strconv.Itoa(len(s.partitions))
	if limit := meta.Properties().GetInt(table.WritePartitionSummaryLimitKey, 0); len(s.partitions) > 0 && len(s.partitions) <= limit {
		props["partition-summaries-included"] = "true"
		for key, counts := range s.partitions {
			if key != "" {
				props["partitions."+key] = joinProperties(counts.properties())
			}
		}
	}
	props["manifests-created"] = strconv.Itoa(created)
	props["manifests-kept"] = strconv.Itoa(kept)
	props["manifests-replaced"] = strconv.Itoa(replaced)
	props["engine-name"] = "firn"
	if parent.Summary == nil {
		return props
	}
	for _, t := range []struct {
		key            string
		added, removed int64
	}{
		{"total-data-files", s.total.addedFiles, s.total.removedFiles},
		{"total-records", s.total.addedRecords, s.total.removedRecords},
		{"total-files-size", s.total.addedSize, s.total.removedSize},
		{"total-delete-files", s.total.addedDeletes, s.total.removedDeletes},
		{"total-position-deletes", s.total.addedPosDeleteRows, s.total.removedPosDeleteRows},
		{"total-equality-deletes", 0, s.total.removedEqDeletesRows},
	} {
		// A total that the parent lacks, or that does not add up, stays away
		// rather than being wrong (Java's SnapshotProducer.updateTotal).
		before, err := strconv.ParseInt(parent.Summary.Properties[t.key], 10, 64)
		if err != nil {
			continue
		}
		if now := before + t.added - t.removed; now >= 0 {
			props[t.key] = strconv.FormatInt(now, 10)
		}
	}
	return props
}

func joinProperties(props iceberg.Properties) string {
	var parts []string
	for _, key := range slices.Sorted(maps.Keys(props)) {
		parts = append(parts, key+"="+props[key])
	}
	return strings.Join(parts, ",")
}

// IsDV says whether a delete file is a deletion vector: a blob in a Puffin
// file.
func IsDV(df iceberg.DataFile) bool {
	return df.ContentType() == iceberg.EntryContentPosDeletes && df.FileFormat() == iceberg.PuffinFile
}

// ContentSize is the size of a file, or of its blob if it is a deletion vector.
func ContentSize(df iceberg.DataFile) int64 {
	if size := df.ContentSizeInBytes(); IsDV(df) && size != nil {
		return *size
	}
	return df.FileSizeBytes()
}

// DeleteFileKey tells delete files apart: deletion vectors of one Puffin file
// differ in their offset.
func DeleteFileKey(df iceberg.DataFile) string {
	if at := df.ContentOffset(); IsDV(df) && at != nil {
		return df.FilePath() + "#" + strconv.FormatInt(*at, 10)
	}
	return df.FilePath()
}
