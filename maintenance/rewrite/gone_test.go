package rewrite_test

import (
	"slices"
	"testing"

	iceio "github.com/apache/iceberg-go/io"
	"github.com/apache/iceberg-go/table/dv"

	"github.com/firndb/firn/maintenance/datafile"
)

// opened counts the files that are opened.
type opened struct {
	iceio.IO
	n int
}

func (o *opened) Open(path string) (iceio.File, error) {
	o.n++
	return o.IO.Open(path)
}

// What is gone of a file is found before its rows are read: by positions,
// vectors and keys, also keys that are looked for in passes. A reader that is told
// looks into no delete file.
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
		want, _ := readAll(t, g.load(), tasks, datafile.Options{})
		for _, o := range []datafile.Options{{}, {KeyBytes: 1, BatchRows: 64}, {KeyBytes: 1 << 20}} {
			finder := datafile.NewReader(fs, g.load().Metadata(), nil, tasks, o)
			files := &opened{IO: fs}
			reader := datafile.NewReader(files, g.load().Metadata(), g.load().Schema().Fields(), tasks, datafile.Options{})
			gone := map[string]*dv.RoaringPositionBitmap{}
			for _, task := range tasks {
				found, err := finder.Gone(t.Context(), task)
				if err != nil {
					t.Fatal(err)
				}
				if all := gone[task.File.FilePath()]; all != nil {
					all.Or(found)
				} else {
					gone[task.File.FilePath()] = found
				}
				reader.Know(task, found)
				finder.Done(task)
			}
			rows := reader.Rows(tasks)
			var got []string
			for batch, err := range rows.All(t.Context()) {
				if err != nil {
					t.Fatal(err)
				}
				got = appendLines(got, batch)
				batch.Release()
			}
			slices.Sort(got)
			var n int64
			for _, found := range gone {
				n += found.Cardinality()
			}
			if n != 304 || rows.Deleted() != 304 || !slices.Equal(got, want) || files.n != len(tasks) {
				t.Errorf("version %s, %+v: %d gone, %d deleted, %d rows of %d, %d files opened", version, o, n, rows.Deleted(), len(got), len(want), files.n)
			}
		}
	}
}
