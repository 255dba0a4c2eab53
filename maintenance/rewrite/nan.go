package rewrite

import (
	"math"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/iceberg-go"
)

// nanColumn is a floating-point column, found by the indices that lead to it
// through structs.
type nanColumn struct {
	id   int
	path []int
}

// nanColumns lists the float and double columns that are not inside lists or
// maps.
func nanColumns(schema *iceberg.Schema, as *arrow.Schema) []nanColumn {
	var out []nanColumn
	var walk func(fields []iceberg.NestedField, path []int)
	walk = func(fields []iceberg.NestedField, path []int) {
		for i, f := range fields {
			at := append(append([]int(nil), path...), i)
			switch t := f.Type.(type) {
			case iceberg.Float32Type, iceberg.Float64Type:
				out = append(out, nanColumn{id: f.ID, path: at})
			case *iceberg.StructType:
				walk(t.FieldList, at)
			}
		}
	}
	walk(schema.Fields(), nil)
	return out
}

// countNaNs adds the NaNs of a batch to counts, column by column.
func countNaNs(columns []nanColumn, batch arrow.RecordBatch, counts []int64) {
	for i, c := range columns {
		chain := []arrow.Array{batch.Column(c.path[0])}
		for _, at := range c.path[1:] {
			s, ok := chain[len(chain)-1].(*array.Struct)
			if !ok {
				break
			}
			chain = append(chain, s.Field(at))
		}
		if len(chain) == len(c.path) {
			counts[i] += nansIn(chain)
		}
	}
}

// nansIn counts the NaNs of the last array where neither it nor a struct around
// it is null.
func nansIn(chain []arrow.Array) int64 {
	leaf := chain[len(chain)-1]
	var isNaN func(int) bool
	switch a := leaf.(type) {
	case *array.Float32:
		isNaN = func(i int) bool { return math.IsNaN(float64(a.Value(i))) }
	case *array.Float64:
		isNaN = func(i int) bool { return math.IsNaN(a.Value(i)) }
	default:
		return 0
	}
	var n int64
rows:
	for i := range leaf.Len() {
		if !isNaN(i) {
			continue
		}
		for _, a := range chain {
			if a.IsNull(i) {
				continue rows
			}
		}
		n++
	}
	return n
}
