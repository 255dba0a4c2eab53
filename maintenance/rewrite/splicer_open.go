package rewrite

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"math"

	"github.com/apache/iceberg-go"
	iceio "github.com/apache/iceberg-go/io"
	"github.com/apache/iceberg-go/table"

	"github.com/firndb/firn/guard"
	"github.com/firndb/firn/maintenance/internal/filebuf"
	"github.com/firndb/firn/maintenance/rewrite/splice"
)

const (
	// wholeFile is up to which size files are read at once.
	wholeFile = 8 << 20
	// filesAhead is how many files are opened before their turn.
	filesAhead = 4
)

// oldFile is an open file of a task.
type oldFile struct {
	task  table.FileScanTask
	parts []input
	close func() error
}

func (f *oldFile) Close() error {
	if f == nil || f.close == nil {
		return nil
	}
	return f.close()
}

// input is a part with what is known about its file.
type input struct {
	part *splice.Part
	// file describes the part's file, of which it is all rows if whole.
	file  iceberg.DataFile
	whole bool
	r     io.ReaderAt
	size  int64
	// The part begins with the file's row first and has rows of them, with those
	// that are gone.
	first, rows int64
}

// openAhead opens the files of tasks, some before their turn: object stores
// answer slowly. A file that must be decoded is yielded with splice.ErrUnfit.
func (s *splicer) openAhead(ctx context.Context, tasks []table.FileScanTask) iter.Seq2[*oldFile, error] {
	type result struct {
		file *oldFile
		err  error
	}
	return func(yield func(*oldFile, error) bool) {
		ctx, cancel := context.WithCancel(ctx)
		var waiting []chan result
		defer func() {
			cancel()
			for _, c := range waiting {
				(<-c).file.Close()
			}
		}()
		for len(tasks) > 0 || len(waiting) > 0 {
			for len(tasks) > 0 && len(waiting) < filesAhead {
				task := tasks[0]
				tasks = tasks[1:]
				c := make(chan result, 1)
				waiting = append(waiting, c)
				go func() {
					r := result{file: &oldFile{task: task}}
					r.err = guard.Do(func() (err error) {
						r.file, err = s.openTask(ctx, task)
						return err
					})
					c <- r
				}()
			}
			next := <-waiting[0]
			waiting = waiting[1:]
			if !yield(next.file, next.err) {
				return
			}
		}
	}
}

// openTask opens a task's file and finds its row groups.
func (s *splicer) openTask(ctx context.Context, task table.FileScanTask) (*oldFile, error) {
	f := &oldFile{task: task}
	if !movable(task) {
		return f, fmt.Errorf("%w: it is not Parquet", splice.ErrUnfit)
	}
	path, size := task.File.FilePath(), task.File.FileSizeBytes()
	file, err := s.r.out.fs.Open(path)
	if err != nil {
		return f, fmt.Errorf("read %q: %w", path, err)
	}
	source, r, err := s.source(ctx, f, file)
	if err != nil || size <= wholeFile {
		if cerr := file.Close(); err == nil {
			err = cerr
		}
	} else {
		f.close = file.Close
	}
	if err != nil {
		f.Close()
		f.close = nil
		return f, err
	}
	if f.parts, err = s.parts(task, source); err == nil {
		err = s.leaveOut(ctx, task, r, f.parts)
	}
	if err != nil {
		err = fmt.Errorf("%q: %w", path, err)
		f.Close()
		f.close = nil
		return f, err
	}
	for i := range f.parts {
		f.parts[i].r, f.parts[i].size = r, size
	}
	return f, nil
}

