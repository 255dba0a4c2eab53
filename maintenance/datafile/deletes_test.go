package datafile

import (
	"context"
	"errors"
	"io/fs"
	"testing"

	"github.com/apache/iceberg-go"
	iceio "github.com/apache/iceberg-go/io"
	"github.com/apache/iceberg-go/table"
)

// nothing is a file system without files.
type nothing struct{ opened int }

func (n *nothing) Open(string) (iceio.File, error) { n.opened++; return nil, fs.ErrNotExist }
func (*nothing) Remove(string) error               { return nil }

// A delete file that could not be read is read again by the next who needs it:
// the first may have given up for reasons of its own.
func TestDeletesAreReadAgain(t *testing.T) {
	build := func(path string, content iceberg.ManifestEntryContent) iceberg.DataFile {
		b, err := iceberg.NewDataFileBuilder(*iceberg.UnpartitionedSpec, content, path, iceberg.ParquetFile, nil, nil, nil, 1, 1)
		if err != nil {
			t.Fatal(err)
		}
		return b.Build()
	}
	for name, bounded := range map[string]int64{"positions": 0, "bounded keys": 1} {
		task := table.FileScanTask{File: build("data", iceberg.EntryContentData)}
		if bounded == 0 {
			task.DeleteFiles = []iceberg.DataFile{build("deletes", iceberg.EntryContentPosDeletes)}
		} else {
			task.EqualityDeleteFiles = []iceberg.DataFile{build("deletes", iceberg.EntryContentEqDeletes)}
		}
		files := &nothing{}
		meta, err := table.NewMetadata(iceberg.NewSchema(0), iceberg.UnpartitionedSpec, table.UnsortedSortOrder, "loc", nil)
		if err != nil {
			t.Fatal(err)
		}
		s := &store{fs: files, options: Options{KeyBytes: bounded}.withDefaults()}
		d := newDeletes(s, meta, []table.FileScanTask{task})
		for n := 1; n <= 2; n++ {
			if _, err := d.of(context.Background(), task); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("%s: got %v", name, err)
			}
			if files.opened != n {
				t.Errorf("%s: opened %d times, want %d", name, files.opened, n)
			}
		}
		d.done(task)
		// More is done than was to be: a bin may be read a second time.
		d.done(task)
	}
}
