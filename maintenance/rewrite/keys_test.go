package rewrite_test

import (
	"context"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"
	"github.com/apache/iceberg-go"
	"github.com/apache/iceberg-go/table"

	"github.com/firndb/firn/maintenance"
	"github.com/firndb/firn/maintenance/datafile"
)

// rowsOf builds rows of a table's columns.
func rowsOf(t *testing.T, tbl *table.Table, fill func(b *array.RecordBuilder)) arrow.RecordBatch {
	t.Helper()
	schema, err := table.SchemaToArrowSchema(tbl.Schema(), nil, true, false)
	if err != nil {
		t.Fatal(err)
	}
	b := array.NewRecordBuilder(memory.DefaultAllocator, schema)
	defer b.Release()
	fill(b)
	return b.NewRecordBatch()
}

// appendRows appends rows to a table.
func appendRows(t *testing.T, tbl *table.Table, fill func(b *array.RecordBuilder)) {
	t.Helper()
	batch := rowsOf(t, tbl, fill)
	rdr, err := array.NewRecordReader(batch.Schema(), []arrow.RecordBatch{batch})
	if err != nil {
		t.Fatal(err)
	}
	defer rdr.Release()
	commitWith(t, tbl, func(tx *table.Transaction) error { return tx.Append(context.Background(), rdr, nil) })
}

// deleteByKeys deletes rows of a table by equality of the fields of those ids, and
// of its partition.
func deleteByKeys(t *testing.T, tbl *table.Table, fields []int, fill func(b *array.RecordBuilder)) {
	t.Helper()
	full := rowsOf(t, tbl, fill)
	wanted := slices.Clone(fields)
	spec := tbl.Spec()
	for _, f := range spec.Fields() {
		wanted = append(wanted, f.SourceIDs[0])
	}
	var columns []arrow.Field
	var arrays []arrow.Array
	for i, f := range tbl.Schema().Fields() {
		if slices.Contains(wanted, f.ID) {
			columns, arrays = append(columns, full.Schema().Field(i)), append(arrays, full.Column(i))
		}
	}
	batch := array.NewRecordBatch(arrow.NewSchema(columns, nil), arrays, full.NumRows())
	var records iter.Seq2[arrow.RecordBatch, error] = func(yield func(arrow.RecordBatch, error) bool) { yield(batch, nil) }
	commitWith(t, tbl, func(tx *table.Transaction) error {
		return tx.CommitEqualityDeletes(context.Background(), fields, records, nil)
	})
}

func commitWith(t *testing.T, tbl *table.Table, do func(tx *table.Transaction) error) {
	t.Helper()
	tx := tbl.NewTransaction()
	if err := do(tx); err != nil {
		t.Fatal(err)
	}
	if _, err := tx.Commit(context.Background()); err != nil {
		t.Fatal(err)
	}
}

// addKeys adds an equality delete file by some columns, as no library would write
// it that refuses floating-point keys.
func (g *ground) addKeys(columns []string, fill func(b *array.RecordBuilder)) {
	g.t.Helper()
	tbl := g.load()
	path, rows, size, ids := g.parquet(columns, fill)
	df, err := iceberg.NewDataFileBuilder(tbl.Spec(), iceberg.EntryContentEqDeletes, path, iceberg.ParquetFile, nil, nil, nil, rows, size)
	if err != nil {
		g.t.Fatal(err)
	}
	add := maintenance.Replace{
		Branch: table.MainBranch, Since: tbl.CurrentSnapshot().SnapshotID,
		AddDeletes: []maintenance.NewDeleteFile{{File: df.EqualityFieldIDs(ids).Build(), Sequence: tbl.Metadata().LastSequenceNumber() + 1}},
	}
	if _, err := maintenance.Commit(g.t.Context(), env(g.c), g.ident, add.Build(env(g.c))); err != nil {
		g.t.Fatal(err)
	}
}

// importFile adds a data file of a partition that has only some columns, as one of Hive.
func (g *ground) importFile(partition map[int]any, columns []string, fill func(b *array.RecordBuilder)) {
	g.t.Helper()
	path, rows, size, _ := g.parquet(columns, fill)
	df, err := iceberg.NewDataFileBuilder(g.load().Spec(), iceberg.EntryContentData, path, iceberg.ParquetFile, partition, nil, nil, rows, size)
	if err != nil {
		g.t.Fatal(err)
	}
	g.change(func(tx *table.Transaction) error {
		return tx.AddDataFiles(g.t.Context(), []iceberg.DataFile{df.Build()}, nil)
	})
}

// parquet writes a file with some of the table's columns.
func (g *ground) parquet(columns []string, fill func(b *array.RecordBuilder)) (path string, rows, size int64, ids []int) {
	g.t.Helper()
	tbl := g.load()
	var fields []iceberg.NestedField
	for _, name := range columns {
		f, ok := tbl.Schema().FindFieldByName(name)
		if !ok {
			g.t.Fatalf("no column %q", name)
		}
		fields, ids = append(fields, f), append(ids, f.ID)
	}
	schema, err := table.SchemaToArrowSchema(iceberg.NewSchema(0, fields...), nil, true, false)
	if err != nil {
		g.t.Fatal(err)
	}
	b := array.NewRecordBuilder(memory.DefaultAllocator, schema)
	defer b.Release()
	fill(b)
	batch := b.NewRecordBatch()
	path = filepath.Join(g.dir, fmt.Sprintf("own-%d.parquet", tbl.Metadata().LastSequenceNumber()))
	file, err := os.Create(path)
	if err != nil {
		g.t.Fatal(err)
	}
	if err := pqarrow.WriteTable(array.NewTableFromRecords(schema, []arrow.RecordBatch{batch}), file, 1000, nil, pqarrow.DefaultWriterProps()); err != nil {
		g.t.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil {
		g.t.Fatal(err)
	}
	return "file://" + path, batch.NumRows(), info.Size(), ids
}

// ownRows are the rows as Firn reads them, a line for each, sorted.
func (g *ground) ownRows() []string {
	g.t.Helper()
	tbl := g.load()
	tasks, err := tbl.Scan().PlanFiles(g.t.Context())
	if err != nil {
		g.t.Fatal(err)
	}
	rows, _ := readAll(g.t, tbl, tasks, datafile.Options{})
	return rows
}
