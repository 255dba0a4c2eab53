package datafile

import (
	"context"
	"fmt"
	"strconv"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/iceberg-go"
	iceio "github.com/apache/iceberg-go/io"

	"github.com/firndb/firn/maintenance"
)

// source reads the columns of one file that are wanted, as far as it has them,
// in the types of the file.
type source interface {
	// fields are the columns of the batches.
	fields() []iceberg.NestedField
	// next returns the next rows and the position of the first of them. The
	// positions of a batch follow each other. The batch is nil at the end.
	next(ctx context.Context) (batch arrow.RecordBatch, first int64, err error)
	close()
}

// open opens a data or delete file to read the top-level columns of those ids.
// In files without field ids, names are mapped to ids.
func open(ctx context.Context, fs iceio.IO, file iceberg.DataFile, wanted map[int]iceberg.NestedField, names iceberg.NameMapping) (source, error) {
	switch file.FileFormat() {
	case iceberg.ParquetFile:
		return openParquet(ctx, fs, file.FilePath(), wanted, names)
	case iceberg.AvroFile:
		return openAvro(fs, file.FilePath(), wanted, names)
	}
	return nil, fmt.Errorf("%w: files of format %s cannot be read, only those of PARQUET and AVRO", maintenance.ErrUnsupported, file.FileFormat())
}

// rowCount is a file of which nothing is to be known but how many rows it has:
// it need not be opened.
type rowCount struct{ rows, at int64 }

func (c *rowCount) fields() []iceberg.NestedField { return nil }

func (c *rowCount) next(ctx context.Context) (arrow.RecordBatch, int64, error) {
	first := c.at
	n := min(batchRows, c.rows-first)
	if n == 0 {
		return nil, 0, nil
	}
	c.at += n
	return array.NewRecordBatch(arrow.NewSchema(nil, nil), nil, n), first, ctx.Err()
}

func (c *rowCount) close() {}

// fieldIDKey is where Arrow schemas of Parquet files keep field ids.
const fieldIDKey = "PARQUET:field_id"

func idMetadata(id int) arrow.Metadata {
	return arrow.NewMetadata([]string{fieldIDKey}, []string{strconv.Itoa(id)})
}

// fieldID is the id that an Arrow field carries, false if none.
func fieldID(f arrow.Field) (int, bool) {
	text, ok := f.Metadata.GetValue(fieldIDKey)
	if !ok {
		return 0, false
	}
	id, err := strconv.Atoi(text)
	return id, err == nil && id > 0
}

// mapped finds the field of a name mapping that has the name.
func mapped(names []iceberg.MappedField, name string) *iceberg.MappedField {
	for i, m := range names {
		for _, n := range m.Names {
			if n == name {
				return &names[i]
			}
		}
	}
	return nil
}
