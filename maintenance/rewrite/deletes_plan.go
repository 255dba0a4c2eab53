package rewrite

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/apache/iceberg-go"
	"github.com/apache/iceberg-go/table"

	"github.com/firndb/firn/maintenance"
	"github.com/firndb/firn/maintenance/internal/binpack"
)

// DeleteRequest says which position delete files to rewrite.
type DeleteRequest struct {
	Table *table.Table
	// Where selects the files of partitions that may have a matching row; nil
	// selects all.
	Where   iceberg.BooleanExpression
	Options Options
}

// DeletePlan says what a rewrite of position delete files of the main branch will
// do. Making it changes nothing.
type DeletePlan struct {
	// SnapshotID is the snapshot that was planned on, 0 if there is none.
	SnapshotID int64
	Options    Options
	// Groups are rewritten in this order.
	Groups []DeleteGroup
	// Skipped are the files looked at and left alone.
	Skipped []SkippedDelete
	// Unmatched is how many files are in partitions that the filter excludes.
	Unmatched int64

	table *table.Table
	// byFile says that a delete file is about one data file.
	byFile bool
	live   liveFiles
}

// DeleteGroup is a set of delete files of one partition that are rewritten
// together.
type DeleteGroup struct {
	Partition string
	Files     []DeleteFile
	// Bytes and Rows are the sums over the files.
	Bytes, Rows int64
	// OutputFiles is how many files the group should become: one for each live data
	// file, or if a file is about several, as many as its size makes.
	OutputFiles int64
	// Reason says why the group was chosen.
	Reason string
}

// DeleteFile is a position delete file or a deletion vector.
type DeleteFile struct {
	File      iceberg.DataFile
	Partition string
	// Sequence is its data sequence number.
	Sequence int64
}

// Size is the file's length in bytes, or that of the deletion vector in it.
func (f DeleteFile) Size() int64 { return maintenance.ContentSize(f.File) }

// SkippedDelete is a file left alone and why.
type SkippedDelete struct {
	DeleteFile
	Reason string
}

// Files is how many files all groups have.
func (p *DeletePlan) Files() int {
	return total(p.Groups, func(g DeleteGroup) int { return len(g.Files) })
}

// Bytes is the size of the files of all groups.
func (p *DeletePlan) Bytes() int64 {
	return total(p.Groups, func(g DeleteGroup) int64 { return g.Bytes })
}

// Commits is how many commits the groups are spread over.
func (p *DeletePlan) Commits() int { return p.Options.commits(len(p.Groups)) }

// NewDeletePlan chooses and groups position delete files (Java's
// BinPackRewritePositionDeletePlanner). The error wraps
// maintenance.ErrUnsupported if a chosen file cannot be read or written.
func NewDeletePlan(ctx context.Context, req DeleteRequest) (*DeletePlan, error) {
	meta := req.Table.Metadata()
	plan := &DeletePlan{Options: req.Options, table: req.Table}
	var err error
	if plan.byFile, err = deletesByFile(meta.Properties()); err != nil {
		return nil, err
	}
	head := meta.CurrentSnapshot()
	if head == nil {
		return plan, nil
	}
	plan.SnapshotID = head.SnapshotID
	fs, err := req.Table.FS(ctx)
	if err != nil {
		return nil, fmt.Errorf("open files: %w", err)
	}
	scan := deleteScan{meta: meta, where: req.Where, content: iceberg.EntryContentPosDeletes, stats: true}
	files, err := scan.files(ctx, fs, head)
	if err != nil {
		return nil, err
	}
	plan.Unmatched = scan.unmatched
	plan.group(meta, files)
	if err := plan.checkFormats(meta); err != nil {
		return nil, err
	}
	return plan, plan.settle(ctx, fs, head)
}

