package rowkey

import (
	"fmt"
	"math"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/iceberg-go"

	"github.com/firndb/firn/maintenance"
	"github.com/firndb/firn/maintenance/internal/column"
)

// Field is a column, or the transform of one, that rows are sorted by.
type Field struct {
	// ID is the column's field id.
	ID        int
	Transform iceberg.Transform
	// Descending inverts the order of values, not the place of nulls.
	Descending, NullsLast bool
	// Exact tells the two zeros of a floating-point column apart, as partitions do.
	Exact bool
}

// Encoder makes the keys of the rows of batches.
type Encoder struct {
	fields []boundField
	curve  *Curve
	// curveColumns are the columns of the curve.
	curveColumns []boundField
}

type boundField struct {
	Field
	path []int
	typ  iceberg.Type
}

// NewEncoder binds fields, and after them a curve unless nil, to a schema whose
// top-level fields are the columns of the batches.
func NewEncoder(schema *iceberg.Schema, fields []Field, curve *Curve) (*Encoder, error) {
	e := &Encoder{curve: curve}
	for _, f := range fields {
		b, err := bind(schema, f)
		if err != nil {
			return nil, err
		}
		e.fields = append(e.fields, b)
	}
	if curve != nil {
		for _, id := range curve.Columns {
			b, err := bind(schema, Field{ID: id, Transform: iceberg.IdentityTransform{}})
			if err != nil {
				return nil, err
			}
			e.curveColumns = append(e.curveColumns, b)
		}
	}
	return e, nil
}

func bind(schema *iceberg.Schema, f Field) (boundField, error) {
	path, typ := column.Find(schema.Fields(), f.ID)
	if _, void := f.Transform.(iceberg.VoidTransform); path == nil && !void {
		return boundField{}, fmt.Errorf("%w: rows cannot be sorted by field %d, which is not in the schema", maintenance.ErrUnsupported, f.ID)
	}
	return boundField{Field: f, path: path, typ: typ}, nil
}

// Null bytes: they compare with each other only.
const (
	nullFirst = 0
	notNull   = 1
	nullLast  = 2
)

// Encode makes the keys of a batch.
func (e *Encoder) Encode(batch arrow.RecordBatch) (Keys, error) {
	rows := int(batch.NumRows())
	columns := make([]cells, len(e.fields))
	for i, f := range e.fields {
		c, err := f.cells(batch)
		if err != nil {
			return Keys{}, err
		}
		columns[i] = c
	}
	curve, err := e.encodeCurve(batch)
	if err != nil {
		return Keys{}, err
	}
	ends, size, err := layout(rows, columns, curve.width)
	if err != nil {
		return Keys{}, err
	}
	k := Keys{Data: make([]byte, size), Ends: ends}
	// Every end begins as the place where the key's next value goes.
	for i, f := range e.fields {
		f.append(k, columns[i])
	}
	for i := 0; curve.width > 0 && i < rows; i++ {
		k.Ends[i] += uint32(copy(k.Data[k.Ends[i]:], curve.data[i*curve.width:(i+1)*curve.width]))
	}
	return k, nil
}

// layout finds where every key begins.
func layout(rows int, columns []cells, extra int) (starts []uint32, size int64, err error) {
	var texts []cells
	for _, c := range columns {
		extra += 1 + c.width
		if c.text != nil {
			texts = append(texts, c)
		}
	}
	starts = make([]uint32, rows)
	for i := range starts {
		starts[i] = uint32(size)
		size += int64(extra)
		for _, c := range texts {
			if c.valid(i) {
				size += int64(escapedLen(c.text(i)))
			}
		}
		if size > math.MaxUint32 {
			return nil, 0, fmt.Errorf("%w: the sort keys of %d rows together are over 4 GiB", maintenance.ErrUnsupported, rows)
		}
	}
	return starts, size, nil
}

// append adds the values of a column to the keys.
func (f boundField) append(k Keys, c cells) {
	null := byte(nullFirst)
	if f.NullsLast {
		null = nullLast
	}
	for i, at := range k.Ends {
		ok := c.valid(i)
		if ok {
			k.Data[at] = notNull
		} else {
			k.Data[at] = null
		}
		from, to := at+1, at+1+uint32(c.width)
		switch {
		case !ok:
		case c.text != nil:
			to = from + uint32(escape(k.Data[from:], c.text(i)))
		default:
			c.put(k.Data[from:to], i)
		}
		if f.Descending && ok {
			for j := from; j < to; j++ {
				k.Data[j] = ^k.Data[j]
			}
		}
		k.Ends[i] = to
	}
}

// escapedLen is how many bytes escape writes.
func escapedLen(value string) int {
	return len(value) + 2 + strings.Count(value, "\x00")
}

// escape writes a value so that it compares before every longer one: 0 becomes
// 0 255, and the end is 0 0.
func escape(dst []byte, value string) int {
	n := 0
	for i := range len(value) {
		dst[n] = value[i]
		n++
		if value[i] == 0 {
			dst[n] = 255
			n++
		}
	}
	dst[n], dst[n+1] = 0, 0
	return n + 2
}
