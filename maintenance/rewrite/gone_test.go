package rewrite_test

import (
	"slices"
	"testing"

	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/iceberg-go"
	iceio "github.com/apache/iceberg-go/io"
	"github.com/apache/iceberg-go/table"
	"github.com/apache/iceberg-go/table/dv"

	"github.com/firndb/firn/maintenance/datafile"
)

// What is gone of a file is found without its rows: by positions, vectors and
// keys, also keys that are looked for in passes. It is what reading the rows says.
func TestGone(t *testing.T) {
	for _, version := range []string{"2", "3"} {
		g := newGround(t, version, nil, small())
		g.append(count(1000)...)
		g.append(2000, 2001, 2002)
		g.delete(301, 302, 999)
		g.deleteEqual(append(count(300), 302, 2001)...)
		tasks, err := g.load().Scan().PlanFiles(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		fs, err := g.load().FS(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, o := range []datafile.Options{{}, {KeyBytes: 1, BatchRows: 64}, {KeyBytes: 1 << 20}} {
			for _, open := range []bool{false, true} {
				r := datafile.NewReader(fs, g.load().Metadata(), nil, tasks, o)
				files := map[string]*dv.RoaringPositionBitmap{}
				for _, task := range tasks {
					found := gone(t, r, fs, task, open)
					if all := files[task.File.FilePath()]; all != nil {
						found.Or(all)
					}
					files[task.File.FilePath()] = found
				}
				var n int
				for _, task := range tasks {
					found, want := slices.Collect(files[task.File.FilePath()].Positions()), deletedPositions(t, g.load(), task)
					if !slices.Equal(found, want) {
						t.Errorf("version %s, %+v: %d are gone, %d are read as deleted", version, o, len(found), len(want))
					}
					if task.Start <= 4 {
						n += len(found)
					}
				}
				if n != 304 {
					t.Errorf("version %s, %+v: %d are gone", version, o, n)
				}
			}
		}
	}
}

// gone asks what is gone of a task, of its open file or not.
func gone(t *testing.T, r *datafile.Reader, fs iceio.IO, task table.FileScanTask, open bool) *dv.RoaringPositionBitmap {
	t.Helper()
	defer r.Done(task)
	if !open {
		found, err := r.Gone(t.Context(), task, nil)
		if err != nil {
			t.Fatal(err)
		}
		return found
	}
	f, err := fs.Open(task.File.FilePath())
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	found, err := r.Gone(t.Context(), task, f)
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// deletedPositions are those of the rows of a task's file that are read as deleted.
func deletedPositions(t *testing.T, tbl *table.Table, task table.FileScanTask) (out []uint64) {
	t.Helper()
	columns := []iceberg.NestedField{
		{ID: datafile.PosID, Name: "_pos", Type: iceberg.PrimitiveTypes.Int64, Required: true},
		{ID: datafile.DeletedID, Name: datafile.DeletedName, Type: iceberg.PrimitiveTypes.Bool, Required: true},
	}
	for batch, err := range datafile.Read(t.Context(), tbl, columns, []table.FileScanTask{task}) {
		if err != nil {
			t.Fatal(err)
		}
		for i := range int(batch.NumRows()) {
			if batch.Column(1).(*array.Boolean).Value(i) {
				out = append(out, uint64(batch.Column(0).(*array.Int64).Value(i)))
			}
		}
		batch.Release()
	}
	return out
}
