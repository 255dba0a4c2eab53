package server

import (
	"context"
	"reflect"
	"strings"

	"github.com/apache/iceberg-go"
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/vitess/go/sqltypes"
	"github.com/dolthub/vitess/go/vt/proto/query"
)

// nestedType is the type of structs, lists and maps: JSON on the wire, typed
// parts inside the engine. Two values are compared part by part, in order, NULL
// first.
type nestedType struct {
	kind nestedKind
	// names are the field names of a struct.
	names []string
	// parts are the types of a struct's fields, of a list's element, or of a
	// map's key and value.
	parts []part
}

type nestedKind int

const (
	structKind nestedKind = iota
	listKind
	mapKind
)

// part is the type of a part of a nested value: as the engine has it and, for
// its text in JSON, as Iceberg has it.
type part struct {
	sql     sql.Type
	iceberg iceberg.Type
}

var (
	_ sql.Type               = (*nestedType)(nil)
	_ sql.CollationCoercible = (*nestedType)(nil)
)

func newPart(t iceberg.Type) (part, error) {
	st, err := typeOf(t)
	return part{st, t}, err
}

func newStructType(t *iceberg.StructType) (*nestedType, error) {
	n := &nestedType{kind: structKind}
	for _, f := range t.FieldList {
		p, err := newPart(f.Type)
		if err != nil {
			return nil, err
		}
		n.names = append(n.names, f.Name)
		n.parts = append(n.parts, p)
	}
	return n, nil
}

func newListType(t *iceberg.ListType) (*nestedType, error) {
	p, err := newPart(t.Element)
	if err != nil {
		return nil, err
	}
	return &nestedType{kind: listKind, parts: []part{p}}, nil
}

func newMapType(t *iceberg.MapType) (*nestedType, error) {
	key, err := newPart(t.KeyType)
	if err != nil {
		return nil, err
	}
	value, err := newPart(t.ValueType)
	if err != nil {
		return nil, err
	}
	return &nestedType{kind: mapKind, parts: []part{key, value}}, nil
}

// field finds a struct's field by name, exactly or without regard to case; -1
// if there is none.
func (t *nestedType) field(name string) int {
	if t.kind != structKind {
		return -1
	}
	folded := -1
	for i, n := range t.names {
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
func (t *nestedType) Compare(ctx context.Context, a, b any) (int, error) {
	x, _ := a.(*nestedValue)
	y, _ := b.(*nestedValue)
	switch {
	case x == nil && y == nil:
		return 0, nil
	case x == nil:
		return -1, nil
	case y == nil:
		return 1, nil
	}
	for i := range min(len(x.cells), len(y.cells)) {
		n, err := comparePart(ctx, x.typ.partOf(i).sql, x.cells[i], y.cells[i])
		if n != 0 || err != nil {
			return n, err
		}
	}
	return len(x.cells) - len(y.cells), nil
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

// partOf is the type of cell i of a value.
func (t *nestedType) partOf(i int) part {
	switch t.kind {
	case listKind:
		return t.parts[0]
	case mapKind:
		return t.parts[i%2]
	}
	return t.parts[i]
}

// Convert implements sql.Type. Only a nested value is one.
func (t *nestedType) Convert(_ context.Context, v any) (any, sql.ConvertInRange, error) {
	switch v := v.(type) {
	case nil:
		return nil, sql.InRange, nil
	case *nestedValue:
		return v, sql.InRange, nil
	}
	return nil, sql.OutOfRange, sql.ErrConvertToSQL.New(v, t)
}

// Equals implements sql.Type.
func (t *nestedType) Equals(other sql.Type) bool {
	o, ok := other.(*nestedType)
	return ok && (t == o || t.String() == o.String())
}

// MaxTextResponseByteLength implements sql.Type.
func (t *nestedType) MaxTextResponseByteLength(*sql.Context) uint32 { return 1<<32 - 1 }

// Promote implements sql.Type.
func (t *nestedType) Promote() sql.Type { return t }

// SQL implements sql.Type: the value as JSON.
func (t *nestedType) SQL(_ *sql.Context, _ []byte, v any) (sqltypes.Value, error) {
	switch v := v.(type) {
	case nil:
		return sqltypes.NULL, nil
	case *nestedValue:
		return sqltypes.MakeTrusted(sqltypes.TypeJSON, []byte(v.String())), nil
	}
	return sqltypes.NULL, sql.ErrConvertToSQL.New(v, t)
}

// Type implements sql.Type.
func (t *nestedType) Type() query.Type { return sqltypes.TypeJSON }

// ValueType implements sql.Type.
func (t *nestedType) ValueType() reflect.Type { return reflect.TypeFor[*nestedValue]() }

// Zero implements sql.Type.
func (t *nestedType) Zero() any { return nil }

// CollationCoercibility implements sql.CollationCoercible, as JSON has it.
func (t *nestedType) CollationCoercibility(*sql.Context) (sql.CollationID, byte) {
	return sql.Collation_Default, 5
}

// String implements fmt.Stringer, as Spark writes the type.
func (t *nestedType) String() string {
	switch t.kind {
	case listKind:
		return "array<" + t.parts[0].sql.String() + ">"
	case mapKind:
		return "map<" + t.parts[0].sql.String() + "," + t.parts[1].sql.String() + ">"
	}
	fields := make([]string, len(t.parts))
	for i, p := range t.parts {
		fields[i] = t.names[i] + ":" + p.sql.String()
	}
	return "struct<" + strings.Join(fields, ",") + ">"
}
