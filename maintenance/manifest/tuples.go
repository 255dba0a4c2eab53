package manifest

import (
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"math"
	"math/big"
	"unsafe"

	"github.com/apache/arrow-go/v18/arrow/decimal128"
	"github.com/apache/iceberg-go"
	"github.com/google/uuid"
)

// tupleType is the writer's type of a partition.
type tupleType struct {
	record *node
	// days are the ids of fields that count days, though their type may not say
	// so ("Partition Transforms": the result of day is a date).
	days map[int]bool
}

// Tuples are partitions. A manifest has few different ones.
type Tuples struct {
	*Dict
	typ *tupleType
}

// Size implements Column.
func (t *Tuples) Size() int64 {
	return int64(unsafe.Sizeof(*t)) + t.Dict.Size() + int64(len(t.typ.record.fields))*int64(unsafe.Sizeof(fieldNode{})+unsafe.Sizeof(node{}))
}

// Values are the values of a different partition, by partition field id, as
// iceberg-go has them: int32, int64, float32, float64, bool, string, []byte,
// uuid.UUID, iceberg.Date, Time, Timestamp, TimestampNano and DecimalLiteral.
// What is NULL is not among them.
func (t *Tuples) Values(place int) (map[int]any, error) {
	values, err := t.All(place)
	maps.DeleteFunc(values, func(_ int, v any) bool { return v == nil })
	return values, err
}

// All is Values with nil for NULL.
func (t *Tuples) All(place int) (map[int]any, error) {
	c := &cursor{data: t.Dict.Values.At(place)}
	values := make(map[int]any, len(t.typ.record.fields))
	for _, f := range t.typ.record.fields {
		v, err := t.value(c, f)
		if err != nil {
			return nil, fmt.Errorf("partition field %q: %w", f.name, err)
		}
		if f.id >= 0 {
			values[f.id] = v
		}
	}
	return values, nil
}

func (t *Tuples) value(c *cursor, f fieldNode) (any, error) {
	typ := f.typ
	if typ.typ == "union" {
		branch := c.long()
		if branch < 0 || branch >= int64(len(typ.union)) {
			return nil, errBroken
		}
		typ = typ.union[branch]
	}
	v, err := typ.value(c)
	if err == nil && c.bad {
		err = errBroken
	}
	if n, ok := v.(int32); ok && t.typ.days[f.id] {
		v = iceberg.Date(n)
	}
	return v, err
}

var errBroken = errors.New("the data is not what its avro schema says")

// value reads a value of a type that a partition field may have.
func (n *node) value(c *cursor) (any, error) {
	switch n.typ {
	case "null":
		return nil, nil
	case "boolean":
		b := c.take(1)
		return len(b) == 1 && b[0] != 0, nil
	case "int", "long":
		return n.whole(c.long()), nil
	case "float":
		if b := c.take(4); b != nil {
			return math.Float32frombits(binary.LittleEndian.Uint32(b)), nil
		}
		return nil, errBroken
	case "double":
		if b := c.take(8); b != nil {
			return math.Float64frombits(binary.LittleEndian.Uint64(b)), nil
		}
		return nil, errBroken
	case "string":
		text := string(c.bytes())
		if n.logical == "uuid" {
			return uuid.Parse(text)
		}
		return text, nil
	case "bytes":
		return n.binary(c.bytes())
	case "fixed":
		return n.binary(c.take(int64(n.size)))
	}
	return nil, fmt.Errorf("it has the avro type %s", n.typ)
}

func (n *node) whole(v int64) any {
	switch n.logical {
	case "date":
		return iceberg.Date(v)
	case "time-millis":
		return iceberg.Time(v * 1000)
	case "time-micros":
		return iceberg.Time(v)
	case "timestamp-millis", "local-timestamp-millis":
		return iceberg.Timestamp(v * 1000)
	case "timestamp-micros", "local-timestamp-micros":
		return iceberg.Timestamp(v)
	case "timestamp-nanos", "local-timestamp-nanos":
		return iceberg.TimestampNano(v)
	}
	if n.typ == "int" {
		return int32(v)
	}
	return v
}

// maxDecimalBytes is how long a decimal of 38 digits is.
const maxDecimalBytes = 16

func (n *node) binary(b []byte) (any, error) {
	switch n.logical {
	case "decimal":
		if len(b) > maxDecimalBytes {
			return nil, fmt.Errorf("a decimal of %d bytes; %d are allowed", len(b), maxDecimalBytes)
		}
		v := new(big.Int).SetBytes(b)
		if len(b) > 0 && b[0] >= 0x80 {
			v.Sub(v, new(big.Int).Lsh(big.NewInt(1), uint(8*len(b))))
		}
		return iceberg.DecimalLiteral{Scale: n.scale, Val: decimal128.FromBigInt(v)}, nil
	case "uuid":
		return uuid.FromBytes(b)
	}
	return append([]byte{}, b...), nil
}
