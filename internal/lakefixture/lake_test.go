package lakefixture

import (
	"errors"
	"io"
	"io/fs"
	"slices"
	"strings"
	"testing"
	"time"

	iceio "github.com/apache/iceberg-go/io"

	"github.com/firndb/firn/catalog"
)

var clickstream = []string{"tutorial", "retail_clickstream_events"}

func TestEveryTableIsWhole(t *testing.T) {
	lake := Open(t, catalog.Hooks{})
	o, err := lake.original()
	if err != nil {
		t.Fatal(err)
	}
	unreadable := map[string]string{ // by iceberg-go v0.7.0
		"ops.formats_orc":   "orc",
		"ops.formats_avro":  "avro",
		"ops.formats_mixed": "orc",
	}
	tables := o.tables()
	if len(tables) != 35 {
		t.Errorf("%d tables", len(tables))
	}
	for _, ident := range tables {
		name := strings.Join(ident, ".")
		t.Run(name, func(t *testing.T) {
			if unreadable[name] != "" {
				lake.CheckFiles(t, ident...)
				return
			}
			lake.Check(t, ident...)
		})
	}
}

func TestCheckSeesDamage(t *testing.T) {
	lake := Open(t, catalog.Hooks{})
	prefix := "wh/" + strings.Join(clickstream, "/")
	data := slices.IndexFunc(lake.Objects(prefix), func(key string) bool { return strings.HasSuffix(key, ".parquet") })
	lake.store.remove(lake.Objects(prefix)[data])
	lake.Put(prefix+"/data/left.parquet", nil)
	problems := strings.Join(lake.FileProblems(t, clickstream...), "\n")
	for _, want := range []string{"referenced and gone", "left behind, unreferenced: s3://lake/" + prefix + "/data/left.parquet"} {
		if !strings.Contains(problems, want) {
			t.Errorf("no %q in:\n%s", want, problems)
		}
	}
}

func TestCheckSeesRows(t *testing.T) {
	lake := Open(t, catalog.Hooks{})
	tbl, err := lake.Catalog.Load(t.Context(), clickstream)
	if err != nil {
		t.Fatal(err)
	}
	first := tbl.Metadata().Snapshots()[0].SnapshotID
	lost, gained := Diff(lake.Rows(t, 0, clickstream...), lake.Rows(t, first, clickstream...))
	if len(lost) == 0 || len(gained) != 0 {
		t.Errorf("lost %d, gained %d rows between the last and the first snapshot", len(lost), len(gained))
	}
}

func TestWritesArePrivate(t *testing.T) {
	one, two := Open(t, catalog.Hooks{}), Open(t, catalog.Hooks{})
	tbl, err := one.Catalog.Load(t.Context(), clickstream)
	if err != nil {
		t.Fatal(err)
	}
	fsys, err := tbl.FS(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	one.Requests()
	path := tbl.Location() + "/data/grp=new folder/ü %41 +.parquet"
	big := strings.Repeat("0123456789abcdef", 1<<20) // 16 MiB: a multipart upload
	for _, content := range []string{"", "abc", big} {
		if err := fsys.(iceio.WriteFileIO).WriteFile(path, []byte(content)); err != nil {
			t.Fatal(err)
		}
		f, err := fsys.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(f)
		if err != nil || string(got) != content {
			t.Fatalf("wrote %d bytes, read %d: %v", len(content), len(got), err)
		}
		f.Close()
	}
	key := strings.TrimPrefix(path, "s3://lake/")
	if !slices.Contains(one.Objects(""), key) || slices.Contains(two.Objects(""), key) {
		t.Error("the object is not in the one copy alone")
	}
	if err := fsys.Remove(path); err != nil {
		t.Fatal(err)
	}
	if _, err := fsys.Open(path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("open after remove: %v", err)
	}
	var ops []string
	for _, r := range one.Requests() {
		if !slices.Contains(ops, r.Op) {
			ops = append(ops, r.Op)
		}
		if r.Key != key {
			t.Errorf("request %s", r)
		}
	}
	slices.Sort(ops)
	if got := strings.Join(ops, " "); got != "DELETE GET PUT UPLOAD" && got != "DELETE GET HEAD PUT UPLOAD" {
		t.Errorf("requests: %s", got)
	}
	if len(one.Requests()) != 0 {
		t.Error("requests are not forgotten once taken")
	}
}

func TestListing(t *testing.T) {
	lake := Open(t, catalog.Hooks{})
	tbl, err := lake.Catalog.Load(t.Context(), []string{"ops", "orphans"})
	if err != nil {
		t.Fatal(err)
	}
	fsys, err := tbl.FS(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var keys []string
	old := 0
	err = fsys.(iceio.ListableIO).WalkDir(tbl.Location(), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		if info.ModTime().Before(time.Date(2026, 2, 1, 0, 0, 0, 0, time.UTC)) {
			old++
		}
		keys = append(keys, strings.TrimPrefix(path, "s3://lake/"))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(keys)
	if want := lake.Objects("wh/ops/orphans/"); !slices.Equal(keys, want) {
		t.Errorf("walked %q\nwant %q", keys, want)
	}
	if old != 9 {
		t.Errorf("%d old objects", old)
	}
}

func TestNothingIsLeftInTestdata(t *testing.T) {
	lake := Open(t, catalog.Hooks{})
	before := lake.Objects("")
	lake.Put("wh/x", []byte("x"))
	again := Open(t, catalog.Hooks{})
	if !slices.Equal(before, again.Objects("")) {
		t.Error("a later copy differs")
	}
}

func BenchmarkOpen(b *testing.B) {
	for b.Loop() {
		Open(b, catalog.Hooks{})
	}
}
