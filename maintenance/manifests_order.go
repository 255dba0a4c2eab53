package maintenance

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/apache/iceberg-go"
	"github.com/google/uuid"
)

// partitionOrder orders partitions of a spec by some of its fields.
type partitionOrder struct {
	spec   iceberg.PartitionSpec
	fields []iceberg.PartitionField
}

// newPartitionOrder orders by the named fields, or by all in the spec's order.
// The error wraps ErrInvalid for a name that is not a field's.
func newPartitionOrder(spec iceberg.PartitionSpec, names []string) (partitionOrder, error) {
	o := partitionOrder{spec: spec}
	var all []string
	for i := range spec.NumFields() {
		all = append(all, spec.Field(i).Name)
		if len(names) == 0 {
			o.fields = append(o.fields, spec.Field(i))
		}
	}
	for _, name := range names {
		i := slices.Index(all, name)
		if i < 0 {
			known := "it has none"
			if len(all) > 0 {
				known = "allowed are " + strings.Join(all, ", ")
			}
			return o, fmt.Errorf("%w: %q must name partition fields: %q is not one of partition spec %d; %s", ErrInvalid, "sort_by", name, spec.ID(), known)
		}
		o.fields = append(o.fields, spec.Field(i))
	}
	return o, nil
}

// key is a text whose byte order is that of the partition; null goes first. A
// partition without a value for a field of the spec is an error: the manifest is
// not of that spec.
func (o partitionOrder) key(values map[int]any) (string, error) {
	for i := range o.spec.NumFields() {
		field := o.spec.Field(i)
		if _, ok := values[field.FieldID]; !ok && !isVoid(field) {
			return "", fmt.Errorf("%w: a partition has no value for partition field %q of spec %d", ErrCorrupt, field.Name, o.spec.ID())
		}
	}
	var key []byte
	for _, field := range o.fields {
		value := values[field.FieldID]
		if value == nil {
			key = append(key, 0)
			continue
		}
		key = appendOrdered(append(key, 1), value)
	}
	return string(key), nil
}

func isVoid(field iceberg.PartitionField) bool {
	_, void := field.Transform.(iceberg.VoidTransform)
	return void
}

// appendOrdered appends a partition value so that keys compare as values do.
// Whole numbers are all of one width, because a column's type may have been
// widened between two manifests; so are floating ones.
func appendOrdered(key []byte, value any) []byte {
	switch v := value.(type) {
	case bool:
		if v {
			return append(key, 1)
		}
		return append(key, 0)
	case int32:
		return appendInt(key, int64(v))
	case int64:
		return appendInt(key, v)
	case int:
		return appendInt(key, int64(v))
	case iceberg.Date:
		return appendInt(key, int64(v))
	case iceberg.Time:
		return appendInt(key, int64(v))
	case iceberg.Timestamp:
		return appendInt(key, int64(v))
	case iceberg.TimestampNano:
		return appendInt(key, int64(v))
	case float32:
		return appendFloat(key, float64(v))
	case float64:
		return appendFloat(key, v)
	case iceberg.DecimalLiteral:
		return appendOrdered(key, iceberg.Decimal(v))
	case iceberg.Decimal:
		return binary.BigEndian.AppendUint64(appendInt(key, v.Val.HighBits()), v.Val.LowBits())
	case uuid.UUID:
		return append(key, v[:]...)
	case []byte:
		return appendText(key, string(v))
	case string:
		return appendText(key, v)
	}
	return appendText(key, fmt.Sprint(value))
}

func appendInt(key []byte, v int64) []byte {
	return binary.BigEndian.AppendUint64(key, uint64(v)^1<<63)
}

// appendFloat orders as IEEE 754 does in total, with NaN last.
func appendFloat(key []byte, v float64) []byte {
	bits := math.Float64bits(v)
	if math.IsNaN(v) {
		bits = math.Float64bits(math.NaN()) &^ (1 << 63)
	}
	if bits>>63 == 1 {
		bits = ^bits
	} else {
		bits |= 1 << 63
	}
	return binary.BigEndian.AppendUint64(key, bits)
}

// appendText ends the text, so that a longer one comes after and what follows
// does not count before it: a zero byte in it becomes two.
func appendText(key []byte, text string) []byte {
	for i := range len(text) {
		if key = append(key, text[i]); text[i] == 0 {
			key = append(key, 0xff)
		}
	}
	return append(key, 0, 0)
}

// ranks numbers keys in their order.
func ranks(ids map[string]uint32) []uint32 {
	keys := make([]string, len(ids))
	for key, id := range ids {
		keys[id] = key
	}
	inOrder := make([]uint32, len(keys))
	for i := range inOrder {
		inOrder[i] = uint32(i)
	}
	slices.SortFunc(inOrder, func(a, b uint32) int { return cmp.Compare(keys[a], keys[b]) })
	rank := make([]uint32, len(keys))
	for r, id := range inOrder {
		rank[id] = uint32(r)
	}
	return rank
}
