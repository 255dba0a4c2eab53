package maintenance_test

import (
	"context"
	"iter"
	"maps"
	"slices"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/iceberg-go"
	"github.com/apache/iceberg-go/table"
)

// write is a random act of another writer, through the library.
func (w *world) write() {
	w.t.Helper()
	tbl := w.load()
	if tbl.CurrentSnapshot() == nil {
		w.append(table.MainBranch)
		return
	}
	branch := w.branch()
	switch w.rng.IntN(17) {
	case 0, 1, 2, 3:
		w.append(branch)
	case 4, 5:
		w.delete(branch)
	case 6, 7:
		w.deleteEqual(branch)
	case 8:
		w.setRef()
	case 9:
		w.dropRef()
	case 10:
		w.rollBack()
	case 11:
		w.stage()
	case 12:
		w.cherryPick()
	case 13:
		w.addStatistics()
	case 14, 15:
		w.overwrite(branch)
	default:
		w.changeSpec()
	}
	w.remember(false)
}

// branch is one of the table's branches.
func (w *world) branch() string {
	branches := []string{table.MainBranch, table.MainBranch}
	refs := maps.Collect(w.load().Metadata().Refs())
	for _, name := range slices.Sorted(maps.Keys(refs)) {
		if refs[name].SnapshotRefType == table.BranchRef && name != table.MainBranch {
			branches = append(branches, name)
		}
	}
	return pick(w.rng, branches...)
}

// change commits what do does on a branch. What the library refuses does not
// matter here.
func (w *world) change(branch, what string, do func(tx *table.Transaction) error) {
	w.t.Helper()
	before := w.unreferenced(w.referenced())
	defer func() {
		// The library leaves manifests that it has merged.
		for _, path := range w.unreferenced(w.referenced()) {
			w.others[path] = w.others[path] || !slices.Contains(before, path)
		}
	}()
	tx, err := w.load().NewTransactionOnBranchWithError(branch)
	if err == nil {
		err = do(tx)
	}
	if err == nil {
		_, err = tx.Commit(context.Background())
	}
	w.tell("%s on %s: %v", what, branch, err)
}

func (w *world) append(branch string) {
	w.t.Helper()
	ids := make([]int64, 1+w.rng.IntN(4))
	for i := range ids {
		ids[i] = w.rng.Int64N(3)*100 + w.next%100
		w.next++
		if w.rng.IntN(4) == 0 {
			ids[i] = w.id()
		}
	}
	w.appendIDs(branch, ids)
}

// appendIDs makes one file (of each partition) with the ids.
func (w *world) appendIDs(branch string, ids []int64) {
	w.t.Helper()
	batch := w.batch(ids)
	rdr, err := array.NewRecordReader(batch.Schema(), []arrow.RecordBatch{batch})
	if err != nil {
		w.t.Fatal(err)
	}
	w.change(branch, "append", func(tx *table.Transaction) error { return tx.Append(context.Background(), rdr, nil) })
	w.remember(false)
}

// id is one that may have been used.
func (w *world) id() int64 { return w.rng.Int64N(3)*100 + w.rng.Int64N(min(99, w.next)+1) }

// batch is rows with the ids; part is the id's third digit.
func (w *world) batch(ids []int64) arrow.RecordBatch {
	w.t.Helper()
	schema, err := table.SchemaToArrowSchema(w.load().Schema(), nil, true, false)
	if err != nil {
		w.t.Fatal(err)
	}
	b := array.NewRecordBuilder(memory.DefaultAllocator, schema)
	for _, id := range ids {
		b.Field(0).(*array.Int64Builder).Append(id)
		b.Field(1).(*array.Int32Builder).Append(int32(id / 100))
		b.Field(2).(*array.Float64Builder).Append(float64(id) / 2)
	}
	return b.NewRecordBatch()
}

// someIDs are ids of which some have rows.
func (w *world) someIDs() []int64 {
	ids := make([]int64, 1+w.rng.IntN(5))
	for i := range ids {
		ids[i] = w.id()
	}
	return ids
}

// delete deletes by position, deletion vector or new files.
func (w *world) delete(branch string) {
	w.t.Helper()
	w.deleteIDs(branch, w.someIDs())
}

