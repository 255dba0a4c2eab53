package datafile

import (
	"context"
	"errors"
	"io"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/iceberg-go"
	iceio "github.com/apache/iceberg-go/io"
	"github.com/apache/iceberg-go/table"
	"github.com/twmb/avro"
	"github.com/twmb/avro/ocf"

	"github.com/firndb/firn/maintenance/internal/avrofile"
)

// avroSource reads an Avro file.
type avroSource struct {
	file    io.Closer
	records *ocf.Reader
	columns []avroField
	schema  *arrow.Schema
	at      int64
	// batch is how many rows a batch has at most. It ends earlier where they are
	// long: nothing tells beforehand how long the rows of a file are.
	batch int
}

// batchBytes is after how many bytes of values a batch ends.
const batchBytes = 4 << 20

func openAvro(fs iceio.IO, path string, batch int, wanted map[int]iceberg.NestedField, names iceberg.NameMapping) (s *avroSource, err error) {
	f, err := fs.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			f.Close()
		}
	}()
	s = &avroSource{file: f, batch: batch}
	// Records are read by a schema without logical types, which are applied
	// here, and without the columns that are not wanted.
	// Java admits the letters of all languages in names.
	anyName := avro.WithLaxNames(nil)
	s.records, err = ocf.NewReader(f, ocf.WithMaxBlockBytes(avrofile.MaxBlock), ocf.WithMaxDecompressedBlockBytes(avrofile.MaxBlock), ocf.WithSchemaOpts(anyName),
		ocf.WithReaderSchemaFunc(func(r *ocf.Reader) (*avro.Schema, error) {
			root := r.Schema().Root()
			var plain *avro.SchemaNode
			var err error
			if s.columns, plain, err = avroColumns(root, wanted, names); err != nil {
				return nil, err
			}
			return plain.Schema(anyName)
		}))
	if err != nil {
		return nil, err
	}
	s.schema, err = table.SchemaToArrowSchemaWithOptions(iceberg.NewSchema(0, s.fields()...), table.ArrowSchemaOptions{IncludeFieldIDs: true})
	if err != nil {
		s.records.Close()
	}
	return s, err
}

func (s *avroSource) fields() []iceberg.NestedField {
	fields := make([]iceberg.NestedField, len(s.columns))
	for i, c := range s.columns {
		fields[i] = c.field
	}
	return fields
}

func (s *avroSource) close() {
	s.records.Close()
	s.file.Close()
}

// next implements source.
func (s *avroSource) next(ctx context.Context) (arrow.RecordBatch, int64, error) {
	if err := ctx.Err(); err != nil {
		return nil, 0, err
	}
	b := array.NewRecordBuilder(memory.DefaultAllocator, s.schema)
	defer b.Release()
	first, n := s.at, 0
	for bytes := 0; n < s.batch && bytes < batchBytes; {
		var record any
		err := s.records.Decode(&record)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, 0, err
		}
		if err := appendAvroFields(s.columns, b.Field, record); err != nil {
			return nil, 0, err
		}
		bytes += decodedBytes(record)
		n++
	}
	if n == 0 {
		return nil, 0, nil
	}
	s.at += int64(n)
	columns := make([]arrow.Array, len(s.columns))
	for i := range columns {
		columns[i] = b.Field(i).NewArray()
		defer columns[i].Release()
	}
	return array.NewRecordBatch(s.schema, columns, int64(n)), first, nil
}
