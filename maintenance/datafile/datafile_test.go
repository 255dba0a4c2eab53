package datafile

import (
	"context"
	"errors"
	"math"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/iceberg-go"
	"github.com/apache/iceberg-go/table"
)

// TestInOrder reads tasks that end out of order, fail, or panic, and wants their
// batches in order, or the first error.
func TestInOrder(t *testing.T) {
	builder, err := iceberg.NewDataFileBuilder(*iceberg.UnpartitionedSpec, iceberg.EntryContentData, "f.parquet", iceberg.ParquetFile, nil, nil, nil, 1, 1)
	if err != nil {
		t.Fatal(err)
	}
	file := builder.Build()
	tasks := make([]table.FileScanTask, 9)
	for i := range tasks {
		tasks[i].Start = int64(i)
		tasks[i].File = file
	}
	failed := errors.New("failed")
	for _, test := range []struct {
		name string
		at   int64
		do   func() error
		err  bool
	}{
		{"all", -1, nil, false},
		{"an error", 5, func() error { return failed }, true},
		{"a panic", 3, func() error { panic("damaged") }, true},
	} {
		var got []int64
		var end error
		for batch, err := range inOrder(context.Background(), 4, tasks, func(_ context.Context, task table.FileScanTask, emit func(arrow.RecordBatch) error) error {
			if task.Start == test.at {
				return test.do()
			}
			return errors.Join(emit(numbers(task.Start)), emit(numbers(task.Start)))
		}) {
			if end = err; err != nil {
				break
			}
			got = append(got, batch.Column(0).(*array.Int64).Value(0))
			batch.Release()
		}
		want := len(tasks) * 2
		if test.err {
			want = int(test.at) * 2
		}
		if len(got) != want || (end != nil) != test.err {
			t.Errorf("%s: %d batches and error %v, want %d", test.name, len(got), end, want)
		}
		for i, n := range got {
			if n != int64(i/2) {
				t.Errorf("%s: batch %d is of task %d", test.name, i, n)
			}
		}
	}
}

// TestInOrderEnds stops in the middle and wants all readers to have ended.
func TestInOrderEnds(t *testing.T) {
	running := make(chan struct{}, 100)
	for batch, err := range inOrder(context.Background(), 4, make([]table.FileScanTask, 50), func(ctx context.Context, _ table.FileScanTask, emit func(arrow.RecordBatch) error) error {
		running <- struct{}{}
		defer func() { <-running }()
		for {
			if err := emit(numbers(1)); err != nil {
				return err
			}
		}
	}) {
		if err != nil {
			t.Fatal(err)
		}
		batch.Release()
		break
	}
	if n := len(running); n != 0 {
		t.Errorf("%d readers still run", n)
	}
}

func numbers(values ...int64) arrow.RecordBatch {
	b := array.NewInt64Builder(memory.DefaultAllocator)
	defer b.Release()
	b.AppendValues(values, nil)
	column := b.NewArray()
	defer column.Release()
	schema := arrow.NewSchema([]arrow.Field{{Name: "n", Type: arrow.PrimitiveTypes.Int64}}, nil)
	return array.NewRecordBatch(schema, []arrow.Array{column}, int64(len(values)))
}

// TestKeys wants keys to be equal where values are, as Java's StructLikeSet has
// it.
func TestKeys(t *testing.T) {
	b := array.NewFloat64Builder(memory.DefaultAllocator)
	defer b.Release()
	values := []float64{0, math.Copysign(0, -1), math.NaN(), math.Float64frombits(math.Float64bits(math.NaN()) + 1), 1}
	b.AppendValues(values, nil)
	b.AppendNull()
	column := b.NewArray()
	defer column.Release()
	batch := array.NewRecordBatch(arrow.NewSchema([]arrow.Field{{Name: "f", Type: arrow.PrimitiveTypes.Float64, Nullable: true}}, nil), []arrow.Array{column}, 6)
	defer batch.Release()
	encode, err := newEncoder(batch)
	if err != nil {
		t.Fatal(err)
	}
	keys := map[string]bool{}
	for i := range 6 {
		keys[string(encode(nil, i))] = true
	}
	if len(keys) != 5 {
		t.Errorf("%d different keys, want 5: only the two NaNs are equal", len(keys))
	}
}

// TestDecimals reads two's complement of any length.
func TestDecimals(t *testing.T) {
	b := array.NewDecimal128Builder(memory.DefaultAllocator, &arrow.Decimal128Type{Precision: 38, Scale: 2})
	defer b.Release()
	for _, digits := range [][]byte{{0x01}, {0xff}, {0xff, 0x38}, {0, 0, 0, 0xc8}, {}} {
		if err := decimalValue(2).append(b, digits); err != nil {
			t.Fatal(err)
		}
	}
	column := b.NewDecimal128Array()
	defer column.Release()
	for i, want := range []int64{1, -1, -200, 200, 0} {
		if got := column.Value(i).BigInt().Int64(); got != want {
			t.Errorf("decimal %d is %d, want %d", i, got, want)
		}
	}
	if err := decimalValue(0).append(b, make([]byte, 40)); err != nil {
		t.Errorf("zero in forty bytes: %v", err)
	}
	long := make([]byte, 40)
	long[0] = 1
	if decimalValue(0).append(b, long) == nil {
		t.Error("a decimal of more than 38 digits is read")
	}
}

// TestMetadataColumns wants lineage from version 3 on only.
func TestMetadataColumns(t *testing.T) {
	for version, want := range map[int]int{1: 5, 2: 5, 3: 7} {
		if got := len(MetadataColumns(version, &iceberg.StructType{})); got != want {
			t.Errorf("version %d has %d metadata columns, want %d", version, got, want)
		}
	}
}
