package rewrite

import (
	"context"
	"fmt"
	"slices"

	"github.com/apache/iceberg-go"
	iceio "github.com/apache/iceberg-go/io"
	"github.com/apache/iceberg-go/table"

	"github.com/firndb/firn/maintenance"
)

// ConvertRequest says which equality delete files to convert.
type ConvertRequest struct {
	Table *table.Table
	// Where selects the files of partitions that may have a matching row; nil
	// selects all.
	Where   iceberg.BooleanExpression
	Options Options
}

// ConvertPlan says how the equality delete files of the main branch will become
// position deletes. Making it changes nothing.
type ConvertPlan struct {
	// SnapshotID is the snapshot that was planned on, 0 if there is none.
	SnapshotID int64
	// Groups are converted in this order and committed together.
	Groups []ConvertGroup
	// Unmatched is how many files are in partitions that the filter excludes.
	Unmatched int64

	request ConvertRequest
	// sequences are the data sequence numbers of delete files by their keys: of the
	// chosen ones and in version 3 of all position deletes.
	sequences map[string]int64
}

// ConvertGroup is the data files of one partition and equality delete files that
// apply to them.
type ConvertGroup struct {
	Partition string
	// Files are the equality delete files. Each is in one group, although those of
	// an unpartitioned spec may apply to data files of others as well.
	Files []DeleteFile
	// Data are the data files to be looked at, with the chosen equality deletes of
	// each. There are none if Files apply to nothing.
	Data []File
	// Bytes is the sum over Data. Of these, the columns are read that the deletes
	// look at.
	Bytes int64
	// OutputFiles is how many files become of the group at most, unless positions
	// of a data file fill several: there are none for data files without a match.
	OutputFiles int64
}

// FileBytes is the size of the group's equality delete files.
func (g ConvertGroup) FileBytes() int64 { return total(g.Files, DeleteFile.Size) }

// Files is how many equality delete files all groups have.
func (p *ConvertPlan) Files() int {
	return total(p.Groups, func(g ConvertGroup) int { return len(g.Files) })
}

// Bytes is the size of the data files of all groups.
func (p *ConvertPlan) Bytes() int64 {
	return total(p.Groups, func(g ConvertGroup) int64 { return g.Bytes })
}

// ConvertOptionKeys lists the options of a conversion of equality delete files.
func ConvertOptionKeys() []string { return []string{OptionConcurrentGroups} }

// ParseConvertOptions reads the options of a conversion of equality delete files,
// as [ParseOptions] does those of a rewrite of data files.
func ParseConvertOptions(values map[string]string, meta table.Metadata) (Options, error) {
	p := &optionParser{values: values}
	p.checkKeys("a conversion of equality deletes", ConvertOptionKeys())
	o := p.grouping(p.property(meta, deleteTargetSizeKey, deleteTargetSizeDefault))
	o.Format = deleteFormat(meta.Properties())
	p.checkSizes(o)
	p.checkCommits(o)
	return o, p.err
}

// NewConvertPlan finds the equality delete files and the data files that each
// applies to: all of them, whatever the condition says, as a delete file goes as
// a whole. The error wraps maintenance.ErrUnsupported if a file cannot be read or
// written.
func NewConvertPlan(ctx context.Context, req ConvertRequest) (*ConvertPlan, error) {
	meta := req.Table.Metadata()
	plan := &ConvertPlan{request: req, sequences: map[string]int64{}}
	head := meta.CurrentSnapshot()
	if head == nil {
		return plan, nil
	}
	plan.SnapshotID = head.SnapshotID
	fs, err := req.Table.FS(ctx)
	if err != nil {
		return nil, fmt.Errorf("open files: %w", err)
	}
	chosen, err := plan.scan(ctx, fs, head)
	if err != nil || len(chosen) == 0 {
		return plan, err
	}
	files, err := scanFiles(ctx, Request{Table: req.Table}, table.MainBranch, head)
	if err != nil {
		return nil, err
	}
	if err := plan.group(chosen, files); err != nil {
		return nil, err
	}
	return plan, plan.checkFormats()
}

// scan lists the chosen equality delete files in the order of the manifests.
func (p *ConvertPlan) scan(ctx context.Context, fs iceio.IO, head *table.Snapshot) ([]DeleteFile, error) {
	meta := p.request.Table.Metadata()
	scan := deleteScan{meta: meta, where: p.request.Where, content: iceberg.EntryContentEqDeletes}
	if meta.Version() >= 3 {
		scan.other = func(f iceberg.DataFile, sequence int64) { p.sequences[maintenance.DeleteFileKey(f)] = sequence }
	}
	chosen, err := scan.files(ctx, fs, head)
	for _, f := range chosen {
		p.sequences[maintenance.DeleteFileKey(f.File)] = f.Sequence
	}
	p.Unmatched = scan.unmatched
	return chosen, err
}

// group fills in the groups: one for each partition that has data files which a
// chosen delete file applies to, and one for each that has delete files which
// apply to nothing.
func (p *ConvertPlan) group(chosen []DeleteFile, files []File) error {
	byFile, err := deletesByFile(p.request.Table.Metadata().Properties())
	if err != nil {
		return err
	}
	left := map[string]DeleteFile{}
	for _, f := range chosen {
		left[f.File.FilePath()] = f
	}
	at := map[string]int{}
	group := func(key, partition string) *ConvertGroup {
		i, ok := at[key]
		if !ok {
			i = len(p.Groups)
			at[key] = i
			p.Groups = append(p.Groups, ConvertGroup{Partition: partition})
		}
		return &p.Groups[i]
	}
	for _, f := range files {
		f.Task.EqualityDeleteFiles = p.ours(f.Task.EqualityDeleteFiles)
		if len(f.Task.EqualityDeleteFiles) == 0 {
			continue
		}
		g := group(maintenance.PartitionKey(f.Task.File), f.Partition)
		g.Data = append(g.Data, f)
		g.Bytes += f.Size()
		if g.OutputFiles++; !byFile && p.request.Table.Metadata().Version() < 3 {
			g.OutputFiles = 1
		}
		for _, d := range f.Task.EqualityDeleteFiles {
			if e, ok := left[d.FilePath()]; ok {
				delete(left, d.FilePath())
				g.Files = append(g.Files, e)
			}
		}
	}
	for _, f := range chosen {
		if _, ok := left[f.File.FilePath()]; ok {
			g := group("no data "+maintenance.PartitionKey(f.File), f.Partition)
			g.Files = append(g.Files, f)
		}
	}
	return nil
}

// ours are the chosen ones of some equality delete files.
func (p *ConvertPlan) ours(files []iceberg.DataFile) []iceberg.DataFile {
	var ours []iceberg.DataFile
	for _, f := range files {
		if _, ok := p.sequences[maintenance.DeleteFileKey(f)]; ok {
			ours = append(ours, f)
		}
	}
	return ours
}

// checkFormats refuses what only other engines can read or write.
func (p *ConvertPlan) checkFormats() error {
	for _, g := range p.Groups {
		if len(g.Data) == 0 {
			continue
		}
		if err := checkWritable(p.request.Table.Metadata(), p.request.Options.Format); err != nil {
			return err
		}
		for _, f := range g.Data {
			if err := checkReadable(f.Task.File); err != nil {
				return err
			}
			for _, d := range slices.Concat(f.Task.DeleteFiles, f.Task.EqualityDeleteFiles) {
				if err := checkReadable(d); err != nil {
					return err
				}
			}
		}
	}
	return nil
}
