package sortorder

import (
	"fmt"
	"slices"
	"strings"

	"github.com/apache/iceberg-go"
	"github.com/apache/iceberg-go/table"

	"github.com/firndb/firn/maintenance"
	"github.com/firndb/firn/spelling"
)

// Bound is an order whose columns are known by their ids.
type Bound struct {
	// Curve is None for an order of Fields, else the order is that of the curve
	// over Columns, which are field ids.
	Curve   Curve
	Columns []int
	Fields  []table.SortField
	// ID is the id of the table's sort order that has these fields, 0 if there
	// is none.
	ID int

	text string
}

// String is the order as a person writes it.
func (b Bound) String() string { return b.text }

// Table is the order that a table has of its own. The error wraps
// maintenance.ErrInvalid if it has none.
func Table(meta table.Metadata, name string) (Bound, error) {
	var fields []table.SortField
	for _, f := range meta.SortOrder().Fields() {
		fields = append(fields, f)
	}
	if len(fields) == 0 {
		return Bound{}, fmt.Errorf("%w: table %q has no sort order and no argument %q is given; one of them must say how to sort", maintenance.ErrInvalid, name, "sort_order")
	}
	return bind(meta, fields)
}

// Bind finds the columns of an order in a table's current schema, fields by
// their exact names and the columns of a curve in any case, as in Spark. The
// error wraps maintenance.ErrInvalid and names the column.
func (o Order) Bind(meta table.Metadata) (Bound, error) {
	if o.Curve != None {
		return o.bindCurve(meta)
	}
	schema := meta.CurrentSchema()
	fields := make([]table.SortField, len(o.Fields))
	for i, f := range o.Fields {
		column, ok := schema.FindFieldByName(f.Column)
		if !ok {
			return Bound{}, noColumn(schema, f.Column)
		}
		fields[i] = table.SortField{SourceIDs: []int{column.ID}, Transform: f.Transform, Direction: f.Direction, NullOrder: f.Nulls}
	}
	return bind(meta, fields)
}

// bind checks fields and finds the table's order that they are.
func bind(meta table.Metadata, fields []table.SortField) (Bound, error) {
	schema := meta.CurrentSchema()
	b := Bound{Fields: fields}
	terms := make([]string, len(fields))
	for i, f := range fields {
		name, ok := schema.FindColumnName(f.SourceID())
		if !ok || len(f.SourceIDs) != 1 {
			return Bound{}, fmt.Errorf("%w: field %d of the sort order has no column in the table's schema", maintenance.ErrUnsupported, i+1)
		}
		typ, err := sortable(schema, name, f.SourceID())
		if err != nil {
			return Bound{}, err
		}
		if _, unknown := f.Transform.(iceberg.UnknownTransform); unknown {
			return Bound{}, fmt.Errorf("%w: the sort order has the unknown transform %q of column %q", maintenance.ErrUnsupported, f.Transform, name)
		}
		if !f.Transform.CanTransform(typ) {
			return Bound{}, fmt.Errorf("%w: column %q of type %s cannot be sorted by %s of it", maintenance.ErrInvalid, name, typ, f.Transform)
		}
		terms[i] = term(name, f)
	}
	b.text = strings.Join(terms, ", ")
	for _, order := range meta.SortOrders() {
		var own []table.SortField
		for _, f := range order.Fields() {
			own = append(own, f)
		}
		if slices.EqualFunc(own, fields, table.SortField.Equals) {
			b.ID = order.OrderID()
			break
		}
	}
	return b, nil
}

// term writes a field as in a sort order.
func term(name string, f table.SortField) string {
	switch t := f.Transform.(type) {
	case iceberg.IdentityTransform:
	case iceberg.BucketTransform:
		name = fmt.Sprintf("bucket(%d, %s)", t.NumBuckets, name)
	case iceberg.TruncateTransform:
		name = fmt.Sprintf("truncate(%d, %s)", t.Width, name)
	default:
		name = fmt.Sprintf("%ss(%s)", t, name)
	}
	nulls := "FIRST"
	if f.NullOrder == table.NullsLast {
		nulls = "LAST"
	}
	return fmt.Sprintf("%s %s NULLS %s", name, strings.ToUpper(string(f.Direction)), nulls)
}

// bindCurve leaves out columns that the current spec partitions by: they have
// one value in all files of a group.
func (o Order) bindCurve(meta table.Metadata) (Bound, error) {
	schema := meta.CurrentSchema()
	b := Bound{Curve: o.Curve}
	var names []string
	for _, column := range o.Columns {
		field, ok := schema.FindFieldByNameCaseInsensitive(column)
		if !ok {
			return Bound{}, noColumn(schema, column)
		}
		name, _ := schema.FindColumnName(field.ID)
		if _, err := sortable(schema, name, field.ID); err != nil {
			return Bound{}, err
		}
		if !identityPartition(meta.PartitionSpec(), field.ID) {
			b.Columns = append(b.Columns, field.ID)
			names = append(names, name)
		}
	}
	if len(b.Columns) == 0 {
		return Bound{}, fmt.Errorf("%w: %s orders rows within a partition, and all of its columns are partition columns", maintenance.ErrInvalid, o.Curve)
	}
	b.text = fmt.Sprintf("%s(%s)", o.Curve, strings.Join(names, ", "))
	return b, nil
}

func identityPartition(spec iceberg.PartitionSpec, id int) bool {
	for i := range spec.NumFields() {
		f := spec.Field(i)
		if _, ok := f.Transform.(iceberg.IdentityTransform); ok && f.SourceID() == id {
			return true
		}
	}
	return false
}

// sortable is the type of a column of a primitive type that is not inside a list
// or map.
func sortable(schema *iceberg.Schema, name string, id int) (iceberg.PrimitiveType, error) {
	typ := reach(schema.Fields(), id)
	primitive, ok := typ.(iceberg.PrimitiveType)
	if !ok {
		return nil, fmt.Errorf("%w: rows cannot be sorted by %q: it must be a column or struct field of a primitive type", maintenance.ErrInvalid, name)
	}
	switch primitive.(type) {
	case iceberg.BooleanType, iceberg.Int32Type, iceberg.Int64Type, iceberg.Float32Type, iceberg.Float64Type,
		iceberg.DateType, iceberg.TimeType, iceberg.TimestampType, iceberg.TimestampTzType,
		iceberg.TimestampNsType, iceberg.TimestampTzNsType, iceberg.DecimalType,
		iceberg.StringType, iceberg.BinaryType, iceberg.FixedType, iceberg.UUIDType:
		return primitive, nil
	}
	return nil, fmt.Errorf("%w: rows cannot be sorted by %q: it has type %s", maintenance.ErrInvalid, name, primitive)
}

// reach is the type of the field of that id, nil unless only structs are around
// it.
func reach(fields []iceberg.NestedField, id int) iceberg.Type {
	for _, f := range fields {
		if f.ID == id {
			return f.Type
		}
		if s, ok := f.Type.(*iceberg.StructType); ok {
			if t := reach(s.FieldList, id); t != nil {
				return t
			}
		}
	}
	return nil
}

func noColumn(schema *iceberg.Schema, name string) error {
	var known []string
	for _, f := range schema.Fields() {
		known = append(known, f.Name)
	}
	return fmt.Errorf("%w: there is no column %q to sort by; did you mean %q?", maintenance.ErrInvalid, name, spelling.Nearest(name, known))
}
