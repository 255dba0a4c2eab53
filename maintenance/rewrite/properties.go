package rewrite

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/compress"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"
	"github.com/apache/iceberg-go"
	"github.com/apache/iceberg-go/table"

	"github.com/firndb/firn/maintenance"
	"github.com/firndb/firn/maintenance/rewrite/splice"
)

// parquetSettings is what table properties say about Parquet files.
type parquetSettings struct {
	props []parquet.WriterProperty
	// rowGroupBytes is where a row group ends.
	rowGroupBytes int64
	// rowGroupRows is how many rows a row group has at most. Java knows no such
	// bound, so that there is none unless the table has PyIceberg's property.
	rowGroupRows int64
	// moved is what pages are like that are not written by the library.
	moved splice.Settings
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
	case "lz4_raw", "lz4raw":
		return compress.Codecs.Lz4Raw, true
	}
	return 0, false
}

// pageCheckRows is after how many rows the library looks at the size of a page.
const pageCheckRows = 1024

// newParquetSettings reads write.parquet.* properties. The error wraps
// maintenance.ErrInvalid or maintenance.ErrUnsupported and names the property.
func newParquetSettings(props iceberg.Properties) (parquetSettings, error) {
	r := &propertyReader{props: props}
	name := props.Get(table.ParquetCompressionKey, table.ParquetCompressionDefault)
	codec, ok := codecOf(name)
	if !ok {
		return parquetSettings{}, fmt.Errorf("%w: table property %q is %q; allowed are zstd, snappy, gzip, brotli, lz4_raw and uncompressed", maintenance.ErrUnsupported, table.ParquetCompressionKey, name)
	}
	s := parquetSettings{
		rowGroupBytes: r.positive(table.ParquetRowGroupSizeBytesKey, table.ParquetRowGroupSizeBytesDefault),
		rowGroupRows:  r.positive(table.ParquetRowGroupLimitKey, math.MaxInt64),
	}
	s.moved = splice.Settings{
		Codec: int32(codec), Level: r.level(codec),
		PageBytes:       r.positive(table.ParquetPageSizeBytesKey, table.ParquetPageSizeBytesDefault),
		PageRows:        r.positive(table.ParquetPageRowLimitKey, table.ParquetPageRowLimitDefault),
		DictionaryBytes: r.positive(table.ParquetDictSizeBytesKey, table.ParquetDictSizeBytesDefault),
	}
	s.props = []parquet.WriterProperty{
		parquet.WithCompression(codec),
		parquet.WithCompressionLevel(s.moved.Level),
		parquet.WithMaxRowGroupLength(s.rowGroupRows),
		parquet.WithDataPageSize(s.moved.PageBytes),
		parquet.WithBatchSize(min(s.moved.PageRows, pageCheckRows)),
		parquet.WithDictionaryPageSizeLimit(s.moved.DictionaryBytes),
		parquet.WithMaxBloomFilterBytes(r.positive(table.ParquetBloomFilterMaxBytesKey, table.ParquetBloomFilterMaxBytesDefault)),
		// The specification stores decimals of up to 18 digits as integers.
		parquet.WithStoreDecimalAsInteger(true),
		parquet.WithDataPageVersion(parquet.DataPageV1),
		parquet.WithCreatedBy("firn"),
	}
	if props.Get("write.parquet.page-version", "v1") == "v2" {
		s.moved.PageV2 = true
		s.props = append(s.props, parquet.WithDataPageVersion(parquet.DataPageV2))
	}
	r.bloomSizes(&s)
	for key, value := range props {
		if column, ok := strings.CutPrefix(key, table.ParquetBloomFilterColumnEnabledKeyPrefix+"."); ok {
			enabled := strings.EqualFold(value, "true")
			s.props = append(s.props, parquet.WithBloomFilterEnabledFor(column, enabled))
			if enabled {
				s.moved.Bloom = append(s.moved.Bloom, column)
			}
		}
	}
	return s, r.err
}

// The prefixes of properties that size the Bloom filter of a column.
const (
	bloomRatePrefix  = "write.parquet.bloom-filter-fpp.column."
	bloomCountPrefix = "write.parquet.bloom-filter-ndv.column."
)

// bloomSizes reads how many distinct values Bloom filters are made for, and how
// often they may err.
func (r *propertyReader) bloomSizes(s *parquetSettings) {
	for key, text := range r.props {
		if column, ok := strings.CutPrefix(key, bloomCountPrefix); ok {
			s.props = append(s.props, parquet.WithBloomFilterNDVFor(column, r.positive(key, 1)))
		}
		column, ok := strings.CutPrefix(key, bloomRatePrefix)
		if !ok {
			continue
		}
		rate, err := strconv.ParseFloat(text, 64)
		switch {
		case err == nil && rate > 0 && rate < 1:
			s.props = append(s.props, parquet.WithBloomFilterFPPFor(column, rate))
		case r.err == nil:
			r.err = fmt.Errorf("%w: table property %q must be a number between 0 and 1: got %q", maintenance.ErrInvalid, key, text)
		}
	}
}

// forSchema are the properties for files of a schema. Columns whose dictionary
// does not pay are written plain, as parquet-java does.
func (s parquetSettings) forSchema(schema *arrow.Schema) (*parquet.WriterProperties, error) {
	props := parquet.NewWriterProperties(s.props...)
	leaves, err := pqarrow.ToParquet(schema, props, pqarrow.DefaultWriterProps())
	if err != nil {
		return nil, fmt.Errorf("%w: schema cannot be written: %w", maintenance.ErrUnsupported, err)
	}
	all := slices.Clone(s.props)
	for i := range leaves.NumColumns() {
		all = append(all, parquet.WithDictionaryCostFallbackFor(leaves.Column(i).Path(), true))
	}
	return parquet.NewWriterProperties(all...), nil
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
