package splice

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/parquet/compress"

	"github.com/firndb/firn/maintenance/internal/parquet/format"
)

// likeFile is a target whose schema is that of a file.
func likeFile(t *testing.T, file []byte) *Target {
	t.Helper()
	b, err := footerBytes(file)
	if err != nil {
		t.Fatal(err)
	}
	footer, err := format.ReadFooter(b)
	if err != nil {
		t.Fatal(err)
	}
	model := []byte(magic)
	if model, err = footer.Append(model, 0, nil); err != nil {
		t.Fatal(err)
	}
	model = binary.LittleEndian.AppendUint32(model, uint32(len(model)-len(magic)))
	target, err := NewTarget(append(model, magic...), Settings{
		Codec: int32(format.Zstd), Level: compress.DefaultCompressionLevel, RowGroupBytes: 1 << 27, CopyBytes: 1 << 24,
		PageBytes: 1 << 20, PageRows: 20_000, DictionaryBytes: 1 << 20,
	})
	if err != nil {
		t.Fatal(err)
	}
	return target
}

// Size statistics, which Spark's files have, are those of the rows that stay.
func TestSizesOfRowsThatStay(t *testing.T) {
	histograms, texts := 0, 0
	err := filepath.WalkDir("../../../testdata/lake/wh", func(path string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".parquet") {
			return err
		}
		file, err := os.ReadFile(path)
		if err != nil || !bytes.HasSuffix(file, []byte(magic)) {
			return err
		}
		target := likeFile(t, file)
		in, err := target.OpenBytes(t.Context(), path, file)
		if errors.Is(err, ErrUnfit) {
			return nil
		}
		if err != nil {
			return err
		}
		var out bytes.Buffer
		w, err := target.NewWriter(&out)
		if err != nil {
			return err
		}
		for g, group := range in.RowGroups() {
			part := &Part{Source: in, RowGroup: g}
			for i := int64(1); i < group.Rows; i += 3 {
				part.Gone = append(part.Gone, uint32(i))
			}
			if err := w.WriteRowGroup(t.Context(), []*Part{part}); err != nil {
				return err
			}
		}
		if _, err := w.Close(); err != nil {
			return err
		}
		h, n := checkSizes(t, path, target, out.Bytes())
		histograms, texts = histograms+h, texts+n
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if histograms == 0 || texts == 0 {
		t.Errorf("compared %d histograms and %d columns of text", histograms, texts)
	}
}

// checkSizes compares the size statistics of a file with its pages.
func checkSizes(t *testing.T, name string, target *Target, file []byte) (histograms, texts int) {
	t.Helper()
	src, err := target.OpenBytes(t.Context(), name, file)
	if err != nil {
		t.Fatal(err)
	}
	w := &Writer{target: target}
	for g := range src.footer.RowGroups {
		for _, c := range target.columns {
			chunk := &src.footer.RowGroups[g].Columns[c.index]
			def, rep := make([]int64, c.maxDef+1), make([]int64, c.maxRep+1)
			text := readSizes(t, w, src, c, chunk, def, rep)
			size := chunk.Meta.Size.V
			if size.Definition != nil {
				histograms++
				if c.maxDef > 0 && !equalCounts(size.Definition, def) {
					t.Errorf("%s: column %s: definition levels %v, not %v", name, c.name(), size.Definition, def)
				}
			}
			if size.Repetition != nil && c.maxRep > 0 && !equalCounts(size.Repetition, rep) {
				t.Errorf("%s: column %s: repetition levels %v, not %v", name, c.name(), size.Repetition, rep)
			}
			if size.Unencoded.Set {
				texts++
				if size.Unencoded.V != text {
					t.Errorf("%s: column %s: %d bytes of text, not %d", name, c.name(), size.Unencoded.V, text)
				}
			}
		}
	}
	return histograms, texts
}

func equalCounts(a, b []int64) bool {
	for i := range a {
		if len(a) != len(b) || a[i] != b[i] {
			return false
		}
	}
	return true
}

// readSizes counts the levels of a chunk and returns how many bytes its text has.
func readSizes(t *testing.T, w *Writer, src *Source, c *column, chunk *format.ColumnChunk, def, rep []int64) (text int64) {
	t.Helper()
	f := &feed{g: &group{w: w}, k: w.newChunk(c), origin: origin{codec: chunk.Meta.Codec, leaf: src.leaves[c.index]}}
	r := src.pages(c, chunk)
	for {
		p, ok, err := r.next(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if !ok {
			return text
		}
		if !p.data() {
			if err := f.dictionaryPage(&p); err != nil {
				t.Fatal(err)
			}
			continue
		}
		body, err := w.open.open(c, f.origin, &p)
		if err != nil {
			t.Fatal(err)
		}
		for _, level := range body.def {
			def[level]++
		}
		for _, level := range body.rep {
			rep[level]++
		}
		if c.typ != format.ByteArray {
			continue
		}
		v, err := w.readValues(c, p.Encoding, body, f.dict)
		if err != nil {
			t.Fatal(err)
		}
		text += v.unencoded([]span{{0, body.notNull}})
	}
}
