package rewrite

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/apache/iceberg-go"
	"github.com/apache/iceberg-go/table"
	"golang.org/x/sync/errgroup"

	"github.com/firndb/firn/guard"
	"github.com/firndb/firn/maintenance"
	"github.com/firndb/firn/maintenance/datafile"
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
	memory int64
	// keyBytes is how much memory the keys of a group's equality deletes may take.
	keyBytes int64
	lookback int
	order    sortorder.Bound
	sorts    sorts
	// progress is told the input bytes of each finished bin.
	progress func(bytes int64)
	// remove removes files that nothing refers to, and tells what stays.
	remove func(ctx context.Context, paths []string)
}

// readAtOnce is how many files of a bin are read at once.
const readAtOnce = 2

// keyBytes shares a quarter of the memory among the groups that run at once.
func keyBytes(p *Plan, limits maintenance.Limits) int64 {
	groups := max(1, min(int64(p.Options.ConcurrentGroups), int64(len(p.Groups))))
	return limits.MemoryBytes / 4 / groups
}

func newRunner(ctx context.Context, p *Plan, env maintenance.Env) (*runner, error) {
	tbl, limits := p.table, env.Limits
	out, err := newOutput(ctx, tbl, p.Options.OutputSpec, p.Options.Format)
	if err != nil {
		return nil, err
	}
	out.sortOrder, out.run = p.Order.ID, env.Run.DataName()
	return &runner{
		table: tbl, out: out, o: p.Options, order: p.Order,
		sorts:    newSorts(limits, env.Now()),
		slots:    make(chan struct{}, limits.Concurrency),
		memory:   limits.MemoryBytes / int64(limits.Concurrency),
		keyBytes: keyBytes(p, limits),
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
	// deleted is how many rows of the old files the deletes were seen to remove.
	deleted int64
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
	reader := r.reader(g, slices.Concat(bins...))
	var mu sync.Mutex
	eg, gctx := errgroup.WithContext(ctx)
	for i, tasks := range bins {
		guard.Go(eg, func() error {
			select {
			case r.slots <- struct{}{}:
				defer func() { <-r.slots }()
			case <-gctx.Done():
				return gctx.Err()
			}
			w, err := r.bin(gctx, fmt.Sprintf("%05d-%s", i, name), g, reader, tasks)
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
		all.deleted += w.deleted
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

// idle takes the processors that no bin uses at the moment. The caller calls what
// it returns when it is done with them.
func (r *runner) idle() (n int, free func()) {
	for {
		select {
		case r.slots <- struct{}{}:
			n++
			continue
		default:
		}
		return n, func() {
			for range n {
				<-r.slots
			}
		}
	}
}

// bin writes the rows of a bin's tasks, without decoding those that need not be.
func (r *runner) bin(ctx context.Context, name string, g Group, reader *datafile.Reader, tasks []table.FileScanTask) (written, error) {
	if !r.moves(g, tasks) {
		return r.decode(ctx, name, g, reader, tasks)
	}
	moved, err := r.splice(ctx, name, g, reader, tasks)
	if !errors.Is(err, splice.ErrUnfit) {
		return moved, err
	}
	// A page was not what its file's footer says.
	r.remove(ctx, moved.paths)
	w, err := r.decode(ctx, name, g, reader, tasks)
	w.paths = append(w.paths, moved.paths...)
	return w, err
}

// decode reads the tasks of a bin and writes their rows.
func (r *runner) decode(ctx context.Context, name string, g Group, reader *datafile.Reader, tasks []table.FileScanTask) (w written, err error) {
	_, g.MaxFileSize = g.filesOf(tasks)
	f, err := newFan(ctx, r, name, g)
	if err != nil {
		return written{}, err
	}
	defer func() {
		if err != nil {
			f.abort()
		}
		w.files, w.paths, w.rows = f.result()
	}()
	read := reader.Rows(tasks)
	var rows int64
	for batch, err := range read.All(ctx) {
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
	w.deleted = read.Deleted()
	if _, _, out := f.result(); out != rows {
		return w, fmt.Errorf("%w: %d rows were read but %d written", maintenance.ErrCorrupt, rows, out)
	}
	return w, nil
}

// reader prepares reading the live rows of tasks of a group.
func (r *runner) reader(g Group, tasks []table.FileScanTask) *datafile.Reader {
	return datafile.NewReader(r.out.fs, r.table.Metadata(), r.out.rows.Fields(), tasks, datafile.Options{
		BatchRows: r.batchRows(g), FilesAtOnce: readAtOnce, BufferBytes: r.memory / 32, KeyBytes: r.keyBytes, Uncommitted: g.fresh,
	})
}

// leastRows is how many rows a batch has at least: few, as they may be large.
const leastRows = 16

// batchRows is how many rows a batch has: a 64th of the bin's memory, taking a
// row in memory for ten times its size in a file.
func (r *runner) batchRows(g Group) int {
	rows := float64(r.memory) / 64 / (10 * max(1, g.rowBytes()))
	return int(min(max(rows, leastRows), 1<<16))
}

// rowBytes is the average size of a row in the group's files.
func (g Group) rowBytes() float64 {
	if g.Rows == 0 {
		return 1
	}
	return float64(g.Bytes) / float64(g.Rows)
}

// checkRows compares the rows of a group's new files, as their writers have it,
// with those of its old ones, as the manifests have it, less the rows that were
// seen to be deleted.
func (g Group) checkRows(w written) error {
	var rows int64
	for _, df := range w.files {
		rows += df.Count()
	}
	if rows != w.rows {
		return fmt.Errorf("%w: the new files have %d rows, but %d were written", maintenance.ErrCorrupt, rows, w.rows)
	}
	if rows != g.Rows-w.deleted {
		return fmt.Errorf("%w: %d rows less %d deleted ones became %d", maintenance.ErrCorrupt, g.Rows, w.deleted, rows)
	}
	return nil
}
