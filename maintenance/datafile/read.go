package datafile

import (
	"context"
	"fmt"
	"io"
	"iter"
	"slices"
	"sync/atomic"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/compute"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/iceberg-go"
	iceio "github.com/apache/iceberg-go/io"
	"github.com/apache/iceberg-go/table"
	"github.com/apache/iceberg-go/table/dv"
)

// Read streams the rows of tasks, whole files in their order. Each batch
// has the columns given, which are top-level columns of a schema of the table
// or metadata columns; the consumer releases it. Deleted rows are among them
// only if _deleted is one of the columns, as in Spark. The errors name the file;
// one of a format that cannot be read wraps maintenance.ErrUnsupported.
func Read(ctx context.Context, tbl *table.Table, columns []iceberg.NestedField, tasks []table.FileScanTask) iter.Seq2[arrow.RecordBatch, error] {
	return func(yield func(arrow.RecordBatch, error) bool) {
		if len(tasks) == 0 {
			return
		}
		fs, err := tbl.FS(ctx)
		if err != nil {
			yield(nil, fmt.Errorf("open files: %w", err))
			return
		}
		whole := make([]table.FileScanTask, len(tasks))
		for i, task := range tasks {
			task.Start, task.Length = 0, task.File.FileSizeBytes()
			whole[i] = task
		}
		NewReader(fs, tbl.Metadata(), columns, whole, Options{}).Rows(whole).All(ctx)(yield)
	}
}

// Reader reads files of one table. It may be used from several goroutines.
type Reader struct {
	store
	meta    table.Metadata
	columns []iceberg.NestedField
	deletes *deletes
	// all says that deleted rows are wanted too.
	all bool
}

// NewReader prepares reading tasks: files, or of Parquet files the row groups
// that begin in a range of them. Delete files are read once for all of the tasks,
// and forgotten after the last.
func NewReader(fs iceio.IO, meta table.Metadata, columns []iceberg.NestedField, tasks []table.FileScanTask, o Options) *Reader {
	r := &Reader{store: store{fs: fs, options: o.withDefaults()}, meta: meta, columns: columns}
	r.all = slices.ContainsFunc(columns, func(f iceberg.NestedField) bool { return f.ID == DeletedID })
	r.deletes = newDeletes(&r.store, meta, tasks)
	return r
}

// Rows are the rows of some of the reader's tasks, as [Read] streams them.
func (r *Reader) Rows(tasks []table.FileScanTask) *Rows { return &Rows{r: r, tasks: tasks} }

// Gone is which rows of a task the deletes delete: positions in its file, of
// those of the task, and maybe some that are not. Of the file it reads the
// columns that equality deletes look at, of file if that is not nil: its Parquet
// file, open already. It may be called again, and the rows be read, until Done.
func (r *Reader) Gone(ctx context.Context, task table.FileScanTask, file io.ReaderAt) (*dv.RoaringPositionBitmap, error) {
	gone, err := r.deletes.of(ctx, task)
	if err == nil && len(gone.equal) > 0 {
		equal := newFileDeletes(r.meta, task.File)
		equal.equal = gone.equal
		s := &r.store
		if file != nil {
			s = &store{fs: r.fs, options: r.options, given: file}
		}
		err = safely(task.File, func() error { return s.find(ctx, r.meta, task, equal, gone.positions) })
	}
	if err != nil {
		return nil, fmt.Errorf("read %q: %w", task.File.FilePath(), err)
	}
	return gone.positions, nil
}

// Done says that a task, of which Gone was asked, will not be read.
func (r *Reader) Done(task table.FileScanTask) { r.deletes.done(task) }

// Rows are rows of tasks.
type Rows struct {
	r       *Reader
	tasks   []table.FileScanTask
	deleted atomic.Int64
}

// Deleted is how many rows, each counted once, the deletes have removed from
// what has been read.
func (r *Rows) Deleted() int64 { return r.deleted.Load() }

// All streams the rows, once. The consumer releases the batches.
func (r *Rows) All(ctx context.Context) iter.Seq2[arrow.RecordBatch, error] {
	return func(yield func(arrow.RecordBatch, error) bool) {
		for batch, err := range inOrder(ctx, r.r.options.FilesAtOnce, r.tasks, r.file) {
			if !yield(batch, err) || err != nil {
				return
			}
		}
	}
}

