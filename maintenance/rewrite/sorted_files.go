package rewrite

import (
	"context"
	"fmt"

	"github.com/apache/iceberg-go"

	"github.com/firndb/firn/maintenance/rewrite/splice"
)

// sortedFiles writes row groups into the files that they were cut for.
type sortedFiles struct {
	s      *sorting
	target *splice.Target
	cuts   *cuts
	// places are those of the partitions that have had files, in this order.
	places []*place
	// partition is that of the last place, and file the one that is open of those
	// that were cut.
	partition, file int
	open            *splicedFile
	rows            int64
}

func newSortedFiles(s *sorting, target *splice.Target, cuts *cuts) *sortedFiles {
	return &sortedFiles{s: s, target: target, cuts: cuts, partition: -1, file: -1}
}

// write writes a row group: into the open file if that is its own, and does not
// become too large.
func (f *sortedFiles) write(ctx context.Context, g rowGroup, columns []splice.Column) error {
	var size int64
	for _, c := range columns {
		size += c.Bytes()
	}
	if f.open != nil && (f.file != g.file || f.open.writer.Size()+size > f.s.g.MaxFileSize) {
		if err := f.finish(); err != nil {
			return err
		}
	}
	if f.open == nil {
		if err := f.begin(ctx, g.file); err != nil {
			return err
		}
	}
	if err := f.open.writer.WriteEncoded(ctx, columns); err != nil {
		return fmt.Errorf("write %q: %w", f.open.path, err)
	}
	for _, c := range columns {
		f.open.facts.addEncoded(c.Floats)
	}
	f.rows += g.rows
	return nil
}

func (f *sortedFiles) begin(ctx context.Context, file int) error {
	if p := f.cuts.files[file].partition; p != f.partition {
		f.partition = p
		name := fmt.Sprintf("%05d-%s-%d", 0, f.s.name, len(f.places))
		f.places = append(f.places, f.s.r.out.place(name, f.cuts.partitions[p].values))
	}
	open, err := beginSpliced(ctx, f.places[len(f.places)-1], f.target, f.s.r.out.nans)
	f.file, f.open = file, open
	return err
}

// finish closes the open file.
func (f *sortedFiles) finish() error {
	open := f.open
	if f.open = nil; open == nil {
		return nil
	}
	return open.finish(f.places[len(f.places)-1])
}

// close drops what is open.
func (f *sortedFiles) close() {
	if f.open != nil {
		abort(f.open.file)
		f.open = nil
	}
}

// result is what has been written so far.
func (f *sortedFiles) result() (files []iceberg.DataFile, paths []string, rows int64) {
	for _, p := range f.places {
		files = append(files, p.files...)
		paths = append(paths, p.paths...)
	}
	return files, paths, f.rows
}
