package metatables

import (
	"context"
	"errors"
	"fmt"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/arrow/scalar"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"
	"github.com/apache/iceberg-go"
	"github.com/apache/iceberg-go/table"
)

// readParquet reads a Parquet delete file ("Position Delete Files" in the
// specification) row group by row group.
func (r deleteReader) readParquet(ctx context.Context, of iceberg.DataFile, emit func(deleteRow) error) (err error) {
	f, err := r.fs.Open(of.FilePath())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	footer, err := file.NewParquetReader(f)
	if err != nil {
		return err
	}
	columns, err := pqarrow.NewFileReader(footer, pqarrow.ArrowReadProperties{BatchSize: batchRows}, memory.DefaultAllocator)
	if err != nil {
		return err
	}
	batches, err := columns.GetRecordReader(ctx, nil, nil)
	if err != nil {
		return err
	}
	defer batches.Release()
	for batches.Next() {
		if err := r.emitBatch(ctx, of, batches.RecordBatch(), emit); err != nil {
			return err
		}
	}
	return batches.Err()
}

func (r deleteReader) emitBatch(ctx context.Context, of iceberg.DataFile, batch arrow.RecordBatch, emit func(deleteRow) error) error {
	paths, ok := columnNamed(batch, "file_path").(*array.String)
	if !ok {
		return errors.New("it has no text column file_path")
	}
	positions, ok := columnNamed(batch, "pos").(*array.Int64)
	if !ok {
		return errors.New("it has no long column pos")
	}
	var values arrow.Array
	kept, ok := columnNamed(batch, "row").(*array.Struct)
	if ok {
		current, err := r.currentRows(ctx, kept)
		if err != nil {
			return fmt.Errorf("the deleted rows that it keeps: %w", err)
		}
		defer current.Release()
		values = current
	}
	path := sharedString{}
	for i := range int(batch.NumRows()) {
		row := deleteRow{file: of, path: path.of(paths.Value(i)), pos: positions.Value(i)}
		if values != nil && !kept.IsNull(i) {
			value, err := scalar.GetScalar(values, i)
			if err != nil {
				return err
			}
			row.value = value
		}
		if err := errors.Join(ctx.Err(), emit(row)); err != nil {
			return err
		}
	}
	return nil
}

// columnNamed is nil if there is no such column.
func columnNamed(batch arrow.RecordBatch, name string) arrow.Array {
	for i, f := range batch.Schema().Fields() {
		if f.Name == name {
			return batch.Column(i)
		}
	}
	return nil
}

// currentRows brings rows that a delete file keeps to the table's current
// schema. A row that is NULL comes out as a row of NULLs.
func (r deleteReader) currentRows(ctx context.Context, kept *array.Struct) (arrow.Array, error) {
	arrowType := arrow.NewSchema(kept.DataType().(*arrow.StructType).Fields(), nil)
	fileSchema, err := table.ArrowSchemaToIceberg(arrowType, false, r.tbl.Schema().NameMapping())
	if err != nil {
		return nil, err
	}
	from := array.RecordFromStructArray(kept, arrowType)
	defer from.Release()
	to, err := table.ToRequestedSchema(ctx, r.tbl.Schema(), fileSchema, from, table.SchemaOptions{
		FormatVersion: r.tbl.Metadata().Version(), IncludeFieldIDs: true, AllowMissingRequired: true,
	})
	if err != nil {
		return nil, err
	}
	defer to.Release()
	return array.RecordToStructArray(to), nil
}