// group fills in the groups and the files left alone.
func (p *DeletePlan) group(meta table.Metadata, files []DeleteFile) {
	var order []string
	parts := map[string][]DeleteFile{}
	for _, f := range files {
		key := maintenance.PartitionKey(f.File)
		if parts[key] == nil {
			order = append(order, key)
		}
		parts[key] = append(parts[key], f)
	}
	for _, key := range order {
		if meta.Version() >= 3 {
			p.toVectors(parts[key])
			continue
		}
		chosen := p.choose(parts[key])
		for _, members := range binpack.Pack(chosen, p.Options.MaxGroupSize, 1, false, p.Options.MaxGroupFiles, DeleteFile.Size) {
			p.add(members)
		}
	}
	sortGroups(p.Groups, p.Options.JobOrder, func(g DeleteGroup) (int64, int) { return g.Bytes, len(g.Files) })
}

// toVectors groups the files of a partition of a table of version 3, where
// deletion vectors take the place of position delete files. A data file has at
// most one vector, so that the partition is one group whatever its size, and the
// vectors that the files' positions may have to join are in it. Vectors alone
// are as they should be.
func (p *DeletePlan) toVectors(files []DeleteFile) {
	isVector := func(f DeleteFile) bool { return maintenance.IsDV(f.File) }
	if !slices.ContainsFunc(files, func(f DeleteFile) bool { return !isVector(f) }) {
		p.skip(files, "deletion vectors already")
		return
	}
	chosen := map[string]bool{}
	var old []DeleteFile
	for _, f := range files {
		if p.Options.RewriteAll || p.Options.wrongSize(f.Size()) {
			chosen[maintenance.DeleteFileKey(f.File)] = true
			if !isVector(f) {
				old = append(old, f)
			}
		}
	}
	var members []DeleteFile
	for _, f := range files {
		joins := isVector(f) && slices.ContainsFunc(old, func(o DeleteFile) bool { return maintenance.MayName(o.File, maintenance.ReferencedFile(f.File)) })
		if chosen[maintenance.DeleteFileKey(f.File)] || joins {
			members = append(members, f)
		} else {
			p.skip([]DeleteFile{f}, p.Options.rightSize(f.Size()))
		}
	}
	if len(old) == 0 {
		p.skip(members, "deletion vectors already")
		return
	}
	p.add(members)
}

// choose drops the files that are fine as they are.
func (p *DeletePlan) choose(files []DeleteFile) []DeleteFile {
	if p.Options.RewriteAll {
		return files
	}
	var chosen []DeleteFile
	for _, f := range files {
		if p.Options.wrongSize(f.Size()) {
			chosen = append(chosen, f)
		} else {
			p.skip([]DeleteFile{f}, p.Options.rightSize(f.Size()))
		}
	}
	return chosen
}

func (p *DeletePlan) skip(files []DeleteFile, reason string) {
	for _, f := range files {
		p.Skipped = append(p.Skipped, SkippedDelete{f, reason})
	}
}

// add adds a group if it is worth rewriting.
func (p *DeletePlan) add(files []DeleteFile) {
	g := DeleteGroup{Files: files, Partition: files[0].Partition}
	for _, f := range files {
		g.Bytes += f.Size()
		g.Rows += f.File.Count()
	}
	reason, ok := p.Options.worthBySize(len(files), g.Bytes)
	if !ok {
		p.skip(files, reason)
		return
	}
	g.Reason = reason
	p.Groups = append(p.Groups, g)
}

// checkFormats refuses what only other engines can read or write.
func (p *DeletePlan) checkFormats(meta table.Metadata) error {
	if len(p.Groups) == 0 {
		return nil
	}
	if err := checkWritable(meta, p.Options.Format); err != nil {
		return err
	}
	for _, g := range p.Groups {
		for _, f := range g.Files {
			if err := checkReadable(f.File); err != nil {
				return err
			}
		}
	}
	return nil
}

// checkWritable refuses tables whose position delete files are of a format that
// only other engines write.
func checkWritable(meta table.Metadata, format iceberg.FileFormat) error {
	if meta.Version() < 3 && !isWritten(format) {
		return fmt.Errorf("%w: table property %q, or else %q, is %q; only parquet and avro can be written", maintenance.ErrUnsupported, deleteFormatKey, table.WriteFormatDefaultKey, strings.ToLower(string(format)))
	}
	return nil
}
