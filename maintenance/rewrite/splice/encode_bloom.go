package splice

import (
	"bytes"

	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet/metadata"

	"github.com/firndb/firn/maintenance/internal/parquet/format"
)

// Bloom is how the Bloom filters are sized that are made for encoded columns.
type Bloom struct {
	// MaxBytes bounds a filter, which is that large for a column of which Values
	// does not say how many distinct values it is made for.
	MaxBytes int64
	Values   map[string]int64
	// Rates are how often a filter may err, DefaultBloomRate unless set.
	Rates map[string]float64
}

// DefaultBloomRate is how often a Bloom filter may err.
const DefaultBloomRate = 0.01

// filter is the Bloom filter of a chunk.
type filter struct{ metadata.BloomFilterBuilder }

// newFilter is the filter of a column, nil if it gets none.
func (t *Target) newFilter(c *column) *filter {
	if !c.bloom || c.width() < 0 {
		return nil
	}
	most := max(1, min(t.Filters.MaxBytes, maxFilter))
	name := c.name()
	values, known := t.Filters.Values[name]
	if !known {
		return &filter{metadata.NewBloomFilter(uint32(most), uint32(most), memory.DefaultAllocator)}
	}
	rate, ok := t.Filters.Rates[name]
	if !ok {
		rate = DefaultBloomRate
	}
	return &filter{metadata.NewBloomFilterFromNDVAndFPP(uint32(min(values, 1<<32-1)), rate, most, memory.DefaultAllocator)}
}

// add takes in a plain value, without its length.
func (f *filter) add(v []byte) { f.InsertHash(f.Hasher().Sum64(v)) }

// encoded is the filter with its header.
func (f *filter) encoded() ([]byte, error) {
	var b bytes.Buffer
	b.Write(format.AppendFilterHeader(nil, int32(f.Size())))
	_, err := f.WriteTo(&b, nil)
	f.Release()
	return b.Bytes(), err
}