// source opens a file, which if small is read whole.
func (s *splicer) source(ctx context.Context, f *oldFile, file iceio.File) (*splice.Source, io.ReaderAt, error) {
	path, size := f.task.File.FilePath(), f.task.File.FileSizeBytes()
	if size > wholeFile {
		source, err := s.target.Open(ctx, path, file, size)
		return source, file, err
	}
	if err := ctx.Err(); err != nil {
		return nil, nil, err
	}
	buffer := s.buffers.Get(max(0, size))
	b := buffer.Bytes
	f.close = func() error {
		s.buffers.Put(buffer)
		return nil
	}
	if err := filebuf.ReadAll(file, b); err != nil {
		if errors.Is(err, filebuf.ErrLength) {
			err = fmt.Errorf("%w: %w than %d", splice.ErrUnfit, err, len(b))
		}
		return nil, nil, fmt.Errorf("read %q: %w", path, err)
	}
	source, err := s.target.OpenBytes(ctx, path, b)
	return source, bytesReader(b), err
}

// parts are the row groups of a task. A task that is a range of the file must
// begin and end where row groups do.
func (s *splicer) parts(task table.FileScanTask, source *splice.Source) ([]input, error) {
	groups := source.RowGroups()
	var rows int64
	starts := map[int64]bool{0: true, task.File.FileSizeBytes(): true}
	for i, g := range groups {
		starts[g.Start] = true
		rows += g.Rows
		if i > 0 && g.Start <= groups[i-1].Start {
			return nil, fmt.Errorf("%w: its row groups are out of order", splice.ErrUnfit)
		}
		if g.Bytes > s.mostMoved() || g.Rows > s.r.out.settings.rowGroupRows {
			return nil, fmt.Errorf("%w: a row group of %d bytes and %d rows is too large", splice.ErrUnfit, g.Bytes, g.Rows)
		}
	}
	if rows != task.File.Count() {
		return nil, fmt.Errorf("%w: it has %d rows, not %d", splice.ErrUnfit, rows, task.File.Count())
	}
	end := task.Start + task.Length
	if len(groups) > 0 && task.Start <= groups[0].Start {
		starts[task.Start] = true
	}
	if !starts[task.Start] || !starts[end] {
		return nil, fmt.Errorf("%w: bytes %d to %d are not row groups", splice.ErrUnfit, task.Start, end)
	}
	var out []input
	var before int64
	for i, g := range groups {
		if g.Start >= task.Start && g.Start < end {
			if deletes(task) && (!source.Cuttable(i) || g.Rows > math.MaxUint32) {
				return nil, fmt.Errorf("%w: rows cannot be left out of row group %d", splice.ErrUnfit, i)
			}
			part := &splice.Part{Source: source, RowGroup: i}
			if task.FirstRowID != nil {
				first := *task.FirstRowID + before
				part.FirstRowID, part.Sequence = &first, task.DataSequenceNumber
			}
			out = append(out, input{part: part, file: task.File, whole: g.Rows == rows, first: before, rows: g.Rows})
		}
		before += g.Rows
	}
	return out, nil
}

// mostMoved is up to which size a row group is moved: it may be somewhat larger
// than those that are made, but not so large that the file which it becomes would
// be selected again for its size.
func (s *splicer) mostMoved() int64 {
	most := s.rowGroup * 3 / 2
	if s.r.o.RewriteAll {
		return most
	}
	return min(most, s.r.o.MaxFileSize)
}

// leaveOut tells the parts of a task which of their rows are gone. Its file is
// not read again for that.
func (s *splicer) leaveOut(ctx context.Context, task table.FileScanTask, r io.ReaderAt, parts []input) error {
	if !deletes(task) {
		return nil
	}
	gone, err := s.reader.Gone(ctx, task, r)
	if err != nil {
		return err
	}
	s.reader.Done(task)
	for at := range gone.Positions() {
		for len(parts) > 0 && at >= uint64(parts[0].first+parts[0].rows) {
			parts = parts[1:]
		}
		if len(parts) == 0 {
			return nil
		}
		if p := parts[0]; at >= uint64(p.first) {
			p.part.Gone = append(p.part.Gone, uint32(at-uint64(p.first)))
		}
	}
	return nil
}
