package flat

import (
	"encoding/binary"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/metadata"
	"github.com/apache/arrow-go/v18/parquet/schema"

	"github.com/firndb/firn/maintenance/internal/parquet/codec"
	"github.com/firndb/firn/maintenance/internal/parquet/format"
)

// Column is what a reader must know of a column.
type Column struct {
	typ      arrow.DataType
	optional bool
	kind     kind
	// stored is how many bytes a value takes in a page, width in an array; both
	// are 0 if that differs from value to value.
	stored, width int
}

// kind is what becomes of values.
type kind uint8

const (
	same     kind = iota + 1 // their bytes are the array's
	texts                    // they have their lengths before them
	integers                 // they become decimals
	digits                   // they are decimals, the highest byte first
	booleans                 // they take a bit
)

// NewColumn describes a column of a file that becomes an array of a type. It is
// false if another reader must read it.
func NewColumn(c *schema.Column, typ arrow.DataType) (Column, bool) {
	if c.MaxRepetitionLevel() > 0 || c.MaxDefinitionLevel() > 1 || len(c.ColumnPath()) != 1 || binary.NativeEndian.Uint16([]byte{1, 0}) != 1 {
		return Column{}, false
	}
	storage := typ
	if ext, ok := typ.(arrow.ExtensionType); ok {
		storage = ext.StorageType()
	}
	col := Column{typ: typ, optional: c.MaxDefinitionLevel() == 1}
	col.stored = storedWidth(c)
	col.kind = kindOf(c, storage)
	switch col.width = col.stored; col.kind {
	case 0:
		return col, false
	case integers, digits:
		col.width = arrow.Decimal128SizeBytes
	}
	return col, true
}

func storedWidth(c *schema.Column) int {
	switch c.PhysicalType() {
	case parquet.Types.Int32, parquet.Types.Float:
		return 4
	case parquet.Types.Int64, parquet.Types.Double:
		return 8
	case parquet.Types.FixedLenByteArray:
		return c.TypeLength()
	}
	return 0
}

// kindOf is 0 for types that are left to others.
func kindOf(c *schema.Column, typ arrow.DataType) kind {
	physical := c.PhysicalType()
	switch typ := typ.(type) {
	case *arrow.Int32Type, *arrow.Uint32Type, *arrow.Date32Type, *arrow.Time32Type:
		return only(same, physical == parquet.Types.Int32)
	case *arrow.Int64Type, *arrow.Uint64Type, *arrow.TimestampType, *arrow.Time64Type:
		return only(same, physical == parquet.Types.Int64)
	case *arrow.Float32Type:
		return only(same, physical == parquet.Types.Float)
	case *arrow.Float64Type:
		return only(same, physical == parquet.Types.Double)
	case *arrow.BooleanType:
		return only(booleans, physical == parquet.Types.Boolean)
	case *arrow.StringType, *arrow.BinaryType:
		return only(texts, physical == parquet.Types.ByteArray)
	case *arrow.FixedSizeBinaryType:
		return only(same, physical == parquet.Types.FixedLenByteArray && c.TypeLength() == typ.ByteWidth && typ.ByteWidth > 0)
	case *arrow.Decimal128Type:
		switch physical {
		case parquet.Types.Int32, parquet.Types.Int64:
			return integers
		case parquet.Types.FixedLenByteArray:
			return only(digits, c.TypeLength() > 0 && c.TypeLength() <= arrow.Decimal128SizeBytes)
		}
	}
	return 0
}

func only(k kind, ok bool) kind {
	if !ok {
		return 0
	}
	return k
}

// Fits says whether a chunk of the column can be read, as far as the footer
// tells. It has as many rows.
func (c Column) Fits(chunk *metadata.ColumnChunkMetaData, rows int64) bool {
	if chunk.CryptoMetadata() != nil || chunk.FilePath() != "" || !codec.Known(format.Codec(chunk.Compression())) || chunk.NumValues() != rows {
		return false
	}
	for _, e := range chunk.Encodings() {
		switch format.Encoding(e) {
		case format.Plain, format.PlainDictionary, format.RLEDictionary, format.RLE, format.BitPacked:
		default:
			return false
		}
	}
	return true
}
