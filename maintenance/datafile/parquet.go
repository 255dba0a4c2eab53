package datafile

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"
	"github.com/apache/iceberg-go"
	iceio "github.com/apache/iceberg-go/io"
	"github.com/apache/iceberg-go/table"

	"github.com/firndb/firn/maintenance"
)

// chunkBuffer is how much of a column chunk is read at once.
const chunkBuffer = 1 << 20

// parquetSource reads a Parquet file.
type parquetSource struct {
	file    io.Closer
	columns []iceberg.NestedField
	schema  *arrow.Schema
	// legacy are the columns of physical type INT96.
	legacy []int
	// rows are those of the file that have not been read, if no column is.
	rows    int64
	batches array.RecordReader
	at      int64
}

func openParquet(ctx context.Context, fs iceio.IO, path string, wanted map[int]iceberg.NestedField, names iceberg.NameMapping) (s *parquetSource, err error) {
	f, err := fs.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			f.Close()
		}
	}()
	props := parquet.NewReaderProperties(memory.DefaultAllocator)
	props.BufferedStreamEnabled, props.BufferSize = true, chunkBuffer
	footer, err := file.NewParquetReader(f, file.WithReadProps(props))
	if err != nil {
		return nil, err
	}
	reader, err := pqarrow.NewFileReader(footer, pqarrow.ArrowReadProperties{BatchSize: batchRows}, memory.DefaultAllocator)
	if err != nil {
		return nil, err
	}
	s = &parquetSource{file: f, rows: footer.NumRows()}
	isLegacy := func(leaf int) bool {
		return footer.MetaData().Schema.Column(leaf).PhysicalType() == parquet.Types.Int96
	}
	leaves, err := s.choose(reader.Manifest, wanted, names, isLegacy)
	if err != nil || len(leaves) == 0 || s.rows == 0 {
		return s, err
	}
	s.batches, err = reader.GetRecordReader(ctx, leaves, nil)
	return s, err
}

func (s *parquetSource) fields() []iceberg.NestedField { return s.columns }

func (s *parquetSource) close() {
	if s.batches != nil {
		s.batches.Release()
	}
	s.file.Close()
}

// next implements source. Without columns to read there is nothing but the
// number of rows.
func (s *parquetSource) next(ctx context.Context) (arrow.RecordBatch, int64, error) {
	if err := ctx.Err(); err != nil {
		return nil, 0, err
	}
	first := s.at
	if s.batches == nil {
		n := min(batchRows, s.rows-s.at)
		if n == 0 {
			return nil, 0, nil
		}
		s.at += n
		return array.NewRecordBatch(s.schema, nil, n), first, nil
	}
	if !s.batches.Next() {
		err := s.batches.Err()
		if errors.Is(err, io.EOF) {
			err = nil
		}
		if err == nil && s.at != s.rows {
			err = fmt.Errorf("%w: it has %d rows, but its footer says %d", maintenance.ErrCorrupt, s.at, s.rows)
		}
		return nil, 0, err
	}
	batch := s.batches.RecordBatch()
	s.at += batch.NumRows()
	columns := slices.Clone(batch.Columns())
	for _, i := range s.legacy {
		micros, err := microseconds(columns[i])
		if err != nil {
			return nil, 0, err
		}
		defer micros.Release()
		columns[i] = micros
	}
	return array.NewRecordBatch(s.schema, columns, batch.NumRows()), first, nil
}

// choose finds the columns that are wanted: their leaves, and what they are in
// the table.
func (s *parquetSource) choose(manifest *pqarrow.SchemaManifest, wanted map[int]iceberg.NestedField, names iceberg.NameMapping, isLegacy func(leaf int) bool) ([]int, error) {
	fields := make([]arrow.Field, len(manifest.Fields))
	without := len(fields) > 0
	for i, f := range manifest.Fields {
		fields[i] = *f.Field
		if _, ok := fieldID(fields[i]); ok {
			without = false
		}
	}
	var leaves []int
	var chosen []arrow.Field
	for i, f := range fields {
		id, ok := fieldID(f)
		if without {
			id, ok = withoutID(names, f.Name, i)
		}
		if _, want := wanted[id]; !ok || !want {
			continue
		}
		if without && names == nil {
			f.Metadata = idMetadata(id)
		}
		if manifest.Fields[i].IsLeaf() && isLegacy(manifest.Fields[i].ColIndex) {
			s.legacy = append(s.legacy, len(chosen))
			f.Type = microsType()
		}
		chosen = append(chosen, f)
		leaves = appendLeaves(leaves, manifest.Fields[i])
	}
	if s.schema = arrow.NewSchema(chosen, nil); len(chosen) == 0 {
		return nil, nil
	}
	schema, err := table.ArrowSchemaToIcebergWithOptions(s.schema, table.ArrowToIcebergOptions{NameMapping: names})
	if err != nil {
		return nil, err
	}
	s.columns = schema.Fields()
	return leaves, nil
}

// withoutID is the id of top-level column i of a file without ids: the name
// mapping's, or without one, its number (Java Iceberg:
// ParquetSchemaUtil.addFallbackIds).
func withoutID(names iceberg.NameMapping, name string, i int) (int, bool) {
	if names == nil {
		return i + 1, true
	}
	m := mapped(names, name)
	if m == nil || m.FieldID == nil {
		return 0, false
	}
	return *m.FieldID, true
}

func appendLeaves(leaves []int, f pqarrow.SchemaField) []int {
	if f.IsLeaf() {
		return append(leaves, f.ColIndex)
	}
	for _, child := range f.Children {
		leaves = appendLeaves(leaves, child)
	}
	return leaves
}

// microsType is what timestamps of physical type INT96 become: they are instants.
func microsType() *arrow.TimestampType {
	return &arrow.TimestampType{Unit: arrow.Microsecond, TimeZone: "UTC"}
}

// microseconds turns timestamps of any unit into such, rounding down.
func microseconds(arr arrow.Array) (arrow.Array, error) {
	from, ok := arr.(*array.Timestamp)
	if !ok {
		return nil, fmt.Errorf("a timestamp is stored as %s", arr.DataType())
	}
	unit := from.DataType().(*arrow.TimestampType).Unit
	b := array.NewTimestampBuilder(memory.DefaultAllocator, microsType())
	defer b.Release()
	for i := range from.Len() {
		if from.IsNull(i) {
			b.AppendNull()
			continue
		}
		b.Append(arrow.Timestamp(from.Value(i).ToTime(unit).UnixMicro()))
	}
	return b.NewArray(), nil
}
