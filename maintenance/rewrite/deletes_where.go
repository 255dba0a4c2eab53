package rewrite

import (
	"fmt"

	"github.com/apache/iceberg-go"
	"github.com/apache/iceberg-go/table"

	"github.com/firndb/firn/maintenance"
)

// partitionFilter tells which partitions may have a row for which a condition on
// rows holds (Java's inclusive Projections). What the condition says about
// other columns than those of partitions is left out.
type partitionFilter struct {
	meta  table.Metadata
	where iceberg.BooleanExpression
	specs map[int32]*specFilter
}

// specFilter is the condition on partitions of one spec.
type specFilter struct {
	ids  []int
	test func(iceberg.StructLike) (bool, error)
}

// newPartitionFilter prepares a condition, which may be nil.
func newPartitionFilter(meta table.Metadata, where iceberg.BooleanExpression) (*partitionFilter, error) {
	f := &partitionFilter{meta: meta, specs: map[int32]*specFilter{}}
	if where == nil {
		return f, nil
	}
	positive, err := iceberg.RewriteNotExpr(where)
	if err == nil {
		f.where, err = iceberg.BindExpr(meta.CurrentSchema(), positive, false)
	}
	if err != nil {
		return nil, fmt.Errorf("%w: condition %s: %w", maintenance.ErrInvalid, where, err)
	}
	return f, nil
}

// admits says whether a file's partition may have a matching row.
func (f *partitionFilter) admits(df iceberg.DataFile) (bool, error) {
	if f.where == nil {
		return true, nil
	}
	spec := f.specs[df.SpecID()]
	if spec == nil {
		var err error
		if spec, err = f.forSpec(df.SpecID()); err != nil {
			return false, err
		}
		f.specs[df.SpecID()] = spec
	}
	return spec.test(partitionValues{spec.ids, df.Partition()})
}

func (f *partitionFilter) forSpec(id int32) (*specFilter, error) {
	spec := f.meta.PartitionSpecByID(int(id))
	if spec == nil {
		return nil, fmt.Errorf("%w: the table has no partition spec %d", maintenance.ErrUnsupported, id)
	}
	schema := f.meta.CurrentSchema()
	out := &specFilter{}
	var fields []iceberg.NestedField
	for i := range spec.NumFields() {
		field := spec.Field(i)
		// A condition cannot be about a column that is gone.
		if source, ok := schema.FindTypeByID(field.SourceID()); ok {
			fields = append(fields, iceberg.NestedField{ID: field.FieldID, Name: field.Name, Type: field.Transform.ResultType(source)})
			out.ids = append(out.ids, field.FieldID)
		}
	}
	projected, err := iceberg.VisitExpr(f.where, projection{spec})
	if err != nil {
		return nil, fmt.Errorf("%w: condition %s on partitions of spec %d: %w", maintenance.ErrInvalid, f.where, id, err)
	}
	out.test, err = iceberg.ExpressionEvaluator(iceberg.NewSchema(0, fields...), projected, true)
	if err != nil {
		return nil, fmt.Errorf("%w: condition %s on partitions of spec %d: %w", maintenance.ErrInvalid, f.where, id, err)
	}
	return out, nil
}

// projection turns a bound condition on rows without NOT into one on partitions.
type projection struct{ spec *iceberg.PartitionSpec }

func (projection) VisitTrue() iceberg.BooleanExpression  { return iceberg.AlwaysTrue{} }
func (projection) VisitFalse() iceberg.BooleanExpression { return iceberg.AlwaysFalse{} }
func (projection) VisitAnd(left, right iceberg.BooleanExpression) iceberg.BooleanExpression {
	return iceberg.NewAnd(left, right)
}

func (projection) VisitOr(left, right iceberg.BooleanExpression) iceberg.BooleanExpression {
	return iceberg.NewOr(left, right)
}

// Neither a NOT nor an unbound predicate is left; all partitions would be right.
func (projection) VisitNot(iceberg.BooleanExpression) iceberg.BooleanExpression {
	return iceberg.AlwaysTrue{}
}

func (projection) VisitUnbound(iceberg.UnboundPredicate) iceberg.BooleanExpression {
	return iceberg.AlwaysTrue{}
}

// VisitBound projects a predicate by every partition field of its column. What
// cannot be projected admits all partitions.
func (p projection) VisitBound(pred iceberg.BoundPredicate) iceberg.BooleanExpression {
	result := iceberg.BooleanExpression(iceberg.AlwaysTrue{})
	for _, field := range p.spec.FieldsBySourceID(pred.Term().Ref().Field().ID) {
		projected, err := field.Transform.Project(field.Name, pred)
		if err == nil && projected != nil {
			result = iceberg.NewAnd(result, projected)
		}
	}
	return result
}

// partitionValues are partition values in the order of ids.
type partitionValues struct {
	ids    []int
	values map[int]any
}

func (p partitionValues) Size() int     { return len(p.ids) }
func (p partitionValues) Get(i int) any { return p.values[p.ids[i]] }
func (p partitionValues) Set(int, any)  {}
