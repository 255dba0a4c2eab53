package rewrite

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"sync"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/iceberg-go"
	"github.com/apache/iceberg-go/table"
	"golang.org/x/sync/errgroup"

	"github.com/firndb/firn/maintenance"
	"github.com/firndb/firn/maintenance/rewrite/splice"
	"github.com/firndb/firn/maintenance/sortorder"
)

// runner writes the new files of groups. It may run several groups at once.
type runner struct {
	table *table.Table
	out   *output
	o     Options
	// slots bounds how many bins are written at once over all groups.
	slots chan struct{}
	// memory is the share of the memory ceiling that one bin may use.
	memory   int64
	lookback int
	order    sortorder.Bound
	sorts    sorts
	// progress is told the input bytes of each finished bin.
	progress func(bytes int64)
}

func newRunner(ctx context.Context, p *Plan, env maintenance.Env) (*runner, error) {
	tbl, limits := p.table, env.Limits
	out, err := newOutput(ctx, tbl, p.Options.OutputSpec)
	if err != nil {
		return nil, err
	}
	out.sortOrder = p.Order.ID
	return &runner{
		table: tbl, out: out, o: p.Options, order: p.Order,
		sorts:    newSorts(limits, env.Now()),
		slots:    make(chan struct{}, limits.Concurrency),
		memory:   limits.MemoryBytes / int64(limits.Concurrency),
		progress: func(int64) {},
		lookback: lookback(tbl.Properties()),
	}, nil
}

// written is what became of a group: files to be committed, or if the group
// failed, paths to be removed.
type written struct {
	files []iceberg.DataFile
	paths []string
	rows  int64
	// moved is how many of the rows were not decoded.
	moved int64
}

// run rewrites a group and checks its rows. Its paths are to be removed if the
// group is not committed, whether run fails or not.
func (r *runner) run(ctx context.Context, index int, g Group) (written, error) {
	if r.o.Strategy.ordered() {
		w, err := r.sorted(ctx, fmt.Sprint(index), g)
		if err != nil {
			return w, err
		}
		if w, err = r.settleSorted(ctx, fmt.Sprint(index), g, w); err != nil {
			return w, err
		}
		return w, g.checkRows(w)
	}
	w, err := r.bins(ctx, fmt.Sprint(index), g)
	if err != nil {
		return w, err
	}
	if w, err = r.settle(ctx, fmt.Sprint(index), w); err != nil {
		return w, err
	}
	return w, g.checkRows(w)
}

// bins writes the bins of a group, several at a time.
func (r *runner) bins(ctx context.Context, name string, g Group) (written, error) {
	bins := g.bins(r.lookback)
	results := make([]written, len(bins))
	var mu sync.Mutex
	eg, gctx := errgroup.WithContext(ctx)
	for i, tasks := range bins {
		eg.Go(func() error {
			select {
			case r.slots <- struct{}{}:
				defer func() { <-r.slots }()
			case <-gctx.Done():
				return gctx.Err()
			}
			w, err := r.bin(gctx, fmt.Sprintf("%05d-%s", i, name), g, tasks)
			mu.Lock()
			defer mu.Unlock()
			results[i] = w
			if err == nil {
				r.progress(bytesOf(tasks))
			}
			return err
		})
	}
	err := eg.Wait()
	var all written
	for _, w := range results {
		all.files = append(all.files, w.files...)
		all.paths = append(all.paths, w.paths...)
		all.rows += w.rows
		all.moved += w.moved
	}
	return all, err
}

func bytesOf(tasks []table.FileScanTask) int64 {
	var n int64
	for _, t := range tasks {
		n += t.Length
	}
	return n
}

// bin writes the rows of a bin's tasks, without decoding those that need not be.
func (r *runner) bin(ctx context.Context, name string, g Group, tasks []table.FileScanTask) (written, error) {
	if !r.moves(g, tasks) {
		return r.decode(ctx, name, g, tasks)
	}
	moved, err := r.splice(ctx, name, g, tasks)
	if !errors.Is(err, splice.ErrUnfit) {
		return moved, err
	}
	// A page was not what its file's footer says.
	maintenance.RemoveFiles(context.WithoutCancel(ctx), r.out.fs, moved.paths, 0)
	w, err := r.decode(ctx, name, g, tasks)
	w.paths = append(w.paths, moved.paths...)
	return w, err
}

