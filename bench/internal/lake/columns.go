package lake

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/apache/iceberg-go"
)

// encoder appends a whole number as the bound of some type, in the single-value
// serialization of the Iceberg specification. Greater numbers make greater
// values.
type encoder func(b []byte, v int64) []byte

// kind is a type of column and how its bounds are written.
type kind struct {
	typ    iceberg.Type
	encode encoder
}

const (
	// FirstDay is 2026-01-01 as days since 1970, and Days how many days follow.
	FirstDay     = 20454
	Days         = 90
	microsPerDay = 86_400_000_000
	// span is the range of a column's lower bounds; the upper bounds begin
	// where it ends.
	span = 1 << 20
)

// kinds are the types of the columns after event_time, in turn.
func kinds() []kind {
	return []kind{
		{iceberg.PrimitiveTypes.Int64, long},
		{iceberg.PrimitiveTypes.String, text},
		{iceberg.DecimalTypeOf(12, 2), decimal},
		{iceberg.PrimitiveTypes.Float64, func(b []byte, v int64) []byte { return long(b, int64(math.Float64bits(float64(v)/64))) }},
		{iceberg.PrimitiveTypes.Int32, integer},
		{iceberg.PrimitiveTypes.Timestamp, func(b []byte, v int64) []byte { return long(b, FirstDay*microsPerDay+v*1_000_003) }},
		{iceberg.PrimitiveTypes.Date, func(b []byte, v int64) []byte { return integer(b, FirstDay+v%span/4096) }},
		{iceberg.PrimitiveTypes.Float32, func(b []byte, v int64) []byte { return integer(b, int64(math.Float32bits(float32(v)/64))) }},
		{iceberg.PrimitiveTypes.Bool, func(b []byte, v int64) []byte { return append(b, byte(v/span)) }},
	}
}

func long(b []byte, v int64) []byte    { return binary.LittleEndian.AppendUint64(b, uint64(v)) }
func integer(b []byte, v int64) []byte { return binary.LittleEndian.AppendUint32(b, uint32(v)) }
func text(b []byte, v int64) []byte    { return fmt.Appendf(b, "customer-%07d", v) }

// decimal writes the fewest bytes of two's complement that hold v, which is
// not negative.
func decimal(b []byte, v int64) []byte {
	bytes := 1
	for v>>(8*bytes-1) != 0 {
		bytes++
	}
	return append(b, binary.BigEndian.AppendUint64(nil, uint64(v))[8-bytes:]...)
}

// columns is how many columns a table has.
const columns = 20

// tableSchema has event_time, by whose days the table is partitioned, and
// columns of all kinds.
func tableSchema() *iceberg.Schema {
	fields := []iceberg.NestedField{{ID: 1, Name: "event_time", Type: iceberg.PrimitiveTypes.TimestampTz}}
	all := kinds()
	for id := 2; id <= columns; id++ {
		fields = append(fields, iceberg.NestedField{ID: id, Name: fmt.Sprintf("c%d", id), Type: all[(id-2)%len(all)].typ})
	}
	return iceberg.NewSchema(0, fields...)
}

// partitionField is the field id of event_time_day.
const partitionField = 1000

func tableSpec() iceberg.PartitionSpec {
	return iceberg.NewPartitionSpecID(0, iceberg.PartitionField{
		SourceIDs: []int{1}, FieldID: partitionField, Name: "event_time_day", Transform: iceberg.DayTransform{},
	})
}

// statistics are those of one file. They are filled anew for the next file,
// which is why they are no arguments of anything that keeps them.
type statistics struct {
	random                    *rand.Rand
	kinds                     []kind
	sizes, values, nulls, nan map[int]int64
	lower, upper              map[int][]byte
}

func newStatistics(random *rand.Rand) *statistics {
	return &statistics{
		random: random, kinds: kinds(), sizes: map[int]int64{}, values: map[int]int64{}, nulls: map[int]int64{}, nan: map[int]int64{},
		lower: map[int][]byte{}, upper: map[int][]byte{},
	}
}

// fill makes up the statistics of a file of some records of one day and returns
// the size of the file.
func (s *statistics) fill(day int, records int64) int64 {
	total := int64(4)
	for id := 1; id <= columns; id++ {
		s.sizes[id] = records/2 + s.random.Int64N(160*records)
		s.values[id], s.nulls[id] = records, 0
		total += s.sizes[id]
	}
	midnight, noon := int64(day)*microsPerDay, int64(day)*microsPerDay+microsPerDay/2
	s.lower[1] = long(s.lower[1][:0], midnight+s.random.Int64N(microsPerDay/2))
	s.upper[1] = long(s.upper[1][:0], noon+s.random.Int64N(microsPerDay/2))
	for id := 2; id <= columns; id++ {
		k := s.kinds[(id-2)%len(s.kinds)]
		s.lower[id] = k.encode(s.lower[id][:0], s.random.Int64N(span))
		s.upper[id] = k.encode(s.upper[id][:0], span+s.random.Int64N(span))
		switch k.typ.(type) {
		case iceberg.Float32Type, iceberg.Float64Type:
			s.nan[id] = 0
		default:
			s.nulls[id] = s.random.Int64N(records / 10)
		}
	}
	return total
}
