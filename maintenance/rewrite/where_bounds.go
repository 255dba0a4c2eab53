package rewrite

import (
	"cmp"
	"math"
	"slices"

	"github.com/apache/iceberg-go"
)

// mayHold says whether a comparison can be true of a row of the file, by Java's
// InclusiveMetricsEvaluator and, where the file's spec partitions by the column
// itself, by the partition's value.
func (r *reducer) mayHold(predicate iceberg.BoundPredicate, values []iceberg.Literal) bool {
	op, field := predicate.Op(), predicate.Ref().Field()
	negative := op == iceberg.OpNEQ || op == iceberg.OpNotIn
	if value, ok := r.identity(field.ID); ok {
		at := literalOf(value)
		switch {
		case value == nil:
			return negative
		case at != nil && negative:
			return !slices.ContainsFunc(values, func(v iceberg.Literal) bool { return order(at, v) == 0 })
		case at != nil:
			return between(op, at, at, values)
		}
	}
	rows, counted := r.file.ValueCounts()[field.ID]
	if counted && (r.file.NullValueCounts()[field.ID] == rows || r.file.NaNValueCounts()[field.ID] == rows) {
		return negative
	}
	lower := boundOf(field.Type, r.file.LowerBoundValues()[field.ID])
	upper := boundOf(field.Type, r.file.UpperBoundValues()[field.ID])
	return between(op, lower, upper, values)
}

// identity is the partition value of a column by which the file's spec
// partitions.
func (r *reducer) identity(id int) (any, bool) {
	spec := r.meta.PartitionSpecByID(int(r.file.SpecID()))
	if spec == nil {
		return nil, false
	}
	for _, f := range spec.Fields() {
		if _, ok := f.Transform.(iceberg.IdentityTransform); ok && len(f.SourceIDs) == 1 && f.SourceIDs[0] == id {
			return r.file.Partition()[f.FieldID], true
		}
	}
	return nil, false
}

// between compares what lies between two bounds, of which either may be
// unknown, with values.
func between(op iceberg.Operation, lower, upper iceberg.Literal, values []iceberg.Literal) bool {
	switch op {
	case iceberg.OpLT:
		return lower == nil || order(lower, values[0]) < 0
	case iceberg.OpLTEQ:
		return lower == nil || order(lower, values[0]) <= 0
	case iceberg.OpGT:
		return upper == nil || order(upper, values[0]) > 0
	case iceberg.OpGTEQ:
		return upper == nil || order(upper, values[0]) >= 0
	case iceberg.OpEQ, iceberg.OpIn:
		return slices.ContainsFunc(values, func(v iceberg.Literal) bool {
			return (lower == nil || order(lower, v) <= 0) && (upper == nil || order(upper, v) >= 0)
		})
	}
	return true
}

// boundOf reads a bound of a column that is of a type now; nil if it is not
// known, or is NaN.
func boundOf(typ iceberg.Type, data []byte) iceberg.Literal {
	if len(data) == 4 {
		switch typ.(type) {
		case iceberg.Int64Type:
			typ = iceberg.PrimitiveTypes.Int32
		case iceberg.Float64Type:
			typ = iceberg.PrimitiveTypes.Float32
		}
	}
	lit, err := iceberg.LiteralFromBytes(typ, data)
	if err != nil {
		return nil
	}
	return literalOf(lit.Any())
}

// literalOf is a value of a promoted column or of the type that it had, as a
// literal of the wider one; nil if that cannot be compared.
func literalOf(value any) iceberg.Literal {
	switch v := value.(type) {
	case int32:
		return iceberg.NewLiteral(int64(v))
	case int64:
		return iceberg.NewLiteral(v)
	case float32:
		return literalOf(float64(v))
	case float64:
		if !math.IsNaN(v) {
			return iceberg.NewLiteral(v)
		}
	case iceberg.Timestamp:
		return iceberg.NewLiteral(v)
	case iceberg.TimestampNano:
		return iceberg.NewLiteral(v)
	}
	return nil
}

// order compares two literals of the same type.
func order(a, b iceberg.Literal) int {
	switch a := a.Any().(type) {
	case int64:
		return compareTo(a, b)
	case float64:
		return compareTo(a, b)
	case iceberg.Timestamp:
		return compareTo(a, b)
	case iceberg.TimestampNano:
		return compareTo(a, b)
	}
	return 0
}

func compareTo[T cmp.Ordered](a T, b iceberg.Literal) int {
	v, _ := b.Any().(T)
	return cmp.Compare(a, v)
}
