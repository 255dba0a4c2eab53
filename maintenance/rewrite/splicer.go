package rewrite

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"

	"github.com/apache/arrow-go/v18/parquet/metadata"
	"github.com/apache/iceberg-go"
	"github.com/apache/iceberg-go/table"

	"github.com/firndb/firn/maintenance"
	"github.com/firndb/firn/maintenance/datafile"
	"github.com/firndb/firn/maintenance/internal/filebuf"
	"github.com/firndb/firn/maintenance/rewrite/splice"
)

// splicer writes a bin's rows into files whose row groups are made of row groups
// of the old files (package splice). Rows that must be decoded become row groups
// of files in memory first, which are then like the others.
type splicer struct {
	r      *runner
	g      Group
	reader *datafile.Reader
	target *splice.Target
	place  *place
	// maxBytes is where files end, rowGroup where row groups do.
	maxBytes, rowGroup int64

	open    *splicedFile
	pending []input
	bytes   int64 // of pending
	rows    int64 // of pending
	buffers filebuf.Pool
	// used are closed once pending is written.
	used []io.Closer
	// merged is how many bytes became row groups, swept how many of them until the
	// last collection.
	merged, swept int64
	written       int64
	// deleted is how many rows were left out.
	deleted int64
	// moved is how many rows were not decoded.
	moved int64
}

// splicedFile is a file being written.
type splicedFile struct {
	path   string
	file   io.WriteCloser
	buffer *bufio.Writer
	writer *splice.Writer
	facts  floatFacts
}

// moves says whether rows of a bin may be moved without decoding.
func (r *runner) moves(g Group, tasks []table.FileScanTask) bool {
	return r.o.Format == iceberg.ParquetFile && !r.o.DecodeAll && !g.Repartition && slices.ContainsFunc(tasks, movable)
}

// movable says whether a task is about a file of Parquet.
func movable(t table.FileScanTask) bool { return t.File.FileFormat() == iceberg.ParquetFile }

// deletes says whether rows of a task may be gone.
func deletes(t table.FileScanTask) bool {
	return len(t.DeleteFiles)+len(t.EqualityDeleteFiles)+len(t.DeletionVectorFiles) > 0
}

// splice writes a bin's tasks. The error wraps splice.ErrUnfit if they must be
// decoded after all.
func (r *runner) splice(ctx context.Context, name string, g Group, reader *datafile.Reader, tasks []table.FileScanTask) (w written, err error) {
	limit := min(r.out.settings.rowGroupBytes, g.MaxFileSize, max(1<<20, r.memory/4))
	target, err := r.out.newTarget(min(r.o.CopyRowGroups, limit))
	if err != nil {
		return w, err
	}
	s := &splicer{
		r: r, g: g, reader: reader, target: target, maxBytes: g.MaxFileSize, rowGroup: limit,
		place: r.out.place(name+"-0", g.Files[0].Task.File.Partition()),
	}
	err = s.run(ctx, tasks)
	s.close()
	return written{files: s.place.files, paths: s.place.paths, rows: s.written, deleted: s.deleted, moved: s.moved}, err
}

// run writes the tasks in their order. Those that follow each other and must be
// decoded are decoded together.
func (s *splicer) run(ctx context.Context, tasks []table.FileScanTask) error {
	var decoded []table.FileScanTask
	for in, err := range s.openAhead(ctx, tasks) {
		switch {
		case errors.Is(err, splice.ErrUnfit):
			decoded = append(decoded, in.task)
			continue
		case err != nil:
			return err
		}
		if err := s.decode(ctx, decoded); err != nil {
			return errors.Join(err, in.Close())
		}
		decoded = nil
		s.used = append(s.used, in)
		for _, part := range in.parts {
			if err := s.add(ctx, part); err != nil {
				return err
			}
			s.moved += part.part.Rows()
			s.deleted += int64(len(part.part.Gone))
		}
	}
	if err := s.decode(ctx, decoded); err != nil {
		return err
	}
	if err := s.flush(ctx); err != nil {
		return err
	}
	return s.finish()
}

