package rewrite

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/apache/iceberg-go/table"
	"golang.org/x/sync/errgroup"
	"golang.org/x/sync/semaphore"

	"github.com/firndb/firn/maintenance"
	"github.com/firndb/firn/maintenance/datafile"
	"github.com/firndb/firn/maintenance/internal/extsort"
	"github.com/firndb/firn/maintenance/internal/rowkey"
	"github.com/firndb/firn/maintenance/sortorder"
)

// sorts is what the sorts of a rewrite share.
type sorts struct {
	limits maintenance.Limits
	// memory admits sorts by the bytes that they may keep.
	memory *semaphore.Weighted
	now    time.Time
}

func newSorts(limits maintenance.Limits, now time.Time) sorts {
	return sorts{limits: limits, memory: semaphore.NewWeighted(limits.MemoryBytes), now: now}
}

// scratch opens the scratch space.
func (s sorts) scratch() (*extsort.Scratch, error) {
	return extsort.Folder(scratchDir(s.limits), s.limits.ScratchBytes, s.now)
}

// Shares of a sort's memory: what collects rows, the rest is for reading, merging
// and writing. rowsGrow is how much larger rows may be in memory than in files.
const (
	collectShare = 0.2
	rowsGrow     = 10
	leastMemory  = 64 << 20
)

// sorted rewrites a group with its rows in order. The files of the group follow
// each other in that order.
func (r *runner) sorted(ctx context.Context, name string, g Group) (w written, err error) {
	memory := min(r.sorts.limits.MemoryBytes, rowsGrow*g.Bytes+leastMemory)
	if err := r.sorts.memory.Acquire(ctx, memory); err != nil {
		return w, err
	}
	defer r.sorts.memory.Release(memory)
	encoder, err := r.encoder(g)
	if err != nil {
		return w, err
	}
	parts := shares(g, r.sorts.limits.Concurrency)
	reader := r.reader(g, slices.Concat(parts...))
	reads := make([]*datafile.Rows, len(parts))
	s := extsort.New(extsort.Config{
		Encoder: encoder, Scratch: r.sorts.scratch, Collectors: len(parts),
		Memory: int64(float64(memory) * collectShare), Rows: r.batchRows(g), Parallel: r.sorts.limits.Concurrency,
	})
	defer func() {
		if closed := s.Close(); err == nil && closed != nil {
			err = fmt.Errorf("close scratch files: %w", closed)
		}
	}()
	eg, gctx := errgroup.WithContext(ctx)
	for i, tasks := range parts {
		reads[i] = reader.Rows(tasks)
		eg.Go(func() error { return r.collect(gctx, reads[i], tasks, s.Collector(i)) })
	}
	if err := eg.Wait(); err != nil {
		return w, err
	}
	w, err = r.writeSorted(ctx, name, g, s)
	for _, read := range reads {
		w.deleted += read.Deleted()
	}
	return w, err
}

// shares cuts a group's files into parts of about the same size, each of which
// one goroutine reads.
func shares(g Group, n int) [][]table.FileScanTask {
	var tasks []table.FileScanTask
	for _, f := range g.Files {
		tasks = append(tasks, pieces(f.Task)...)
	}
	var out [][]table.FileScanTask
	var done int64
	for i := range n {
		var part []table.FileScanTask
		for len(tasks) > 0 && (i == n-1 || done < g.Bytes*int64(i+1)/int64(n)) {
			part = append(part, tasks[0])
			done += tasks[0].Length
			tasks = tasks[1:]
		}
		if len(part) > 0 {
			out = append(out, join(part))
		}
	}
	return out
}

// collect reads the rows of tasks into a collector.
func (r *runner) collect(ctx context.Context, rows *datafile.Rows, tasks []table.FileScanTask, c *extsort.Collector) error {
	select {
	case r.slots <- struct{}{}:
		defer func() { <-r.slots }()
	case <-ctx.Done():
		return ctx.Err()
	}
	for batch, err := range rows.All(ctx) {
		if err != nil {
			return err
		}
		err := c.Add(ctx, batch)
		batch.Release()
		if err != nil {
			return err
		}
	}
	// Reading is about half of the work.
	r.progress(bytesOf(tasks) / 2)
	return nil
}

// encoder makes sort keys: the partition first if rows are partitioned anew,
// then the order.
func (r *runner) encoder(g Group) (*rowkey.Encoder, error) {
	var fields []rowkey.Field
	if g.Repartition {
		for i := range r.out.spec.NumFields() {
			f := r.out.spec.Field(i)
			fields = append(fields, rowkey.Field{ID: f.SourceID(), Transform: f.Transform})
		}
	}
	for _, f := range r.order.Fields {
		fields = append(fields, rowkey.Field{
			ID: f.SourceID(), Transform: f.Transform,
			Descending: f.Direction == table.SortDESC, NullsLast: f.NullOrder == table.NullsLast,
		})
	}
	var curve *rowkey.Curve
	if r.order.Curve != sortorder.None {
		curve = &rowkey.Curve{
			Columns: r.order.Columns, Hilbert: r.order.Curve == sortorder.Hilbert,
			VarLength: int(r.o.VarLength), MaxBytes: int(r.o.MaxOutputSize),
		}
	}
	return rowkey.NewEncoder(r.out.rows, fields, curve)
}

// writeSorted writes the rows of a group in order.
func (r *runner) writeSorted(ctx context.Context, name string, g Group, s *extsort.Sorter) (w written, err error) {
	select {
	case r.slots <- struct{}{}:
		defer func() { <-r.slots }()
	case <-ctx.Done():
		return w, ctx.Err()
	}
	f, err := newFan(ctx, r, fmt.Sprintf("%05d-%s", 0, name), g)
	if err != nil {
		return w, err
	}
	f.sequential = true
	defer func() {
		if err != nil {
			f.abort()
		}
		w.files, w.paths, w.rows = f.result()
	}()
	cuts := newCutter(r.o, g, s.Total())
	for chunk, err := range ahead(ctx, s) {
		if err != nil {
			return w, err
		}
		err := cuts.write(ctx, f, chunk)
		chunk.Batch.Release()
		if err != nil {
			return w, err
		}
		r.progress(g.Bytes * chunk.Batch.NumRows() / max(1, s.Total()) / 2)
	}
	if err := f.finish(); err != nil {
		return w, err
	}
	if _, _, out := f.result(); out != s.Total() {
		return w, fmt.Errorf("%w: %d rows were read but %d written", maintenance.ErrCorrupt, s.Total(), out)
	}
	return w, nil
}
