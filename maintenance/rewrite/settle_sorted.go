package rewrite

import (
	"context"
	"fmt"

	"github.com/apache/iceberg-go"
	"github.com/apache/iceberg-go/table"

	"github.com/firndb/firn/maintenance"
)

// settleSorted does what settle does for files whose rows are in order: if some
// files of a partition turned out so small that the next run would select them,
// all of its new files become fewer ones, in the same order.
func (r *runner) settleSorted(ctx context.Context, name string, g Group, w written) (written, error) {
	if r.o.RewriteAll {
		return w, nil
	}
	for round := range settleRounds {
		small := r.undersized(w.files)
		if len(small) == 0 {
			break
		}
		for i, s := range small {
			whole := r.wholePartition(s, w.files)
			whole.Repartition = g.Repartition
			whole.OutputFiles = max(1, whole.Bytes/r.o.TargetFileSize-int64(round))
			next, err := r.sorted(ctx, fmt.Sprintf("%s-%d-%d", name, round, i), whole)
			w.paths = append(w.paths, next.paths...)
			if err != nil {
				return w, err
			}
			if next.rows != whole.Rows {
				return w, fmt.Errorf("%w: %d rows of new files became %d", maintenance.ErrCorrupt, whole.Rows, next.rows)
			}
			w = r.swap(ctx, w, whole, next)
		}
	}
	return w, nil
}

// wholePartition is all files of the partition that s has files of, in their
// order.
func (r *runner) wholePartition(s Group, files []iceberg.DataFile) Group {
	key := maintenance.PartitionKey(s.Files[0].Task.File)
	var members []File
	for _, df := range files {
		if maintenance.PartitionKey(df) == key {
			members = append(members, File{Task: table.FileScanTask{File: df, Length: df.FileSizeBytes()}, Partition: s.Partition})
		}
	}
	g := newGrouper(r.table.Metadata(), r.o).newGroup(members, s.Reason)
	g.fresh = true
	return g
}