// add takes a part into the pending row group, or makes it one of its own.
func (s *splicer) add(ctx context.Context, in input) error {
	n, rows := in.part.Bytes(), in.part.Rows()
	if rows == 0 {
		return nil
	}
	large := in.part.Large()
	if large || s.bytes+n > s.rowGroup || s.rows+rows > s.r.out.settings.rowGroupRows {
		if err := s.flush(ctx); err != nil {
			return err
		}
	}
	if len(s.pending) == 0 && s.merged-s.swept >= muchGarbage {
		s.swept = s.merged
		runtime.GC()
	}
	s.pending = append(s.pending, in)
	s.bytes += n
	s.rows += rows
	if large {
		return s.flush(ctx)
	}
	return nil
}

// flush writes the pending row group, in a new file if it would not fit.
func (s *splicer) flush(ctx context.Context) error {
	if len(s.pending) > 0 {
		if s.open != nil && s.open.writer.Size()+s.bytes > s.maxBytes {
			if err := s.finish(); err != nil {
				return err
			}
		}
		if err := s.write(ctx); err != nil {
			return err
		}
	}
	s.written += s.rows
	s.merged += s.bytes
	s.pending, s.bytes, s.rows = nil, 0, 0
	used := s.used
	s.used = nil
	// A file may be in use for the next row groups too.
	if n := len(used); n > 0 {
		s.used = append(s.used, used[n-1])
		used = used[:n-1]
	}
	return closeAll(used)
}

func closeAll(files []io.Closer) error {
	var err error
	for _, f := range files {
		err = errors.Join(err, f.Close())
	}
	return err
}

func (s *splicer) write(ctx context.Context) error {
	if s.open == nil {
		if err := s.begin(ctx); err != nil {
			return err
		}
	}
	parts := make([]*splice.Part, len(s.pending))
	for i, in := range s.pending {
		parts[i] = in.part
		if err := s.open.facts.add(ctx, in); err != nil {
			return err
		}
	}
	helpers, free := s.r.idle()
	defer free()
	s.open.writer.Helpers = helpers
	if err := s.open.writer.WriteRowGroup(ctx, parts); err != nil {
		return fmt.Errorf("write %q: %w", s.open.path, err)
	}
	return nil
}

// muchGarbage is how many bytes of row groups are worth a collection. By itself
// the collector waits until there is as much garbage as there is memory in use,
// which is a lot where thousands of small files are open.
const muchGarbage = 64 << 20

// writeBuffer puts small writes together.
const writeBuffer = 1 << 20

// beginSpliced begins a file in a place.
func beginSpliced(ctx context.Context, p *place, target *splice.Target, nans []int) (*splicedFile, error) {
	path, file, err := p.create(ctx)
	if err != nil {
		return nil, err
	}
	f := &splicedFile{path: path, file: file, buffer: bufio.NewWriterSize(file, writeBuffer), facts: newFloatFacts(nans)}
	f.writer, err = target.NewWriter(f.buffer)
	return f, err
}

// finish closes a file and describes it.
func (f *splicedFile) finish(p *place) error {
	footer, err := f.writer.Close()
	if err == nil {
		err = f.buffer.Flush()
	}
	if err := errors.Join(err, f.file.Close()); err != nil {
		return fmt.Errorf("close data file %q: %w", f.path, err)
	}
	meta, err := metadata.NewFileMetaData(footer, nil)
	if err != nil {
		return fmt.Errorf("describe data file %q: %w", f.path, err)
	}
	facts := fileFacts{
		path: f.path, size: f.writer.Size(), meta: meta, nans: f.facts.nans,
		bounds: f.facts.bounds(f.writer.Unbounded()), signs: f.facts.signs(),
	}
	df, err := p.out.describe(facts, p.partition)
	if err != nil {
		return err
	}
	if df.Count() != f.writer.Rows() {
		return fmt.Errorf("%w: data file %q has %d rows, but %d were written to it", maintenance.ErrCorrupt, f.path, df.Count(), f.writer.Rows())
	}
	return p.add(df)
}

// begin begins the next file.
func (s *splicer) begin(ctx context.Context) (err error) {
	s.open, err = beginSpliced(ctx, s.place, s.target, s.r.out.nans)
	return err
}

// finish closes the open file.
func (s *splicer) finish() error {
	f := s.open
	if s.open = nil; f == nil {
		return nil
	}
	return f.finish(s.place)
}

// close drops what is open.
func (s *splicer) close() {
	if s.open != nil {
		abort(s.open.file)
		s.open = nil
	}
	closeAll(s.used)
	s.used, s.pending, s.buffers = nil, nil, filebuf.Pool{}
	if s.merged >= muchGarbage {
		runtime.GC()
	}
}
