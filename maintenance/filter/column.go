package filter

import (
	"fmt"
	"slices"
	"strings"

	"github.com/apache/iceberg-go"

	"github.com/firndb/firn/dialect/predicate"
	"github.com/firndb/firn/spelling"
)

// term is what can stand on one side of a comparison: a column, or a function
// of one that can be turned into conditions on the column.
type term interface {
	// source is the column. The term is NULL where the column is.
	source() column
	// compare makes the expression "term op value"; the value is not NULL.
	compare(op predicate.Op, c *predicate.Constant) (iceberg.BooleanExpression, error)
	// in makes the expression that the term is, or is not, among the values.
	in(values []*predicate.Constant, want bool) (iceberg.BooleanExpression, error)
}

// column is a primitive column, or a field of a struct, of the schema.
type column struct {
	ref iceberg.Reference
	typ iceberg.Type
	// always is set if the column is never NULL.
	always bool
	env    predicate.Env
}

func (c column) source() column { return c }

func (c column) floating() bool {
	switch c.typ.(type) {
	case iceberg.Float32Type, iceberg.Float64Type:
		return true
	}
	return false
}

// notNull adds to an expression that Iceberg takes to be true of NULL that it
// is not.
func (c column) notNull(e iceberg.BooleanExpression) iceberg.BooleanExpression {
	return iceberg.NewAnd(nullTest(c, false), e)
}

// column resolves a name: its parts are fields of structs, with any ending of
// the table's name before them.
func (t *translator) column(e *predicate.Column) (column, error) {
	for skip := 0; skip < len(e.Path); skip++ {
		if skip > 0 && !t.isTable(e.Path[:skip]) {
			continue
		}
		field, found, err := t.resolve(e.Path[skip:])
		if err != nil {
			return column{}, predicate.Invalid(e.Text(), "%w", err)
		}
		if !found {
			continue
		}
		if _, nested := field.Type.(iceberg.NestedType); nested {
			return column{}, predicate.Unsupported(e.Text(), "it is a %s; only columns of primitive types can be used, and fields of structs by their path, such as %s.field", field.Type.Type(), e.Text())
		}
		name, _ := t.schema.FindColumnName(field.ID)
		return column{
			ref:    iceberg.Reference(name),
			typ:    field.Type,
			always: field.Required && !t.schema.FieldHasOptionalParent(field.ID),
			env:    t.env(),
		}, nil
	}
	return column{}, predicate.Invalid(e.Text(), "there is no such column; %s", t.suggest(strings.Join(e.Path, ".")))
}

func (t *translator) isTable(qualifier []string) bool {
	n := len(t.opts.Table) - len(qualifier)
	return n >= 0 && slices.EqualFunc(t.opts.Table[n:], qualifier, strings.EqualFold)
}

// resolve walks down a path of fields.
func (t *translator) resolve(path []string) (iceberg.NestedField, bool, error) {
	fields := t.schema.Fields()
	for i, name := range path {
		var matches []iceberg.NestedField
		for _, f := range fields {
			if f.Name == name || !t.opts.CaseSensitive && strings.EqualFold(f.Name, name) {
				matches = append(matches, f)
			}
		}
		switch {
		case len(matches) == 0:
			return iceberg.NestedField{}, false, nil
		case len(matches) > 1:
			return iceberg.NestedField{}, false, fmt.Errorf("the columns %q and %q differ only in case, and names match in any case", matches[0].Name, matches[1].Name)
		case i == len(path)-1:
			return matches[0], true, nil
		}
		s, ok := matches[0].Type.(*iceberg.StructType)
		if !ok {
			return iceberg.NestedField{}, false, nil
		}
		fields = s.FieldList
	}
	return iceberg.NestedField{}, false, nil
}

// suggest names the columns nearest to a name, or all if there are few.
func (t *translator) suggest(name string) string {
	const most = 5
	names := primitives("", t.schema.Fields())
	slices.SortStableFunc(names, func(a, b string) int { return spelling.Distance(name, a) - spelling.Distance(name, b) })
	if len(names) > most {
		return "the nearest are " + strings.Join(names[:most], ", ")
	}
	return "the table has " + strings.Join(names, ", ")
}

func primitives(prefix string, fields []iceberg.NestedField) []string {
	var names []string
	for _, f := range fields {
		if s, ok := f.Type.(*iceberg.StructType); ok {
			names = append(names, primitives(prefix+f.Name+".", s.FieldList)...)
		} else if _, nested := f.Type.(iceberg.NestedType); !nested {
			names = append(names, prefix+f.Name)
		}
	}
	return names
}
