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

// settle puts new files together again that turned out so small that the next
// run would select them: bins are packed by the size of the old files, and the
// new ones may be encoded much better. It keeps promise P6, that a second run
// selects nothing.
func (r *runner) settle(ctx context.Context, name string, w written) (written, error) {
	if r.o.RewriteAll {
		return w, nil
	}
	for round := range settleRounds {
		again := r.undersized(w.files)
		if len(again) == 0 {
			break
		}
		for i, g := range again {
			next, err := r.bins(ctx, fmt.Sprintf("%s-%d-%d", name, round, i), g)
			w.paths = append(w.paths, next.paths...)
			if err != nil {
				return w, err
			}
			if next.rows != g.Rows {
				return w, fmt.Errorf("%w: %d rows of new files became %d", maintenance.ErrCorrupt, g.Rows, next.rows)
			}
			w = r.swap(ctx, w, g, next)
		}
	}
	return w, nil
}

// undersized groups the new files that the planner would select, by partition.
func (r *runner) undersized(files []iceberg.DataFile) []Group {
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
