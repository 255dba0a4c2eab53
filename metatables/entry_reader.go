package metatables

import (
	"fmt"
	"math"

	"github.com/apache/iceberg-go"

	"github.com/firndb/firn/maintenance/manifest"
)

// entryReader makes batches of the blocks of one manifest, in their order.
type entryReader struct {
	manifest  iceberg.ManifestFile
	deleted   bool
	condition matcher
	// nextRowID is what the next file without a first row id has, nil if it
	// inherits none.
	nextRowID *int64
}

// batch is the rows of a block that are wanted.
func (r *entryReader) batch(b *manifest.Block) (fileBatch, error) {
	batch := fileBatch{manifest: r.manifest, block: b}
	status := b.Columns[manifest.Whole(manifest.Status)].(*manifest.Longs)
	if err := r.inheritRowIDs(&batch, status); err != nil {
		return batch, err
	}
	test := r.condition.rows(batch)
	batch.rows = make([]int32, 0, b.Rows)
	for i := range b.Rows {
		if s, _ := status.At(i); s == int64(iceberg.EntryStatusDELETED) && !r.deleted {
			continue
		}
		if test == nil || test(i) {
			batch.rows = append(batch.rows, int32(i))
		}
	}
	return batch, nil
}

// inheritRowIDs gives data files without a first row id theirs (specification,
// "First Row ID Inheritance"): one after the other, removed files apart.
func (r *entryReader) inheritRowIDs(batch *fileBatch, status *manifest.Longs) error {
	own, wanted := batch.block.Columns[manifest.Whole(manifest.FirstRowID)].(*manifest.Longs)
	if !wanted || r.nextRowID == nil || r.manifest.ManifestContent() != iceberg.ManifestContentData {
		return nil
	}
	next := *r.nextRowID
	if next < 0 {
		return fmt.Errorf("its first row id is %d", next)
	}
	counts, _ := batch.block.Columns[manifest.Whole(manifest.RecordCount)].(*manifest.Longs)
	ids := manifest.NewLongs(batch.block.Rows, func(i int) (int64, bool) {
		v, ok := own.At(i)
		if s, _ := status.At(i); ok || s == int64(iceberg.EntryStatusDELETED) {
			return v, ok
		}
		v = next
		count, _ := counts.At(i)
		if count < 0 || v > math.MaxInt64-count {
			next = -1
			return 0, false
		}
		if next >= 0 {
			next += count
		}
		return v, true
	})
	if next < 0 {
		return fmt.Errorf("the record counts %d and on leave no first row ids", *r.nextRowID)
	}
	batch.firstRowIDs, r.nextRowID = ids, &next
	return nil
}
