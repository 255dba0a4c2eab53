package datafile

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"

	"github.com/firndb/firn/internal/lakefixture"
)

// Of files that others have written, every column is read page by page as Arrow's
// reader reads it: those of the test data, and of the folder that the variable
// FIRN_TEST_PARQUET names.
func TestFilesOfOthers(t *testing.T) {
	folders := []string{lakefixture.Testdata(t)}
	if more := os.Getenv("FIRN_TEST_PARQUET"); more != "" {
		folders = append(folders, more)
	}
	columns, paged := 0, 0
	for _, folder := range folders {
		err := filepath.WalkDir(folder, func(path string, _ fs.DirEntry, err error) error {
			if err != nil || !strings.HasSuffix(path, ".parquet") {
				return err
			}
			b, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			for id, f := range columnsOf(t, path, b) {
				columns++
				if comparePaged(t, path, b, id, f) {
					paged++
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("%d of %d columns were read page by page", paged, columns)
	if paged < columns*3/4 || paged < 1000 {
		t.Errorf("%d of %d columns were read page by page", paged, columns)
	}
}

// columnsOf are the top-level columns of a file by their ids, none if it is no
// Parquet file.
func columnsOf(t *testing.T, path string, b []byte) map[int]arrow.Field {
	r, err := file.NewParquetReader(bytes.NewReader(b))
	if err != nil {
		return nil
	}
	schema, err := pqarrow.FromParquet(r.MetaData().Schema, nil, nil)
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	columns := map[int]arrow.Field{}
	for i, f := range schema.Fields() {
		id, ok := fieldID(f)
		if !ok {
			id = i + 1
		}
		columns[id] = f
	}
	return columns
}

// comparePaged compares what both readers make of a column, and says whether it
// was read page by page.
func comparePaged(t *testing.T, path string, b []byte, id int, f arrow.Field) bool {
	column := map[int]arrow.Field{id: f}
	want, _, failed := readColumns(t, b, column, 777, true)
	got, paged, err := readColumns(t, b, column, 1000, false)
	if (err != nil) != (failed != nil) {
		t.Fatalf("%s, %s: %v, but Arrow's reader: %v", path, f.Name, err, failed)
	}
	t.Logf("%s: column %v, paged %t", filepath.Base(path), f, paged)
	equalRows(t, got, want)
	return paged
}
