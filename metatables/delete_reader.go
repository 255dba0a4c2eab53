package metatables

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/apache/iceberg-go"
	iceio "github.com/apache/iceberg-go/io"
	"github.com/apache/iceberg-go/table"
	"github.com/apache/iceberg-go/table/dv"
	"github.com/twmb/avro/ocf"
)

// deleteReader reads the positions of delete files.
type deleteReader struct {
	tbl *table.Table
	fs  iceio.IO
}

func newDeleteReader(ctx context.Context, s scan) (deleteReader, error) {
	fs, err := s.tbl.FS(ctx)
	if err != nil {
		return deleteReader{}, fmt.Errorf("open the file system of the table: %w", err)
	}
	return deleteReader{s.tbl, fs}, nil
}

// read reads one delete file, or the deletion vectors of one Puffin file.
func (r deleteReader) read(ctx context.Context, files []iceberg.DataFile, emit func(deleteRow) error) error {
	var err error
	file := files[0]
	switch file.FileFormat() {
	case iceberg.PuffinFile:
		err = r.readVectors(ctx, files, emit)
	case iceberg.ParquetFile:
		err = r.readParquet(ctx, file, emit)
	case iceberg.AvroFile:
		err = r.readAvro(ctx, file, emit)
	default:
		err = fmt.Errorf("format %s cannot be read; it can be PARQUET, AVRO or PUFFIN", file.FileFormat())
	}
	if err != nil {
		return fmt.Errorf("read delete file %q: %w", file.FilePath(), err)
	}
	return nil
}

// readVectors reads deletion vectors, each of which is about one data file.
func (r deleteReader) readVectors(ctx context.Context, files []iceberg.DataFile, emit func(deleteRow) error) error {
	bitmaps, err := dv.ReadDVs(r.fs, files)
	if err != nil {
		return err
	}
	for i, file := range files {
		of := file.ReferencedDataFile()
		if of == nil {
			return errors.New("the manifest does not say which data file a deletion vector is for")
		}
		for pos := range bitmaps[i].Positions() {
			if err := errors.Join(ctx.Err(), emit(deleteRow{file: file, path: *of, pos: int64(pos)})); err != nil {
				return err
			}
		}
	}
	return nil
}

// avroDelete is a record of an Avro delete file without the deleted row.
type avroDelete struct {
	Path string `avro:"file_path"`
	Pos  int64  `avro:"pos"`
}

func (r deleteReader) readAvro(ctx context.Context, file iceberg.DataFile, emit func(deleteRow) error) (err error) {
	f, err := r.fs.Open(file.FilePath())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	records, err := ocf.NewReader(f)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, records.Close()) }()
	for _, field := range records.Schema().Root().Fields {
		if field.Name == "row" {
			return errors.New("deleted rows that an Avro file keeps cannot be read")
		}
	}
	path := sharedString{}
	for {
		var d avroDelete
		if err := records.Decode(&d); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		if err := errors.Join(ctx.Err(), emit(deleteRow{file: file, path: path.of(d.Path), pos: d.Pos})); err != nil {
			return err
		}
	}
}

// sharedString keeps one copy of a string that comes many times in a row.
type sharedString struct{ last string }

func (s *sharedString) of(text string) string {
	if s.last != text {
		s.last = strings.Clone(text)
	}
	return s.last
}