// decode reads the tasks of a bin and writes their rows.
func (r *runner) decode(ctx context.Context, name string, g Group, tasks []table.FileScanTask) (w written, err error) {
	f, err := newFan(r, name, g)
	if err != nil {
		return written{}, err
	}
	defer func() {
		if err != nil {
			f.abort()
		}
		w.files, w.paths, w.rows = f.result()
	}()
	var rows int64
	for batch, err := range r.read(ctx, g, tasks) {
		if err != nil {
			return w, err
		}
		rows += batch.NumRows()
		err := f.write(ctx, batch)
		batch.Release()
		if err != nil {
			return w, err
		}
	}
	if err := f.finish(); err != nil {
		return w, err
	}
	if _, _, out := f.result(); out != rows {
		return w, fmt.Errorf("%w: %d rows were read but %d written", maintenance.ErrCorrupt, rows, out)
	}
	return w, nil
}

// tasksAtOnce bounds how many files are read through one scan: a scan keeps
// every file's footer until it ends.
const tasksAtOnce = 64

// read streams the live rows of tasks, in their order. The consumer releases
// the batches.
func (r *runner) read(ctx context.Context, g Group, tasks []table.FileScanTask) iter.Seq2[arrow.RecordBatch, error] {
	return func(yield func(arrow.RecordBatch, error) bool) {
		for len(tasks) > 0 {
			n := min(tasksAtOnce, len(tasks))
			chunk := tasks[:n]
			tasks = tasks[n:]
			if !r.readChunk(ctx, g, chunk, yield) {
				return
			}
		}
	}
}

func (r *runner) readChunk(ctx context.Context, g Group, tasks []table.FileScanTask, yield func(arrow.RecordBatch, error) bool) bool {
	// One file at a time: the library reads ahead without bound to put the
	// batches of files that it reads side by side in order.
	opts := []table.ScanOption{table.WithMaxConcurrency(1), table.WithArrowBatchSize(r.batchRows(g))}
	if r.out.lineage {
		opts = append(opts, table.WithRowLineage())
	}
	scan := r.table.Scan(opts...)
	defer scan.Close()
	_, batches, err := scan.ReadTasks(ctx, withoutFilters(tasks))
	if err != nil {
		return yield(nil, fmt.Errorf("read %q: %w", tasks[0].File.FilePath(), err))
	}
	for batch, err := range batches {
		if err != nil {
			return yield(nil, fmt.Errorf("read %q and %d other files: %w", tasks[0].File.FilePath(), len(tasks)-1, err))
		}
		if !yield(batch, nil) {
			return false
		}
	}
	return true
}

// withoutFilters makes tasks read all live rows. Rows of a file that has no row
// ids yet get theirs from the new file, so their update's sequence number is
// left open too.
func withoutFilters(tasks []table.FileScanTask) []table.FileScanTask {
	out := make([]table.FileScanTask, len(tasks))
	for i, t := range tasks {
		t.Residual = nil
		if t.FirstRowID == nil {
			t.DataSequenceNumber = nil
		}
		out[i] = t
	}
	return out
}

// batchRows is how many rows a batch has: a 64th of the bin's memory, taking a
// row in memory for ten times its size in a file.
func (r *runner) batchRows(g Group) int {
	rows := float64(r.memory) / 64 / (10 * max(1, g.rowBytes()))
	return int(min(max(rows, 1024), 1<<16))
}

// rowBytes is the average size of a row in the group's files.
func (g Group) rowBytes() float64 {
	if g.Rows == 0 {
		return 1
	}
	return float64(g.Bytes) / float64(g.Rows)
}

// checkRows compares the rows of a group's new files with those of its old
// ones less the deleted rows. Deletion vectors know how many rows they delete.
// Rows of position delete files may name a row twice or rows of other files, so
// that they bound how many are gone; equality deletes may delete any number.
func (g Group) checkRows(w written) error {
	var rows int64
	for _, df := range w.files {
		rows += df.Count()
	}
	if rows != w.rows {
		return fmt.Errorf("%w: the new files have %d rows, but %d were written", maintenance.ErrCorrupt, rows, w.rows)
	}
	most, least := g.Rows, g.Rows
	seen := map[string]bool{}
	for _, f := range g.Files {
		for _, d := range f.Task.DeletionVectorFiles {
			most -= d.Count()
			least -= d.Count()
		}
		for _, d := range f.Task.DeleteFiles {
			if path := d.FilePath(); !seen[path] {
				seen[path] = true
				least -= d.Count()
			}
		}
		if len(f.Task.EqualityDeleteFiles) > 0 {
			least -= f.Task.File.Count()
		}
	}
	if rows > most || rows < least {
		return fmt.Errorf("%w: %d rows became %d, but by their deletes they must become %d to %d", maintenance.ErrCorrupt, g.Rows, rows, max(0, least), most)
	}
	return nil
}
