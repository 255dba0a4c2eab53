package rewrite

import (
	"context"
	"fmt"

	"github.com/apache/iceberg-go"
	"github.com/apache/iceberg-go/table"

	"github.com/firndb/firn/maintenance"
)

// settleRounds bounds how often files are put together again.
const settleRounds = 3

// settle rewrites new files that the next run would select because of their size
// (promise P6). Bins are packed by the size of the old files, and the new ones
// may be encoded much better, or worse. Those that are too large are written as
// several, and then those that are too small put together.
func (r *runner) settle(ctx context.Context, name string, w written) (written, error) {
	w, err := r.replace(ctx, name+"-large", w, r.oversized(w.files), r.bins)
	for round := 0; err == nil && round < settleRounds; round++ {
		small := r.undersized(w.files)
		if len(small) == 0 {
			break
		}
		if w, err = r.replace(ctx, fmt.Sprintf("%s-%d", name, round), w, small, r.bins); err == nil {
			w, err = r.replace(ctx, fmt.Sprintf("%s-%d-large", name, round), w, r.oversized(w.files), r.bins)
		}
	}
	return w, err
}

// replace writes groups of new files once more.
func (r *runner) replace(ctx context.Context, name string, w written, groups []Group, write func(context.Context, string, Group) (written, error)) (written, error) {
	for i, g := range groups {
		next, err := write(ctx, fmt.Sprintf("%s-%d", name, i), g)
		w.paths = append(w.paths, next.paths...)
		if err != nil {
			return w, err
		}
		if next.rows != g.Rows {
			return w, fmt.Errorf("%w: %d rows of new files became %d", maintenance.ErrCorrupt, g.Rows, next.rows)
		}
		w = r.swap(ctx, w, g, next)
	}
	return w, nil
}

// oversized are the new files that the planner would select for being too large,
// each a group, unless nothing can be done about them. If it selects all files
// anyway, there are none.
func (r *runner) oversized(files []iceberg.DataFile) []Group {
	if r.o.RewriteAll {
		return nil
	}
	judge := newGrouper(r.table.Metadata(), r.o)
	var groups []Group
	for _, df := range files {
		if df.FileSizeBytes() <= r.o.MaxFileSize || df.Count() == 1 {
			continue
		}
		f := File{Task: table.FileScanTask{File: df, Length: df.FileSizeBytes()}, Partition: maintenance.PartitionPath(r.table.Metadata(), df)}
		g := judge.newGroup([]File{f}, "new file is too large")
		g.fresh = true
		groups = append(groups, g)
	}
	return groups
}

// undersized groups the new files that the planner would select for being too
// small, by partition. If it selects all files anyway, there are none.
func (r *runner) undersized(files []iceberg.DataFile) []Group {
	if r.o.RewriteAll {
		return nil
	}
	judge := newGrouper(r.table.Metadata(), r.o)
	var order []string
	small := map[string][]File{}
	for _, df := range files {
		f := File{Task: table.FileScanTask{File: df, Length: df.FileSizeBytes()}, Partition: maintenance.PartitionPath(r.table.Metadata(), df)}
		if f.Size() >= r.o.MinFileSize {
			continue
		}
		key := maintenance.PartitionKey(df)
		if small[key] == nil {
			order = append(order, key)
		}
		small[key] = append(small[key], f)
	}
	var groups []Group
	for _, key := range order {
		members := small[key]
		if _, worth := judge.worth(members); worth && len(members) > 1 {
			g := judge.newGroup(members, "new files are too small")
			g.fresh = true
			if g.Bytes < g.MaxFileSize {
				// Shared out among more files they would be too small again.
				g.SplitSize, g.expected = g.MaxFileSize, 1
			}
			groups = append(groups, g)
		}
	}
	return groups
}

// swap replaces the files of g by those of next, and removes them: nothing
// refers to them.
func (r *runner) swap(ctx context.Context, w written, g Group, next written) written {
	gone := map[string]bool{}
	var paths []string
	for _, f := range g.Files {
		gone[f.Path()] = true
		paths = append(paths, f.Path())
	}
	var files []iceberg.DataFile
	for _, df := range w.files {
		if !gone[df.FilePath()] {
			files = append(files, df)
		}
	}
	// What cannot be removed now is tried again if the group fails.
	r.remove(ctx, paths)
	w.files = append(files, next.files...)
	return w
}
