package rewrite_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/firndb/firn/catalog"
	"github.com/firndb/firn/internal/lakefixture"
	"github.com/firndb/firn/maintenance/rewrite"
)

// Of hazards, 63: a writer left the format version out of the header of manifest
// lists. What they say is what their schema has.
func TestManifestListWithoutVersion(t *testing.T) {
	for _, name := range []string{"analytics.events_mor", "analytics.events_dv"} {
		lake := lakefixture.Open(t, catalog.Hooks{})
		ident := strings.Split(name, ".")
		tbl, err := lake.Catalog.Load(t.Context(), ident)
		if err != nil {
			t.Fatal(err)
		}
		store, err := tbl.FS(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range tbl.Metadata().Snapshots() {
			f, err := store.Open(s.ManifestList)
			if err != nil {
				t.Fatal(err)
			}
			content, err := io.ReadAll(f)
			if err != nil {
				t.Fatal(err)
			}
			lake.Put(strings.TrimPrefix(s.ManifestList, "s3://"+lakefixture.Bucket+"/"), withoutVersion(t, content))
			f.Close()
		}
		options := map[string]string{rewrite.OptionRewriteAll: "true", rewrite.OptionRemoveDangling: "true"}
		r, err := rewriteTable(t, lake.Catalog, name, "", nil, options)
		if err != nil || r.RewrittenFiles == 0 {
			t.Errorf("%s: %d files: %v", name, r.RewrittenFiles, err)
		}
		lake.Check(t, ident...)
	}
}

// withoutVersion takes the format version out of the header of an Avro file.
func withoutVersion(t *testing.T, file []byte) []byte {
	t.Helper()
	r := bytes.NewReader(file[4:])
	text := func() string {
		n, err := binary.ReadVarint(r)
		if err != nil {
			t.Fatal(err)
		}
		b := make([]byte, n)
		if _, err := io.ReadFull(r, b); err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	out, found := bytes.NewBuffer(file[:4:4]), false
	for {
		n, err := binary.ReadVarint(r)
		if err != nil || n < 0 {
			t.Fatal(n, err)
		}
		if n == 0 {
			break
		}
		for range n {
			key, value := text(), text()
			if key == "format-version" {
				found = true
				continue
			}
			out.Write(binary.AppendVarint(nil, 1))
			for _, s := range []string{key, value} {
				out.Write(binary.AppendVarint(nil, int64(len(s))))
				fmt.Fprint(out, s)
			}
		}
	}
	if !found {
		t.Fatal("the file names no format version")
	}
	out.WriteByte(0)
	rest, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return append(out.Bytes(), rest...)
}
