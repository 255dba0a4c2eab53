package rewrite

import (
	"bytes"
	"context"
	"fmt"
	"io"

	"github.com/apache/iceberg-go"
	"github.com/apache/iceberg-go/table"

	"github.com/firndb/firn/maintenance"
	"github.com/firndb/firn/maintenance/rewrite/splice"
)

// memoryFile is a file in memory.
type memoryFile struct{ bytes.Buffer }

// Close does nothing.
func (*memoryFile) Close() error { return nil }

func bytesReader(b []byte) io.ReaderAt { return bytes.NewReader(b) }

// decode reads tasks with their deletes applied, and adds their rows as row
// groups of files in memory.
func (s *splicer) decode(ctx context.Context, tasks []table.FileScanTask) error {
	if len(tasks) == 0 {
		return nil
	}
	var file *memoryFile
	w := &rolling{
		out: s.r.out, partition: s.place.partition, maxBytes: s.rowGroup, rowBytes: s.g.rowBytes(), rowGroup: s.rowGroup,
		sink: func() (string, io.WriteCloser, error) {
			file = &memoryFile{}
			return "memory", file, nil
		},
		done: func(df iceberg.DataFile) error { return s.addMemory(ctx, file.Bytes(), df) },
	}
	read := s.reader.Rows(tasks)
	var rows int64
	for batch, err := range read.All(ctx) {
		if err != nil {
			return err
		}
		rows += batch.NumRows()
		err := w.write(batch)
		batch.Release()
		if err != nil {
			return err
		}
	}
	if err := w.finish(); err != nil {
		return err
	}
	s.deleted += read.Deleted()
	if w.rows != rows {
		return fmt.Errorf("%w: %d rows were read but %d written", maintenance.ErrCorrupt, rows, w.rows)
	}
	return nil
}

// addMemory adds the row groups of a file in memory.
func (s *splicer) addMemory(ctx context.Context, b []byte, df iceberg.DataFile) error {
	source, err := s.target.OpenBytes(ctx, "decoded rows", b)
	if err != nil {
		return err
	}
	groups := source.RowGroups()
	for i := range groups {
		in := input{part: &splice.Part{Source: source, RowGroup: i}, file: df, whole: len(groups) == 1, r: bytesReader(b), size: int64(len(b))}
		if err := s.add(ctx, in); err != nil {
			return err
		}
	}
	return nil
}
