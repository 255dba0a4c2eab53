package nested

import (
	"cmp"
	"context"
	"reflect"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/sqltypes"
	"github.com/dolthub/vitess/go/vt/proto/query"
)

// Type is the type of structs, lists and maps: JSON on the wire, typed parts
// inside the engine. Two values are compared part by part, in order, NULL first.
type Type struct {
	Kind Kind
	// Names are the field names of a struct.
	Names []string
	// Parts are the types of a struct's fields, of a list's element, or of a
	// map's key and value.
	Parts []Part
}

// Kind tells structs, lists and maps apart.
type Kind int

// The kinds of nested types.
const (
	Struct Kind = iota
	List
	Map
)

// Part is the type of a part of a nested value.
type Part struct {
	SQL sql.Type
	// Raw says that the part's text is JSON itself, as a variant's is.
	Raw bool
}

// ListOf is the type of lists of that element.
func ListOf(element sql.Type) *Type { return &Type{Kind: List, Parts: []Part{{SQL: element}}} }

// MapOf is the type of maps of that key and value.
func MapOf(key, value sql.Type) *Type {
	return &Type{Kind: Map, Parts: []Part{{SQL: key}, {SQL: value}}}
}

// IsBoolean says whether t is BOOLEAN, which the engine takes for TINYINT.
func IsBoolean(t sql.Type) bool { return t == types.Boolean }

var (
	_ sql.Type               = (*Type)(nil)
	_ sql.CollationCoercible = (*Type)(nil)
)

// Field finds a struct's field by name, exactly or without regard to case; -1
// if there is none.
func (t *Type) Field(name string) int {
	if t.Kind != Struct {
		return -1
	}
	folded := -1
	for i, n := range t.Names {
		if n == name {
			return i
		}
		if folded < 0 && strings.EqualFold(n, name) {
			folded = i
		}
	}
	return folded
}

// Compare implements sql.Type.
func (t *Type) Compare(ctx context.Context, a, b any) (int, error) {
	x, _ := a.(*Value)
	y, _ := b.(*Value)
	switch {
	case x == nil && y == nil:
		return 0, nil
	case x == nil:
		return -1, nil
	case y == nil:
		return 1, nil
	}
	for i := range min(len(x.Cells), len(y.Cells)) {
		n, err := comparePart(ctx, x.Type.PartOf(i).SQL, x.Cells[i], y.Cells[i])
		if n != 0 || err != nil {
			return n, err
		}
	}
	return cmp.Compare(len(x.Cells), len(y.Cells)), nil
}

func comparePart(ctx context.Context, t sql.Type, a, b any) (int, error) {
	switch {
	case a == nil && b == nil:
		return 0, nil
	case a == nil:
		return -1, nil
	case b == nil:
		return 1, nil
	}
	return t.Compare(ctx, a, b)
}

// PartOf is the type of cell i of a value.
func (t *Type) PartOf(i int) Part {
	switch t.Kind {
	case List:
		return t.Parts[0]
	case Map:
		return t.Parts[i%2]
	}
	return t.Parts[i]
}

// Convert implements sql.Type. Only a nested value is one.
func (t *Type) Convert(_ context.Context, v any) (any, sql.ConvertInRange, error) {
	switch v := v.(type) {
	case nil:
		return nil, sql.InRange, nil
	case *Value:
		return v, sql.InRange, nil
	}
	return nil, sql.OutOfRange, sql.ErrConvertToSQL.New(v, t)
}

// Equals implements sql.Type.
func (t *Type) Equals(other sql.Type) bool {
	o, ok := other.(*Type)
	return ok && (t == o || t.String() == o.String())
}

// MaxTextResponseByteLength implements sql.Type.
func (t *Type) MaxTextResponseByteLength(*sql.Context) uint32 { return 1<<32 - 1 }

// Promote implements sql.Type.
func (t *Type) Promote() sql.Type { return t }

// SQL implements sql.Type: the value as JSON.
func (t *Type) SQL(_ *sql.Context, dest []byte, v any) (sqltypes.Value, error) {
	switch v := v.(type) {
	case nil:
		return sqltypes.NULL, nil
	case *Value:
		return sqltypes.MakeTrusted(sqltypes.TypeJSON, v.json(dest)), nil
	}
	return sqltypes.NULL, sql.ErrConvertToSQL.New(v, t)
}

// Type implements sql.Type.
func (t *Type) Type() query.Type { return sqltypes.TypeJSON }

// ValueType implements sql.Type.
func (t *Type) ValueType() reflect.Type { return reflect.TypeFor[*Value]() }

// Zero implements sql.Type.
func (t *Type) Zero() any { return nil }

// CollationCoercibility implements sql.CollationCoercible, as JSON has it.
func (t *Type) CollationCoercibility(*sql.Context) (sql.CollationID, byte) {
	return sql.Collation_Default, 5
}

// String implements fmt.Stringer, as Spark writes the type.
func (t *Type) String() string {
	switch t.Kind {
	case List:
		return "array<" + t.Parts[0].SQL.String() + ">"
	case Map:
		return "map<" + t.Parts[0].SQL.String() + "," + t.Parts[1].SQL.String() + ">"
	}
	fields := make([]string, len(t.Parts))
	for i, p := range t.Parts {
		fields[i] = t.Names[i] + ":" + p.SQL.String()
	}
	return "struct<" + strings.Join(fields, ",") + ">"
}
