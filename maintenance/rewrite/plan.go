package rewrite

import (
	"github.com/apache/iceberg-go"
	"github.com/apache/iceberg-go/table"

	"github.com/firndb/firn/maintenance"
	"github.com/firndb/firn/maintenance/sortorder"
)

// Plan says what a rewrite will do. Making it changes nothing.
type Plan struct {
	// Branch is rewritten, as it was at SnapshotID; Sequence is that snapshot's
	// sequence number. An empty plan of an empty table has SnapshotID 0.
	Branch     string
	SnapshotID int64
	Sequence   int64
	Options    Options
	// Order is that of the rows of new files, if the strategy orders them.
	Order sortorder.Bound
	// Groups are rewritten in this order.
	Groups []Group
	// Skipped are the files looked at and left alone.
	Skipped []Skipped
	// Left is how many of the skipped files are worth rewriting, but more than
	// Options.MaxFiles.
	Left int
	// Unmatched is how many of the snapshot's data files the filter excludes.
	Unmatched int64

	table *table.Table
}

// Group is a set of files rewritten together.
type Group struct {
	// Partition is the path of the partition of all files, empty if the table
	// is unpartitioned or the files are of another than the current spec.
	Partition string
	Files     []File
	// Bytes and Rows are the sums over the files; Rows counts deleted ones too.
	Bytes, Rows int64
	// OutputFiles is how many files the group should become, one for each bin, or
	// if rows are put in order by the size of the old ones;
	// for a group that is partitioned anew, if its rows stay in one partition.
	OutputFiles int64
	// SplitSize is how many input bytes make a bin and MaxFileSize where a file
	// ends.
	SplitSize, MaxFileSize int64
	// Repartition says that the rows' partitions are computed anew, because
	// some file is of another spec than the new files will be.
	Repartition bool
	// Reason says why the group was chosen.
	Reason string

	// expected is how many files should come of the old ones' size.
	expected int64
	// fresh says that the files are new ones, not part of the table yet.
	fresh bool
}

// File is a data file in a plan.
type File struct {
	// Task reads the file as a whole, with the deletes that apply to it.
	Task table.FileScanTask
	// Partition is its partition as a path.
	Partition string
}

// Path is the file's location.
func (f File) Path() string { return f.Task.File.FilePath() }

// Size is the file's length in bytes.
func (f File) Size() int64 { return f.Task.File.FileSizeBytes() }

// deletes is how many delete files apply to the file.
func (f File) deletes() int {
	return len(f.Task.DeleteFiles) + len(f.Task.EqualityDeleteFiles) + len(f.Task.DeletionVectorFiles)
}

// deleteRatio is the share of rows known to be deleted: by position deletes and
// deletion vectors of this file alone.
func (f File) deleteRatio() float64 {
	var deleted int64
	for _, d := range f.Task.DeleteFiles {
		if maintenance.ReferencedFile(d) != "" {
			deleted += d.Count()
		}
	}
	for _, d := range f.Task.DeletionVectorFiles {
		deleted += d.Count()
	}
	rows := f.Task.File.Count()
	if deleted == 0 || rows == 0 {
		return 0
	}
	return float64(min(deleted, rows)) / float64(rows)
}

// weight is the file's size with that of its deletes.
func weight(t table.FileScanTask) int64 {
	size := t.Length
	for _, d := range t.DeleteFiles {
		size += d.FileSizeBytes()
	}
	for _, d := range t.EqualityDeleteFiles {
		size += d.FileSizeBytes()
	}
	for _, d := range t.DeletionVectorFiles {
		if n := d.ContentSizeInBytes(); n != nil {
			size += *n
		}
	}
	return size
}

// Skipped is a file left alone and why.
type Skipped struct {
	File
	Reason string
}

// Files is how many files all groups have.
func (p *Plan) Files() int { return total(p.Groups, func(g Group) int { return len(g.Files) }) }

// Bytes is the size of the files of all groups.
func (p *Plan) Bytes() int64 { return total(p.Groups, func(g Group) int64 { return g.Bytes }) }

// total is a sum over some things.
func total[T any, N int | int64](things []T, of func(T) N) N {
	var n N
	for _, t := range things {
		n += of(t)
	}
	return n
}

// Unapplied is the sort order that the table has and the plan leaves aside, as
// a person writes it; empty if there is none.
func (p *Plan) Unapplied() string {
	if len(p.Groups) == 0 || p.Options.Strategy.ordered() || p.table.SortOrder().IsUnsorted() {
		return ""
	}
	order, err := sortorder.Table(p.table.Metadata(), "")
	if err != nil {
		// It is one that Firn cannot sort by, which only a call that asks for it need say.
		return ""
	}
	return order.String()
}

// Commits is how many commits the groups are spread over.
func (p *Plan) Commits() int { return p.Options.commits(len(p.Groups)) }

// Decoded is how many of the group's files are known to be decoded; the rows of
// others move as they are if their files allow it.
func (g Group) Decoded(o Options) int {
	if o.DecodeAll || g.Repartition || o.Strategy.ordered() || o.Format != iceberg.ParquetFile {
		return len(g.Files)
	}
	n := 0
	for _, f := range g.Files {
		if !movable(f.Task) {
			n++
		}
	}
	return n
}

// vectors is how many deletion vectors go with the files of a group.
func (g Group) vectors() map[string]bool {
	keys := map[string]bool{}
	for _, f := range g.Files {
		for _, d := range f.Task.DeletionVectorFiles {
			keys[maintenance.DeleteFileKey(d)] = true
		}
	}
	return keys
}

// DeletionVectors is how many deletion vectors are removed with the group.
func (g Group) DeletionVectors() int { return len(g.vectors()) }
