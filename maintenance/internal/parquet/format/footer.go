package format

import (
	"fmt"
	"math"
)

// Footer is parquet.thrift's FileMetaData.
type Footer struct {
	Version   int32
	Schema    []SchemaElement
	NumRows   int64
	RowGroups []RowGroup
	CreatedBy string
	// Ordered are the columns whose statistics have a defined order.
	Ordered []bool
	// Encrypted says that parts of the file are encrypted or signed.
	Encrypted bool

	// The lists as they were read, to be written again.
	rawSchema, rawKeyValues, rawOrders []byte
	KeyValues                          []KeyValue
}

// KeyValue is an entry of a file's metadata.
type KeyValue struct{ Key, Value string }

// RowGroup is parquet.thrift's RowGroup without its sort order.
type RowGroup struct {
	Columns         []ColumnChunk
	TotalByteSize   int64
	NumRows         int64
	FileOffset      int64
	TotalCompressed int64
}

// SchemaElement is a node of the schema, whose nodes are listed depth first.
type SchemaElement struct {
	Type       Opt[Type]
	TypeLength int32
	Repetition Repetition
	Name       string
	Children   int32
	Converted  Opt[int32]
	Scale      int32
	FieldID    Opt[int32]
	Logical    Logical
}

// Logical is a logical type as far as it matters for telling two apart. Kind is
// its number in the union, 0 if there is none.
type Logical struct {
	Kind int16
	// Scale of a decimal, bits of an integer, number of a unit of time.
	Param int64
	// Flag is isAdjustedToUTC of times, isSigned of integers.
	Flag bool
}

// ReadFooter reads a file's metadata.
func ReadFooter(b []byte) (*Footer, error) {
	r := &reader{b: b}
	f := &Footer{}
	r.fields(func(id int16, typ byte) { f.field(r, id, typ) })
	return f, r.err
}

func (f *Footer) field(r *reader, id int16, typ byte) {
	from := r.at
	switch id {
	case 1:
		f.Version = r.i32(typ)
	case 2:
		r.list(typ, func(n int) { f.Schema = make([]SchemaElement, 0, n) }, func(item byte) { f.Schema = append(f.Schema, readElement(r, item)) })
		f.rawSchema = r.b[from:r.at]
	case 3:
		f.NumRows = r.i64(typ)
	case 4:
		r.list(typ, func(int) {}, func(item byte) { f.RowGroups = append(f.RowGroups, readRowGroup(r, item)) })
	case 5:
		r.list(typ, func(int) {}, func(item byte) { f.KeyValues = append(f.KeyValues, readKeyValue(r, item)) })
		f.rawKeyValues = r.b[from:r.at]
	case 6:
		f.CreatedBy = string(r.bytes(typ))
	case 7:
		r.list(typ, func(int) {}, func(item byte) {
			defined := false
			r.structure(item, func(id int16, typ byte) { defined = id == 1; r.skip(typ) })
			f.Ordered = append(f.Ordered, defined)
		})
		f.rawOrders = r.b[from:r.at]
	case 8, 9:
		f.Encrypted = true
		r.skip(typ)
	default:
		r.skip(typ)
	}
}

func readKeyValue(r *reader, item byte) (kv KeyValue) {
	r.structure(item, func(id int16, typ byte) {
		switch id {
		case 1:
			kv.Key = string(r.bytes(typ))
		case 2:
			kv.Value = string(r.bytes(typ))
		default:
			r.skip(typ)
		}
	})
	return kv
}

func readElement(r *reader, item byte) (e SchemaElement) {
	r.structure(item, func(id int16, typ byte) {
		switch id {
		case 1:
			e.Type = Some(Type(r.i32(typ)))
		case 2:
			e.TypeLength = r.i32(typ)
		case 3:
			e.Repetition = Repetition(r.i32(typ))
		case 4:
			e.Name = string(r.bytes(typ))
		case 5:
			e.Children = r.i32(typ)
		case 6:
			e.Converted = Some(r.i32(typ))
		case 7:
			e.Scale = r.i32(typ)
		case 9:
			e.FieldID = Some(r.i32(typ))
		case 10:
			r.structure(typ, func(kind int16, typ byte) { e.Logical = readLogical(r, kind, typ) })
		default:
			r.skip(typ)
		}
	})
	return e
}

func readLogical(r *reader, kind int16, typ byte) Logical {
	l := Logical{Kind: kind}
	r.structure(typ, func(id int16, typ byte) {
		switch {
		case typ == typeTrue || typ == typeFalse:
			l.Flag = r.flag(typ)
		case (kind == LogicalTime || kind == LogicalTimestamp) && id == 2:
			r.structure(typ, func(unit int16, typ byte) { l.Param = int64(unit); r.skip(typ) })
		case (kind == LogicalDecimal || kind == LogicalInteger) && id == 1:
			l.Param = r.i64(typ)
		default:
			r.skip(typ)
		}
	})
	return l
}

func readRowGroup(r *reader, item byte) (g RowGroup) {
	r.structure(item, func(id int16, typ byte) {
		switch id {
		case 1:
			r.list(typ, func(int) {}, func(item byte) { g.Columns = append(g.Columns, readChunk(r, item)) })
		case 2:
			g.TotalByteSize = r.i64(typ)
		case 3:
			g.NumRows = r.i64(typ)
		case 5:
			g.FileOffset = r.i64(typ)
		case 6:
			g.TotalCompressed = r.i64(typ)
		default:
			r.skip(typ)
		}
	})
	return g
}

// Append appends the metadata of a file with these row groups; the rest is as
// in f, with added key-value metadata.
func (f *Footer) Append(b []byte, rows int64, groups []RowGroup) ([]byte, error) {
	if f.rawSchema == nil {
		return nil, fmt.Errorf("%w: no schema", ErrMalformed)
	}
	w := &writer{b: b}
	w.i32(1, f.Version)
	w.raw(2, typeList, f.rawSchema)
	w.i64(3, rows)
	w.list(4, typeStruct, len(groups))
	for i := range groups {
		w.item(func() { groups[i].write(w, i) })
	}
	if len(f.KeyValues) > 0 {
		w.raw(5, typeList, f.rawKeyValues)
	}
	w.bytes(6, []byte(f.CreatedBy))
	if f.rawOrders != nil {
		w.raw(7, typeList, f.rawOrders)
	}
	return append(w.b, 0), nil
}

func (g *RowGroup) write(w *writer, ordinal int) {
	w.list(1, typeStruct, len(g.Columns))
	for i := range g.Columns {
		w.item(func() { g.Columns[i].write(w) })
	}
	w.i64(2, g.TotalByteSize)
	w.i64(3, g.NumRows)
	w.i64(5, g.FileOffset)
	w.i64(6, g.TotalCompressed)
	if ordinal <= math.MaxInt16 {
		w.head(7, typeI16)
		w.zigzag(int64(ordinal))
	}
}
