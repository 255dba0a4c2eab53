package maintenance

import (
	"slices"
	"testing"
	"time"

	"github.com/apache/iceberg-go"
	"github.com/apache/iceberg-go/table"
)

// Of field reports, 20: the retention of the table and of each ref counts.
func TestRetentionOfTableAndRefs(t *testing.T) {
	const day = 24 * int64(time.Hour/time.Millisecond)
	tests := []struct {
		name  string
		props iceberg.Properties
		refs  func(l *ledger, ids []int64)
		// kept are the indexes of the six snapshots that stay, refs the names.
		kept []int
		refN []string
	}{
		{name: "nothing is old", kept: []int{0, 1, 2, 3, 4, 5}, refN: []string{"main"}},
		{name: "max-snapshot-age-ms", props: iceberg.Properties{"history.expire.max-snapshot-age-ms": "1"}, kept: []int{5}, refN: []string{"main"}},
		{name: "min-snapshots-to-keep", props: iceberg.Properties{"history.expire.max-snapshot-age-ms": "1", "history.expire.min-snapshots-to-keep": "3"}, kept: []int{3, 4, 5}, refN: []string{"main"}},
		{name: "the branch's own number", props: iceberg.Properties{"history.expire.max-snapshot-age-ms": "1"}, refs: func(l *ledger, ids []int64) { l.branch("b", ids[3], 0, 0, 2) }, kept: []int{2, 3, 5}, refN: []string{"b", "main"}},
		{name: "the branch's own age", props: iceberg.Properties{"history.expire.max-snapshot-age-ms": "1"}, refs: func(l *ledger, ids []int64) { l.branch("b", ids[2], 0, 30*day, 0) }, kept: []int{0, 1, 2, 5}, refN: []string{"b", "main"}},
		{name: "the ref's own age", props: iceberg.Properties{"history.expire.max-snapshot-age-ms": "1"}, refs: func(l *ledger, ids []int64) { l.branch("b", ids[3], 1, 0, 2) }, kept: []int{5}, refN: []string{"main"}},
		{name: "max-ref-age-ms, tag and branch", props: iceberg.Properties{"history.expire.max-ref-age-ms": "1"}, refs: func(l *ledger, ids []int64) {
			l.tag("t", ids[0])
			l.branch("b", ids[1], 0, 0, 0)
			l.branch("c", ids[2], 30*day, 0, 0)
		}, kept: []int{0, 1, 2, 3, 4, 5}, refN: []string{"c", "main"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			l := newLedger(t, test.props)
			var ids []int64
			for i := range int64(6) {
				ids = append(ids, current(l.append(i)))
			}
			if test.refs != nil {
				test.refs(l, ids)
			}
			later := time.Now().Add(24 * time.Hour)
			l.env.Now = func() time.Time { return later }
			result := l.mustExpire(ExpireOptions{})
			var kept []int
			meta := l.load().Metadata()
			for i, id := range ids {
				if meta.SnapshotByID(id) != nil {
					kept = append(kept, i)
				}
			}
			if !slices.Equal(kept, test.kept) || result.Snapshots != 6-len(kept) {
				t.Errorf("kept %v, want %v; result %+v", kept, test.kept, result)
			}
			var refs []string
			for name := range meta.Refs() {
				refs = append(refs, name)
			}
			slices.Sort(refs)
			if !slices.Equal(refs, test.refN) {
				t.Errorf("refs %v, want %v", refs, test.refN)
			}
			l.checkAll()
		})
	}
}

// A staged snapshot has no ref; it stays while it is young.
func TestStagedSnapshots(t *testing.T) {
	l := newLedger(t, nil)
	first := current(l.append(1))
	l.branch("stage", first, 0, 0, 0)
	staged := l.appendTo("stage", 2).SnapshotByName("stage").SnapshotID
	l.apply(table.NewRemoveSnapshotRefUpdate("stage"))
	l.overwrite(3)
	if result := l.mustExpire(ExpireOptions{}); result.Snapshots != 0 {
		t.Errorf("a young staged snapshot has gone: %+v", result)
	}
	if got := l.rows(l.load(), staged); !slices.Equal(got, []int64{1, 2}) {
		t.Errorf("got %v", got)
	}
	if result := l.mustExpire(ExpireOptions{SnapshotIDs: []int64{staged, 12345}}); result.Snapshots != 1 || result.Removed[DataFile] != 1 {
		t.Errorf("got %+v", result)
	}
	l.checkAll()
}
