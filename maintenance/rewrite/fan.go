package rewrite

import (
	"context"
	"fmt"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/iceberg-go"
)

// openFiles is how many files a bin may have open at once when its rows go to
// several partitions.
const openFiles = 32

// fan writes the rows of a bin to the partitions they belong to: all to that of
// the group's files, or if the group is partitioned anew, each to its own.
type fan struct {
	r     *runner
	g     Group
	name  string
	parts *partitioner

	writers map[string]*rolling
	order   []*rolling
	places  []*place
	// recent are the writers with an open file, the least recently used first.
	recent []*rolling
}

func newFan(ctx context.Context, r *runner, name string, g Group) (*fan, error) {
	f := &fan{r: r, g: g, name: name, writers: map[string]*rolling{}}
	if !g.Repartition {
		f.writer(ctx, "", g.Files[0].Task.File.Partition())
		return f, nil
	}
	var err error
	f.parts, err = newPartitioner(r.out.spec, r.out.rows)
	return f, err
}

// writer finds or makes the writer of a partition.
func (f *fan) writer(ctx context.Context, key string, values map[int]any) *rolling {
	if w, ok := f.writers[key]; ok {
		return w
	}
	p := f.r.out.place(fmt.Sprintf("%s-%d", f.name, len(f.order)), values)
	f.places = append(f.places, p)
	w := &rolling{
		out: f.r.out, partition: values, sink: p.sink(ctx), done: p.add,
		maxBytes: f.g.MaxFileSize,
		rowBytes: f.g.rowBytes(),
		rowGroup: f.rowGroupBytes(),
	}
	f.writers[key] = w
	f.order = append(f.order, w)
	return w
}

// rowGroupBytes is where row groups end: by the table's property, or earlier
// where the open row groups would not fit into memory.
func (f *fan) rowGroupBytes() int64 {
	share := f.r.memory / 2
	if f.g.Repartition {
		share /= openFiles
	}
	return max(1<<20, min(f.r.out.settings.rowGroupBytes, share))
}

func (f *fan) write(ctx context.Context, batch arrow.RecordBatch) error {
	if f.parts == nil {
		return f.order[0].write(batch)
	}
	parts, err := f.parts.split(batch)
	if err != nil {
		return err
	}
	for _, p := range parts {
		rows, err := take(ctx, batch, p.rows)
		if err != nil {
			return err
		}
		w := f.writer(ctx, p.key, p.values)
		err = w.write(rows)
		rows.Release()
		if err != nil {
			return err
		}
		if err := f.used(w); err != nil {
			return err
		}
	}
	return nil
}

// used notes that a writer was written to, and closes the file of the one that
// has waited longest if too many are open.
func (f *fan) used(w *rolling) error {
	kept := f.recent[:0]
	for _, other := range f.recent {
		if other != w && other.open != nil {
			kept = append(kept, other)
		}
	}
	f.recent = append(kept, w)
	if len(f.recent) <= openFiles {
		return nil
	}
	oldest := f.recent[0]
	f.recent = f.recent[1:]
	return oldest.finish()
}

func (f *fan) finish() error {
	for _, w := range f.order {
		if err := w.finish(); err != nil {
			return err
		}
	}
	return nil
}

func (f *fan) abort() {
	for _, w := range f.order {
		w.abort()
	}
}

// result is what has been written so far.
func (f *fan) result() (files []iceberg.DataFile, paths []string, rows int64) {
	for i, w := range f.order {
		files = append(files, f.places[i].files...)
		paths = append(paths, f.places[i].paths...)
		rows += w.rows
	}
	return files, paths, rows
}
