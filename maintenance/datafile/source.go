package datafile

import (
	"context"
	"fmt"
	"io"
	"strconv"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/iceberg-go"
	iceio "github.com/apache/iceberg-go/io"
	"github.com/apache/iceberg-go/table"

	"github.com/firndb/firn/maintenance"
	"github.com/firndb/firn/maintenance/internal/filebuf"
	"github.com/firndb/firn/maintenance/internal/parquet/flat"
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

// store is where files are, and how they are read.
type store struct {
	fs      iceio.IO
	options Options
	buffers filebuf.Pool
	flat    flat.Pool
	// given, if not nil, is the data file that is read, already open.
	given io.ReaderAt
}

// open opens a task's file, or a delete file as a task of its own, to read the
// top-level columns of those ids. In files without field ids, names are mapped to
// ids.
func (s *store) open(ctx context.Context, task table.FileScanTask, wanted map[int]iceberg.NestedField, names iceberg.NameMapping) (source, error) {
	switch format := task.File.FileFormat(); {
	case format == iceberg.ParquetFile:
		return s.openParquet(ctx, task, wanted, names)
	case format != iceberg.AvroFile:
		return nil, fmt.Errorf("%w: files of format %s cannot be read, only those of PARQUET and AVRO", maintenance.ErrUnsupported, format)
	case !isWhole(task):
		return nil, fmt.Errorf("%w: a piece of a file of format %s cannot be read", maintenance.ErrUnsupported, format)
	}
	return openAvro(s.fs, task.File.FilePath(), s.options.BatchRows, wanted, names)
}

// wholeTask is a task that reads all of a file and applies no deletes.
func wholeTask(file iceberg.DataFile) table.FileScanTask {
	return table.FileScanTask{File: file, Length: file.FileSizeBytes()}
}

// isWhole says whether a task is about a whole file rather than the row groups
// that begin in a range of it.
func isWhole(task table.FileScanTask) bool {
	return task.Start == 0 && task.Length == task.File.FileSizeBytes()
}

// rowCount is a file of which nothing is to be known but how many rows it has:
// it need not be opened.
type rowCount struct{ rows, at, batch int64 }

func (c *rowCount) fields() []iceberg.NestedField { return nil }

func (c *rowCount) next(ctx context.Context) (arrow.RecordBatch, int64, error) {
	first := c.at
	n := min(c.batch, c.rows-first)
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
