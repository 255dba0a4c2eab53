package metatables

import (
	"context"
	"errors"
	"iter"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/iceberg-go"
)

// testColumns has a column of each kind that is built by hand.
func testColumns() []column[fileRow] {
	columns := append(statisticsColumns(), restColumns()...)
	return append(columns, structColumn(required(field(1, "all", "")), append(statisticsColumns(), restColumns()...)))
}

func testRows(t *testing.T, n int, after error) iter.Seq2[fileRow, error] {
	t.Helper()
	builder, err := iceberg.NewDataFileBuilder(*iceberg.UnpartitionedSpec, iceberg.EntryContentData, "a", iceberg.ParquetFile, nil, nil, nil, 1, 1)
	if err != nil {
		t.Fatal(err)
	}
	file := builder.ColumnSizes(map[int]int64{1: 2, 3: 4}).LowerBoundValues(map[int][]byte{1: {1}}).SplitOffsets([]int64{4}).KeyMetadata([]byte{7}).Build()
	return func(yield func(fileRow, error) bool) {
		for range n {
			if !yield(fileRow{file: file}, nil) {
				return
			}
		}
		if after != nil {
			yield(fileRow{}, after)
		}
	}
}

func TestStreamMakesBoundedBatches(t *testing.T) {
	for _, n := range []int{0, 1, batchRows, batchRows + 1, 3*batchRows - 1} {
		rows := 0
		for batch, err := range stream(context.Background(), memory.DefaultAllocator, testColumns(), testRows(t, n, nil)) {
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
		for batch, err := range stream(context.Background(), alloc, testColumns(), testRows(t, test.rows, test.after)) {
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

// TestStreamRefusesAWrongBuilder: a declaration whose type and values do not
// fit is an error of every row and no panic.
func TestStreamRefusesAWrongBuilder(t *testing.T) {
	for _, c := range testColumns() {
		c.field.Type = iceberg.PrimitiveTypes.Date
		var got error
		for batch, err := range stream(context.Background(), memory.DefaultAllocator, []column[fileRow]{c}, testRows(t, 1, nil)) {
			if got = err; err == nil {
				batch.Release()
			}
		}
		if got == nil {
			t.Errorf("column %s was written as a date", c.field.Name)
		}
	}
}

func TestArrowSchemaHasFieldIDs(t *testing.T) {
	schema, err := arrowSchema(testColumns())
	if err != nil {
		t.Fatal(err)
	}
	if id, _ := schema.Field(0).Metadata.GetValue("PARQUET:field_id"); id != "108" || schema.Field(0).Type.ID() != arrow.MAP {
		t.Errorf("%s", schema)
	}
}