func (w *world) deleteIDs(branch string, ids []int64) {
	w.t.Helper()
	w.change(branch, "delete", func(tx *table.Transaction) error {
		return tx.Delete(context.Background(), iceberg.IsIn(iceberg.Reference("id"), ids...), nil)
	})
}

// overwrite puts rows in the place of a partition's, of those with some ids or of all.
func (w *world) overwrite(branch string) {
	w.t.Helper()
	batch := w.batch(w.someIDs())
	rdr, err := array.NewRecordReader(batch.Schema(), []arrow.RecordBatch{batch})
	if err != nil {
		w.t.Fatal(err)
	}
	filter := pick[iceberg.BooleanExpression](w.rng, iceberg.AlwaysTrue{},
		iceberg.EqualTo(iceberg.Reference("part"), int32(w.rng.IntN(3))), iceberg.IsIn(iceberg.Reference("id"), w.someIDs()...))
	w.change(branch, "overwrite where "+filter.String(), func(tx *table.Transaction) error {
		return tx.Overwrite(context.Background(), rdr, nil, table.WithOverwriteFilter(filter))
	})
}

// deleteEqual deletes by equality.
func (w *world) deleteEqual(branch string) {
	w.t.Helper()
	w.deleteEqualIDs(branch, w.someIDs())
}

func (w *world) deleteEqualIDs(branch string, ids []int64) {
	w.t.Helper()
	full := w.batch(ids)
	columns, arrays := full.Schema().Fields()[:1], full.Columns()[:1]
	if !w.load().Spec().IsUnpartitioned() {
		columns, arrays = full.Schema().Fields()[:2], full.Columns()[:2]
	}
	batch := array.NewRecordBatch(arrow.NewSchema(columns, nil), arrays, full.NumRows())
	var records iter.Seq2[arrow.RecordBatch, error] = func(yield func(arrow.RecordBatch, error) bool) { yield(batch, nil) }
	w.change(branch, "equality delete", func(tx *table.Transaction) error {
		return tx.CommitEqualityDeletes(context.Background(), []int{1}, records, nil)
	})
}

// apply commits an update as it is.
func (w *world) apply(what string, update table.Update) {
	w.t.Helper()
	_, _, err := w.c.Iceberg().CommitTable(context.Background(), w.ident, nil, []table.Update{update})
	w.tell("%s: %v", what, err)
}

// snapshot is one of the table's.
func (w *world) snapshot() int64 { return pick(w.rng, w.load().Metadata().Snapshots()...).SnapshotID }

func (w *world) setRef() {
	name, kind := pick(w.rng, "b1", "b2", "v1", "v2"), table.BranchRef
	if name[0] == 'v' {
		kind = table.TagRef
	}
	id := w.snapshot()
	least := 0
	if kind == table.BranchRef {
		least = w.rng.IntN(2)
	}
	w.apply("set ref "+name, table.NewSetSnapshotRefUpdate(name, id, kind, 0, 0, least))
}

func (w *world) dropRef() {
	w.apply("drop ref", table.NewRemoveSnapshotRefUpdate(pick(w.rng, "b1", "b2", "v1", "v2")))
}

// rollBack moves main to any snapshot.
func (w *world) rollBack() {
	w.apply("move main", table.NewSetSnapshotRefUpdate(table.MainBranch, w.snapshot(), table.BranchRef, 0, 0, 0))
}

// changeSpec partitions the table by one field more or less.
func (w *world) changeSpec() {
	name, source, transform := "part", "part", iceberg.Transform(iceberg.IdentityTransform{})
	if w.rng.IntN(2) == 0 {
		name, source, transform = "bucket", "id", iceberg.BucketTransform{NumBuckets: 2}
	}
	remove := false
	spec := w.load().Spec()
	for _, field := range spec.Fields() {
		remove = remove || field.Name == name && field.Transform == transform
	}
	w.change(table.MainBranch, "change spec "+name, func(tx *table.Transaction) error {
		if remove {
			return tx.UpdateSpec(false).RemoveField(name).Commit()
		}
		return tx.UpdateSpec(false).AddField(source, transform, name).Commit()
	})
}
