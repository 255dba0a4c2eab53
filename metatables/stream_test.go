package metatables

import (
	"bytes"
	"context"
	"errors"
	"iter"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/iceberg-go"

	"github.com/firndb/firn/maintenance/manifest"
)

// testColumns has a column of each kind of the files tables.
func testColumns(t *testing.T) []column[fileBatch] {
	t.Helper()
	columns, err := contentFileColumns(keptTable(t))
	if err != nil {
		t.Fatal(err)
	}
	return append(columns, structColumn(required(field(1, "all", "")), columns))
}

// testBatch is the rows of a manifest of n files.
func testBatch(t *testing.T, n int) fileBatch {
	t.Helper()
	id := int64(1)
	builder, err := iceberg.NewDataFileBuilder(*iceberg.UnpartitionedSpec, iceberg.EntryContentData, "a/b", iceberg.ParquetFile, nil, nil, nil, 1, 1)
	if err != nil {
		t.Fatal(err)
	}
	file := builder.ColumnSizes(map[int]int64{1: 2, 3: 4}).LowerBoundValues(map[int][]byte{1: {1, 0, 0, 0}}).SplitOffsets([]int64{4}).KeyMetadata([]byte{7}).Build()
	var entries []iceberg.ManifestEntry
	for range n {
		entries = append(entries, iceberg.NewManifestEntryBuilder(iceberg.EntryStatusADDED, &id, file).Build())
	}
	var content bytes.Buffer
	m, err := iceberg.WriteManifest("m", &content, 2, *iceberg.UnpartitionedSpec, keptTable(t).Schema(), 1, entries)
	if err != nil {
		t.Fatal(err)
	}
	batch := fileBatch{manifest: m}
	var leaves []manifest.Leaf
	for _, c := range testColumns(t) {
		leaves = append(leaves, c.allLeaves()...)
	}
	if err := manifest.Read(context.Background(), &content, m, &manifest.Schemas{}, leaves, func(b *manifest.Block) error {
		batch.block = b
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	for i := range n {
		batch.rows = append(batch.rows, int32(i))
	}
	return batch
}

// streamed makes record batches of rows.
func streamed[R any](ctx context.Context, alloc memory.Allocator, columns []column[[]R], rows iter.Seq2[R, error]) iter.Seq2[arrow.RecordBatch, error] {
	batchers, err := newBatchers(alloc, columns)
	if err != nil {
		return failed[arrow.RecordBatch](err)
	}
	return gathered(func(context.Context, scan) iter.Seq2[R, error] { return rows })(ctx, scan{}, batchers)
}

// numberColumns show a number, alone and in a struct.
func numberColumns() []column[[]int] {
	columns := []column[[]int]{
		longColumn(required(field(1, "number", "")), func(n int) (int64, bool) { return int64(n), true }),
		stringColumn(field(2, "text", ""), func(n int) (string, bool) { return "x", n%2 == 0 }),
	}
	return append(columns, structColumn(required(field(3, "all", "")), []column[[]int]{
		longColumn(field(4, "number", ""), func(n int) (int64, bool) { return int64(n), true }),
	}))
}

func testNumbers(n int, after error) iter.Seq2[int, error] {
	return func(yield func(int, error) bool) {
		for i := range n {
			if !yield(i, nil) {
				return
			}
		}
		if after != nil {
			yield(0, after)
		}
	}
}

func TestStreamMakesBoundedBatches(t *testing.T) {
	for _, n := range []int{0, 1, batchRows, batchRows + 1, 3*batchRows - 1} {
		rows := 0
		for batch, err := range streamed(context.Background(), memory.DefaultAllocator, numberColumns(), testNumbers(n, nil)) {
			if err != nil {
				t.Fatal(err)
			}
			if batch.NumRows() == 0 || batch.NumRows() > batchRows {
				t.Errorf("a batch of %d rows", batch.NumRows())
			}
			rows += int(batch.NumRows())
			batch.Release()
		}
		if rows != n {
			t.Errorf("%d rows of %d", rows, n)
		}
	}
}

// TestStreamReleases: at the end, at an error, and when the consumer stops.
func TestStreamReleases(t *testing.T) {
	failure := errors.New("failure")
	for name, test := range map[string]struct {
		rows  int
		after error
		stop  bool
		want  error
	}{
		"end":   {rows: 2*batchRows + 5},
		"error": {rows: batchRows + 5, after: failure, want: failure},
		"stop":  {rows: 3 * batchRows, stop: true},
	} {
		alloc := memory.NewCheckedAllocator(memory.NewGoAllocator())
		var got error
		for batch, err := range streamed(context.Background(), alloc, numberColumns(), testNumbers(test.rows, test.after)) {
			if got = err; err != nil {
				continue
			}
			batch.Release()
			if test.stop {
				break
			}
		}
		if !errors.Is(got, test.want) {
			t.Errorf("%s: got %v", name, got)
		}
		alloc.AssertSize(t, 0)
	}
}

// TestBatcherReleases: also of what narrowed structs leave out.
func TestBatcherReleases(t *testing.T) {
	alloc := memory.NewCheckedAllocator(memory.NewGoAllocator())
	columns, err := narrowed(testColumns(t), []string{"readable_metrics.id.lower_bound", "all.file_path", "all.readable_metrics.tags.element"})
	if err != nil {
		t.Fatal(err)
	}
	pool, err := newBatchers(alloc, columns)
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range []int{3, batchRows, 1} {
		b := pool.take()
		batch, err := b.batch(testBatch(t, n), n)
		if err != nil {
			t.Fatal(err)
		}
		if batch.NumRows() != int64(n) || batch.NumCols() != int64(len(columns)) {
			t.Errorf("%d rows and %d columns", batch.NumRows(), batch.NumCols())
		}
		batch.Release()
		pool.give(b)
	}
	pool.release()
	alloc.AssertSize(t, 0)
}

// TestWrongBuilder: a declaration whose type and values do not fit is an error
// of every row and no panic, and what was made before is released.
func TestWrongBuilder(t *testing.T) {
	batch := testBatch(t, 2)
	for _, c := range testColumns(t) {
		if c.write == nil {
			continue
		}
		alloc := memory.NewCheckedAllocator(memory.NewGoAllocator())
		c.field.Type = iceberg.PrimitiveTypes.Date
		pool, err := newBatchers(alloc, []column[fileBatch]{c})
		if err != nil {
			t.Fatal(err)
		}
		b := pool.take()
		if _, err := b.batch(batch, 2); err == nil {
			t.Errorf("column %s was written as a date", c.field.Name)
		}
		b.release()
		alloc.AssertSize(t, 0)
	}
}

func TestArrowSchemaHasFieldIDs(t *testing.T) {
	schema, err := arrowSchema(statisticsColumns())
	if err != nil {
		t.Fatal(err)
	}
	if id, _ := schema.Field(0).Metadata.GetValue("PARQUET:field_id"); id != "108" || schema.Field(0).Type.ID() != arrow.MAP {
		t.Errorf("%s", schema)
	}
}
