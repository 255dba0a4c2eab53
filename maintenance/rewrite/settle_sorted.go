package rewrite

import (
	"context"
	"fmt"

	"github.com/apache/iceberg-go"
	"github.com/apache/iceberg-go/table"

	"github.com/firndb/firn/maintenance"
)

// settleSorted does what settle does for files whose rows are in order. Where
// rows end a file is estimated by their average size; those of one that turned
// out too large are cut once more by their own. If some files of a partition
// turned out too small, all of its new files become fewer ones, in the same
// order.
func (r *runner) settleSorted(ctx context.Context, name string, g Group, w written) (written, error) {
	w, err := r.replace(ctx, name+"-large", w, r.oversized(w.files), r.sorted)
	for round := 0; err == nil && round < settleRounds; round++ {
		small := r.undersized(w.files)
		if len(small) == 0 {
			break
		}
		for i, s := range small {
			whole := r.wholePartition(s, w.files)
			whole.Repartition = g.Repartition
			whole.OutputFiles = max(1, whole.Bytes/r.o.TargetFileSize-int64(round))
			if w, err = r.replace(ctx, fmt.Sprintf("%s-%d-%d", name, round, i), w, []Group{whole}, r.sorted); err != nil {
				return w, err
			}
		}
		w, err = r.replace(ctx, fmt.Sprintf("%s-%d-large", name, round), w, r.oversized(w.files), r.sorted)
	}
	return w, err
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
