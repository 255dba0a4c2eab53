package maintenance

import (
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/apache/arrow-go/v18/arrow/decimal128"
	"github.com/apache/iceberg-go"
)

func TestPartitionKeysAreInTheOrderOfValues(t *testing.T) {
	for name, values := range map[string][]any{
		"whole":   {int64(math.MinInt64), int32(-5), int64(-1), int32(0), int64(7), int32(1 << 20), int64(math.MaxInt64)},
		"float":   {math.Inf(-1), float32(-2), -1.5, math.Copysign(0, -1), 0.0, float32(0.5), math.Inf(1), math.NaN()},
		"text":    {"", "\x00", "\x00a", "a", "a\x00", "a\x00b", "aa", "b", "é", "\xff"},
		"bytes":   {[]byte{}, []byte{0}, []byte{0, 1}, []byte{1}, []byte{0xff, 0}},
		"bool":    {false, true},
		"dates":   {iceberg.Date(-3), iceberg.Date(0), iceberg.Date(9)},
		"decimal": {dec(-1 << 40), dec(-7), dec(0), dec(3), dec(1 << 50)},
	} {
		var keys []string
		for _, v := range values {
			keys = append(keys, string(appendOrdered(nil, v)))
		}
		if !slices.IsSorted(keys) || len(slices.Compact(keys)) != len(values) {
			t.Errorf("%s: the keys of %v are %q", name, values, keys)
		}
	}
}

func dec(n int64) iceberg.Decimal { return iceberg.Decimal{Val: decimal128.FromI64(n), Scale: 2} }

// TestManifestOfAnotherSpec is of field reports, 103: a partition without a value
// for a field of the spec is an error, not a null.
func TestManifestOfAnotherSpec(t *testing.T) {
	field := func(id int, name string, transform iceberg.Transform) iceberg.PartitionField {
		return iceberg.PartitionField{SourceIDs: []int{1}, FieldID: id, Name: name, Transform: transform}
	}
	spec := iceberg.NewPartitionSpec(field(1000, "a", iceberg.IdentityTransform{}), field(1001, "b", iceberg.IdentityTransform{}), field(1002, "c", iceberg.VoidTransform{}))
	order, err := newPartitionOrder(spec, nil)
	if err != nil {
		t.Fatal(err)
	}
	file := func(partition map[int]any) iceberg.DataFile {
		b, err := iceberg.NewDataFileBuilder(spec, iceberg.EntryContentData, "f", iceberg.ParquetFile, partition, nil, nil, 1, 1)
		if err != nil {
			t.Fatal(err)
		}
		return b.Build()
	}
	if _, err := order.key(file(map[int]any{1000: int64(1)}).Partition()); !errors.Is(err, ErrCorrupt) {
		t.Errorf("got %v", err)
	}
	null, err := order.key(file(map[int]any{1000: nil, 1001: int64(1)}).Partition())
	if err != nil {
		t.Fatal(err)
	}
	least, err := order.key(file(map[int]any{1000: int64(math.MinInt64), 1001: nil}).Partition())
	if err != nil || null >= least {
		t.Errorf("null %q is not before %q (%v)", null, least, err)
	}
}
