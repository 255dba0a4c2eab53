package rewrite

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/apache/arrow-go/v18/parquet/compress"
	"github.com/apache/iceberg-go"
	"github.com/apache/iceberg-go/table"

	"github.com/firndb/firn/maintenance"
	"github.com/firndb/firn/maintenance/rewrite/splice"
)

// parquetSettings is what table properties say about Parquet files.
type parquetSettings struct {
	// rowGroupBytes is where a row group ends.
	rowGroupBytes int64
	// rowGroupRows is how many rows a row group has at most. Java knows no such
	// bound, so that there is none unless the table has PyIceberg's property.
	rowGroupRows int64
	// pages is what pages and what belongs to them are like.
	pages splice.Settings
}

// codecOf finds a value of write.parquet.compression-codec, in any case.
func codecOf(name string) (codec compress.Compression, ok bool) {
	switch strings.ToLower(name) {
	case "uncompressed", "none":
		return compress.Codecs.Uncompressed, true
	case "snappy":
		return compress.Codecs.Snappy, true
	case "gzip":
		return compress.Codecs.Gzip, true
	case "brotli":
		return compress.Codecs.Brotli, true
	case "zstd":
		return compress.Codecs.Zstd, true
	case "lz4_raw", "lz4raw", "lz4":
		// For "lz4" Java writes the same blocks in a frame of Hadoop's, which is
		// deprecated (parquet-format, Compression) and which few others read.
		return compress.Codecs.Lz4Raw, true
	}
	return 0, false
}

// newParquetSettings reads write.parquet.* properties. The error wraps
// maintenance.ErrInvalid or maintenance.ErrUnsupported and names the property.
func newParquetSettings(props iceberg.Properties) (parquetSettings, error) {
	r := &propertyReader{props: props}
	name := props.Get(table.ParquetCompressionKey, table.ParquetCompressionDefault)
	codec, ok := codecOf(name)
	if !ok {
		return parquetSettings{}, fmt.Errorf("%w: table property %q is %q; allowed are zstd, snappy, gzip, brotli, lz4_raw, lz4 and uncompressed", maintenance.ErrUnsupported, table.ParquetCompressionKey, name)
	}
	s := parquetSettings{
		rowGroupBytes: r.positive(table.ParquetRowGroupSizeBytesKey, table.ParquetRowGroupSizeBytesDefault),
		rowGroupRows:  r.positive(table.ParquetRowGroupLimitKey, math.MaxInt64),
	}
	s.pages = splice.Settings{
		Codec: int32(codec), Level: r.level(codec),
		PageBytes:       r.positive(table.ParquetPageSizeBytesKey, table.ParquetPageSizeBytesDefault),
		PageRows:        r.positive(table.ParquetPageRowLimitKey, table.ParquetPageRowLimitDefault),
		DictionaryBytes: r.positive(table.ParquetDictSizeBytesKey, table.ParquetDictSizeBytesDefault),
		PageV2:          props.Get("write.parquet.page-version", "v1") == "v2",
		Filters:         r.bloomSizes(),
	}
	for key, value := range props {
		on := strings.EqualFold(value, "true")
		if column, ok := strings.CutPrefix(key, table.ParquetBloomFilterColumnEnabledKeyPrefix+"."); ok && on {
			s.pages.Bloom = append(s.pages.Bloom, column)
		}
		if column, ok := strings.CutPrefix(key, dictionaryPrefix); ok && !on {
			s.pages.NoDictionary = append(s.pages.NoDictionary, column)
		}
		if column, ok := strings.CutPrefix(key, statisticsPrefix); ok && !on {
			s.pages.NoStatistics = append(s.pages.NoStatistics, column)
		}
	}
	return s, r.err
}

// The prefixes of properties that size the Bloom filter of a column.
const (
	bloomRatePrefix  = "write.parquet.bloom-filter-fpp.column."
	bloomCountPrefix = "write.parquet.bloom-filter-ndv.column."
)