// file reads the wanted rows of one task's file.
func (r *Rows) file(ctx context.Context, task table.FileScanTask, emit func(arrow.RecordBatch) error) (err error) {
	defer r.r.deletes.done(task)
	defer func() {
		if err != nil {
			err = fmt.Errorf("read %q: %w", task.File.FilePath(), err)
		}
	}()
	gone, err := r.r.deletes.of(ctx, task)
	if err != nil {
		return err
	}
	p := newProjection(r.r.meta, r.r.columns, task)
	p.uncommitted = r.r.options.Uncommitted
	src, err := r.r.source(ctx, task, append(gone.columns(), p.stored.Fields()...))
	if err != nil {
		return err
	}
	defer src.close()
	fileSchema := iceberg.NewSchema(0, append(src.fields(), posField())...)
	for {
		batch, first, err := src.next(ctx)
		if err != nil || batch == nil {
			return err
		}
		if p.positions || len(src.fields()) == 0 {
			batch = withPositions(batch, first)
		}
		out, dead, err := r.choose(ctx, batch, first, fileSchema, gone)
		if err != nil {
			return err
		}
		if out == nil {
			continue
		}
		rows, err := p.project(ctx, out, dead, fileSchema)
		out.Release()
		if err != nil {
			return err
		}
		if err := emit(rows); err != nil {
			rows.Release()
			return err
		}
	}
}

// source opens a task's file for some columns. If there are none to read, it is
// not opened.
func (r *Reader) source(ctx context.Context, task table.FileScanTask, columns []iceberg.NestedField) (source, error) {
	wanted := map[int]iceberg.NestedField{}
	for _, f := range columns {
		if isStored(f.ID) {
			wanted[f.ID] = f
		}
	}
	if len(wanted) == 0 && isWhole(task) {
		return &rowCount{rows: task.File.Count(), batch: int64(r.options.BatchRows)}, nil
	}
	return r.open(ctx, task, wanted, r.meta.NameMapping())
}

// withPositions adds the column _pos to a batch, which it releases.
func withPositions(batch arrow.RecordBatch, first int64) arrow.RecordBatch {
	defer batch.Release()
	b := array.NewInt64Builder(memory.DefaultAllocator)
	defer b.Release()
	n := int(batch.NumRows())
	b.Reserve(n)
	for i := range n {
		b.UnsafeAppend(first + int64(i))
	}
	positions := b.NewArray()
	defer positions.Release()
	fields := append(batch.Schema().Fields(), arrow.Field{Name: posField().Name, Type: arrow.PrimitiveTypes.Int64, Metadata: idMetadata(PosID)})
	return array.NewRecordBatch(arrow.NewSchema(fields, nil), append(batch.Columns(), positions), batch.NumRows())
}

// choose makes the wanted rows of a batch, which it releases, and says which of
// them are deleted; nil if no row is wanted. It counts the deleted ones.
func (r *Rows) choose(ctx context.Context, batch arrow.RecordBatch, first int64, schema *iceberg.Schema, gone *fileDeletes) (arrow.RecordBatch, []bool, error) {
	dead, err := gone.mark(ctx, batch, first, schema)
	if err != nil {
		batch.Release()
		return nil, nil, err
	}
	n := 0
	for _, d := range dead {
		if d {
			n++
		}
	}
	r.deleted.Add(int64(n))
	if r.r.all || n == 0 {
		return batch, dead, nil
	}
	defer batch.Release()
	if n == len(dead) {
		return nil, nil, nil
	}
	alive := make([]bool, len(dead))
	for i, d := range dead {
		alive[i] = !d
	}
	keep := booleans(alive)
	defer keep.Release()
	live, err := compute.FilterRecordBatch(ctx, batch, keep, compute.DefaultFilterOptions())
	return live, nil, err
}

func booleans(values []bool) arrow.Array {
	b := array.NewBooleanBuilder(memory.DefaultAllocator)
	defer b.Release()
	b.AppendValues(values, nil)
	return b.NewArray()
}
