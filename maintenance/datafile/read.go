package datafile

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"sync"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/compute"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/iceberg-go"
	iceio "github.com/apache/iceberg-go/io"
	"github.com/apache/iceberg-go/table"

	"github.com/firndb/firn/maintenance"
)

const (
	// batchRows is how many rows a batch has at most.
	batchRows = 8192
	// filesAtOnce is how many files are read at once.
	filesAtOnce = 4
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
		r := newReader(fs, tbl.Metadata(), columns, tasks)
		for batch, err := range inOrder(ctx, tasks, r.file) {
			if !yield(batch, err) || err != nil {
				return
			}
		}
	}
}

// reader reads files of one table.
type reader struct {
	fs      iceio.IO
	meta    table.Metadata
	columns []iceberg.NestedField
	deletes *deletes
	// all says that deleted rows are wanted too.
	all bool
}

func newReader(fs iceio.IO, meta table.Metadata, columns []iceberg.NestedField, tasks []table.FileScanTask) *reader {
	all := slices.ContainsFunc(columns, func(f iceberg.NestedField) bool { return f.ID == DeletedID })
	return &reader{fs: fs, meta: meta, columns: columns, deletes: newDeletes(fs, meta, tasks), all: all}
}

// file reads the wanted rows of one task's file.
func (r *reader) file(ctx context.Context, task table.FileScanTask, emit func(arrow.RecordBatch) error) (err error) {
	defer r.deletes.done(task)
	defer func() {
		if err != nil {
			err = fmt.Errorf("read %q: %w", task.File.FilePath(), err)
		}
	}()
	gone, err := r.deletes.of(ctx, task)
	if err != nil {
		return err
	}
	p := newProjection(r.meta, r.columns, task)
	wanted := map[int]iceberg.NestedField{}
	for _, f := range append(gone.columns(), p.stored.Fields()...) {
		if isStored(f.ID) {
			wanted[f.ID] = f
		}
	}
	src := source(&rowCount{rows: task.File.Count()})
	if len(wanted) > 0 {
		if src, err = open(ctx, r.fs, task.File, wanted, r.meta.NameMapping()); err != nil {
			return err
		}
	}
	defer src.close()
	fileSchema := iceberg.NewSchema(0, append(src.fields(), posField())...)
	for {
		batch, first, err := src.next(ctx)
		if err != nil || batch == nil {
			return err
		}
		out, dead, err := r.choose(ctx, withPositions(batch, first), first, fileSchema, gone)
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
// them are deleted; nil if no row is wanted.
func (r *reader) choose(ctx context.Context, batch arrow.RecordBatch, first int64, schema *iceberg.Schema, gone *fileDeletes) (arrow.RecordBatch, []bool, error) {
	dead, err := gone.mark(ctx, batch, first, schema)
	if err != nil {
		batch.Release()
		return nil, nil, err
	}
	if r.all || !slices.Contains(dead, true) {
		return batch, dead, nil
	}
	defer batch.Release()
	if !slices.Contains(dead, false) {
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

// result is a batch, or the error that ended a file.
type result struct {
	batch arrow.RecordBatch
	err   error
}

// inOrder reads several tasks at once and yields their batches in order. When
// it returns, all reading has ended.
func inOrder(ctx context.Context, tasks []table.FileScanTask, read func(context.Context, table.FileScanTask, func(arrow.RecordBatch) error) error) iter.Seq2[arrow.RecordBatch, error] {
	return func(yield func(arrow.RecordBatch, error) bool) {
		ctx, cancel := context.WithCancel(ctx)
		var running sync.WaitGroup
		queue := make(chan chan result, filesAtOnce-1)
		defer func() {
			cancel()
			running.Wait()
			discard(queue)
		}()
		running.Go(func() {
			defer close(queue)
			for _, task := range tasks {
				results := make(chan result, 1)
				select {
				case queue <- results:
				case <-ctx.Done():
					return
				}
				running.Go(func() { readInto(ctx, task, results, read) })
			}
		})
		for results := range queue {
			for res := range results {
				if !yield(res.batch, res.err) || res.err != nil {
					discardResults(results)
					return
				}
			}
		}
		if err := ctx.Err(); err != nil {
			yield(nil, err)
		}
	}
}

// readInto reads one task into results and closes it. A panic, which a damaged
// file may cause deep in a decoder, becomes an error.
func readInto(ctx context.Context, task table.FileScanTask, results chan<- result, read func(context.Context, table.FileScanTask, func(arrow.RecordBatch) error) error) {
	defer close(results)
	send := func(res result) error {
		select {
		case results <- res:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	var err error
	func() {
		defer func() {
			if p := recover(); p != nil {
				err = fmt.Errorf("%w: %q has unexpected content: %v", maintenance.ErrCorrupt, task.File.FilePath(), p)
			}
		}()
		err = read(ctx, task, func(batch arrow.RecordBatch) error { return send(result{batch: batch}) })
	}()
	if err != nil {
		_ = send(result{err: err})
	}
}

// discard releases what nobody has taken, once all readers have ended.
func discard(queue <-chan chan result) {
	for results := range queue {
		discardResults(results)
	}
}

func discardResults(results <-chan result) {
	for {
		select {
		case res, ok := <-results:
			if !ok {
				return
			}
			if res.batch != nil {
				res.batch.Release()
			}
		default:
			return
		}
	}
}