// dictionaryPrefix is that of the property that turns a column's dictionary off.
const dictionaryPrefix = "write.parquet.dict-encoding-enabled.column."

// statisticsPrefix is that of the property that turns a column's bounds off.
const statisticsPrefix = "write.parquet.stats-enabled.column."

// inFiles replaces the names of columns in a table by those in its files, which
// differ inside lists and maps. Names of columns that there are not stay.
func (s *parquetSettings) inFiles(schema *iceberg.Schema, paths map[int]string) {
	path := func(name string) string {
		if f, ok := schema.FindFieldByName(name); ok && paths[f.ID] != "" {
			return paths[f.ID]
		}
		return name
	}
	for _, names := range [][]string{s.pages.Bloom, s.pages.NoDictionary, s.pages.NoStatistics} {
		for i := range names {
			names[i] = path(names[i])
		}
	}
	s.pages.Filters.Values = renamed(s.pages.Filters.Values, path)
	s.pages.Filters.Rates = renamed(s.pages.Filters.Rates, path)
}

func renamed[T any](values map[string]T, path func(string) string) map[string]T {
	out := make(map[string]T, len(values))
	for name, v := range values {
		out[path(name)] = v
	}
	return out
}

// bloomSizes reads how many distinct values Bloom filters are made for, and how
// often they may err.
func (r *propertyReader) bloomSizes() splice.Bloom {
	out := splice.Bloom{
		MaxBytes: r.positive(table.ParquetBloomFilterMaxBytesKey, table.ParquetBloomFilterMaxBytesDefault),
		Values:   map[string]int64{}, Rates: map[string]float64{},
	}
	for key, text := range r.props {
		if column, ok := strings.CutPrefix(key, bloomCountPrefix); ok {
			out.Values[column] = r.positive(key, 1)
		}
		column, ok := strings.CutPrefix(key, bloomRatePrefix)
		if !ok {
			continue
		}
		rate, err := strconv.ParseFloat(text, 64)
		switch {
		case err == nil && rate > 0 && rate < 1:
			out.Rates[column] = rate
		case r.err == nil:
			r.err = fmt.Errorf("%w: table property %q must be a number between 0 and 1: got %q", maintenance.ErrInvalid, key, text)
		}
	}
	return out
}

// propertyReader reads numeric table properties and keeps the first error.
type propertyReader struct {
	props iceberg.Properties
	err   error
}

func (r *propertyReader) positive(key string, otherwise int64) int64 {
	text, ok := r.props[key]
	if !ok {
		return otherwise
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if (err != nil || n <= 0) && r.err == nil {
		r.err = fmt.Errorf("%w: table property %q must be a positive whole number: got %q", maintenance.ErrInvalid, key, text)
	}
	return n
}

// level is the compression level: the codec's own default unless set, and for
// codecs that have none. The writer of gzip panics at a level that it does not
// know; that of zstd takes the nearest.
func (r *propertyReader) level(codec compress.Compression) int {
	text, ok := r.props[table.ParquetCompressionLevelKey]
	if !ok {
		return compress.DefaultCompressionLevel
	}
	n, err := strconv.Atoi(text)
	if err != nil && r.err == nil {
		r.err = fmt.Errorf("%w: table property %q must be a whole number: got %q", maintenance.ErrInvalid, table.ParquetCompressionLevelKey, text)
	}
	most := 0
	switch codec {
	case compress.Codecs.Zstd:
		return n
	case compress.Codecs.Gzip:
		most = 9
	case compress.Codecs.Brotli:
		most = 11
	default:
		return compress.DefaultCompressionLevel
	}
	if (n < compress.DefaultCompressionLevel || n > most) && r.err == nil {
		r.err = fmt.Errorf("%w: table property %q must be 0 to %d for this codec, or -1 for its default: got %q", maintenance.ErrInvalid, table.ParquetCompressionLevelKey, most, text)
	}
	return n
}
