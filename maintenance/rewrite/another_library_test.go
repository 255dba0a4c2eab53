package rewrite_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/iceberg-go"
	"github.com/apache/iceberg-go/table"
	another "github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"

	"github.com/firndb/firn/catalog"
	"github.com/firndb/firn/internal/lakefixture"
	"github.com/firndb/firn/maintenance"
	"github.com/firndb/firn/maintenance/rewrite"
)

// Of field reports, 61: rewritten Parquet was not valid, which the library that had
// written it did not see. Here one reads it that shares no code with the writer.
func TestOutputsReadByAnotherLibrary(t *testing.T) {
	for mode, options := range map[string]map[string]string{
		"moved":   {rewrite.OptionRewriteAll: "true"},
		"decoded": {rewrite.OptionRewriteAll: "true", rewrite.OptionDecodeAll: "true"},
	} {
		lake := lakefixture.Open(t, catalog.Hooks{})
		namespaces, err := lake.Catalog.Namespaces(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		read := 0
		for _, namespace := range namespaces {
			tables, err := lake.Catalog.Tables(t.Context(), namespace)
			if err != nil {
				t.Fatal(err)
			}
			for _, ident := range tables {
				t.Run(mode+" "+strings.Join(ident, "."), func(t *testing.T) {
					_, err := rewriteTable(t, lake.Catalog, strings.Join(ident, "."), "", nil, options)
					if orc := ident[1] == "formats_orc" || ident[1] == "formats_mixed"; orc && errors.Is(err, maintenance.ErrUnsupported) {
						return
					}
					if err != nil {
						t.Fatal(err)
					}
					read += readByBoth(t, lake, ident)
				})
			}
		}
		if read < 60 {
			t.Errorf("%s: only %d files were read", mode, read)
		}
	}
}

// readByBoth reads the table's Parquet files by two libraries, and says how many
// there are.
func readByBoth(t *testing.T, lake *lakefixture.Lake, ident table.Identifier) int {
	tbl, err := lake.Catalog.Load(t.Context(), ident)
	if err != nil {
		t.Fatal(err)
	}
	store, err := tbl.FS(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	tasks, err := tbl.Scan().PlanFiles(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, task := range tasks {
		if path := task.File.FilePath(); task.File.FileFormat() == iceberg.ParquetFile && !seen[path] {
			seen[path] = true
			f, err := store.Open(path)
			if err != nil {
				t.Fatal(err)
			}
			content, err := io.ReadAll(f)
			f.Close()
			if err != nil {
				t.Fatal(err)
			}
			compareLibraries(t, content)
		}
	}
	return len(seen)
}

func compareLibraries(t *testing.T, content []byte) {
	t.Helper()
	theirs, err := another.OpenFile(bytes.NewReader(content), int64(len(content)))
	if err != nil {
		t.Fatal(err)
	}
	ours, err := file.NewParquetReader(bytes.NewReader(content))
	if err != nil {
		t.Fatal(err)
	}
	defer ours.Close()
	groups := theirs.RowGroups()
	if len(groups) != ours.NumRowGroups() {
		t.Fatalf("%d row groups, not %d", len(groups), ours.NumRowGroups())
	}
	for g, group := range groups {
		chunks := group.ColumnChunks()
		if n := ours.MetaData().Schema.NumColumns(); len(chunks) != n {
			t.Fatalf("%d columns, not %d", len(chunks), n)
		}
		for c, chunk := range chunks {
			reader, err := ours.RowGroup(g).Column(c)
			if err != nil {
				t.Fatal(err)
			}
			got, want := cellsOfChunk(t, chunk), cellsOf(t, reader)
			if got != want {
				t.Errorf("column %s of row group %d: got\n%.300s\nwant\n%.300s", reader.Descriptor().Path(), g, got, want)
			}
		}
	}
}

// cellsOfChunk is what a chunk has as text, read page by page, with the page index
// and the Bloom filter checked.
func cellsOfChunk(t *testing.T, chunk another.ColumnChunk) string {
	t.Helper()
	index, err := chunk.ColumnIndex()
	if errors.Is(err, another.ErrMissingColumnIndex) {
		index = nil
	} else if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	pages := chunk.Pages()
	defer pages.Close()
	n := 0
	for {
		page, err := pages.ReadPage()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		values := make([]another.Value, page.NumValues())
		if read, err := page.Values().ReadValues(values); read < len(values) {
			t.Fatalf("%d of %d values: %v", read, len(values), err)
		}
		checkPage(t, chunk, index, n, values)
		for _, v := range values {
			fmt.Fprintf(&out, "%d/%d %s\n", v.RepetitionLevel(), v.DefinitionLevel(), cell(v))
		}
		another.Release(page)
		n++
	}
	if index != nil && index.NumPages() != n {
		t.Errorf("the column index has %d pages, not %d", index.NumPages(), n)
	}
	if offsets, err := chunk.OffsetIndex(); err == nil && offsets.NumPages() != n {
		t.Errorf("the offset index has %d pages, not %d", offsets.NumPages(), n)
	}
	return out.String()
}

// checkPage wants the bounds of a page and the Bloom filter to admit its values.
func checkPage(t *testing.T, chunk another.ColumnChunk, index another.ColumnIndex, page int, values []another.Value) {
	t.Helper()
	typ, filter := chunk.Type(), chunk.BloomFilter()
	// Decimals in bytes compare as numbers, which this library does not do.
	decimal := false
	if logical := typ.LogicalType(); logical != nil && typ.Kind() >= another.ByteArray {
		_, decimal = logical.Value.(*format.DecimalType)
	}
	var nulls int64
	for _, v := range values {
		if v.IsNull() {
			nulls++
			continue
		}
		if filter != nil {
			if ok, err := filter.Check(v); err != nil || !ok {
				t.Errorf("the Bloom filter does not have %v: %v", v, err)
			}
		}
		if index == nil || decimal || isNaN(v) {
			continue
		}
		if index.NullPage(page) || typ.Compare(index.MinValue(page), v) > 0 || typ.Compare(index.MaxValue(page), v) < 0 {
			t.Errorf("page %d has %v, its bounds are %v and %v", page, v, index.MinValue(page), index.MaxValue(page))
			return
		}
	}
	if index != nil && index.NullCount(page) != nulls {
		t.Errorf("page %d has %d nulls, its index says %d", page, nulls, index.NullCount(page))
	}
}

func isNaN(v another.Value) bool {
	switch v.Kind() {
	case another.Float:
		return v.Float() != v.Float()
	case another.Double:
		return v.Double() != v.Double()
	}
	return false
}

// cell is a value as its bytes.
func cell(v another.Value) string {
	switch {
	case v.IsNull():
		return "null"
	case v.Kind() == another.Boolean:
		return fmt.Sprint(v.Boolean())
	default:
		return fmt.Sprintf("%x", v.Bytes())
	}
}

// cellsOf is what a chunk has as text, as cellsOfChunk gives it.
func cellsOf(t *testing.T, reader file.ColumnChunkReader) string {
	t.Helper()
	switch r := reader.(type) {
	case *file.BooleanColumnChunkReader:
		return readCells(t, r.Descriptor().MaxDefinitionLevel(), r.HasNext, r.ReadBatch, func(v bool) string { return fmt.Sprint(v) })
	case *file.Int32ColumnChunkReader:
		return readCells(t, r.Descriptor().MaxDefinitionLevel(), r.HasNext, r.ReadBatch, plainText[int32])
	case *file.Int64ColumnChunkReader:
		return readCells(t, r.Descriptor().MaxDefinitionLevel(), r.HasNext, r.ReadBatch, plainText[int64])
	case *file.Float32ColumnChunkReader:
		return readCells(t, r.Descriptor().MaxDefinitionLevel(), r.HasNext, r.ReadBatch, plainText[float32])
	case *file.Float64ColumnChunkReader:
		return readCells(t, r.Descriptor().MaxDefinitionLevel(), r.HasNext, r.ReadBatch, plainText[float64])
	case *file.ByteArrayColumnChunkReader:
		return readCells(t, r.Descriptor().MaxDefinitionLevel(), r.HasNext, r.ReadBatch, func(v parquet.ByteArray) string { return fmt.Sprintf("%x", []byte(v)) })
	case *file.FixedLenByteArrayColumnChunkReader:
		return readCells(t, r.Descriptor().MaxDefinitionLevel(), r.HasNext, r.ReadBatch, func(v parquet.FixedLenByteArray) string { return fmt.Sprintf("%x", []byte(v)) })
	}
	t.Fatalf("a column is read by a %T", reader)
	return ""
}

func plainText[T int32 | int64 | float32 | float64](v T) string {
	plain, err := binary.Append(nil, binary.LittleEndian, v)
	if err != nil {
		return err.Error()
	}
	return fmt.Sprintf("%x", plain)
}

func readCells[T any](t *testing.T, whole int16, more func() bool, read func(int64, []T, []int16, []int16) (int64, int, error), text func(T) string) string {
	t.Helper()
	const batch = 1000
	values, defined, repeated := make([]T, batch), make([]int16, batch), make([]int16, batch)
	var out strings.Builder
	for more() {
		clear(repeated)
		clear(defined)
		levels, _, err := read(batch, values, defined, repeated)
		if err != nil {
			t.Fatal(err)
		}
		at := 0
		for i := range levels {
			shown := "null"
			if defined[i] == whole {
				shown = text(values[at])
				at++
			}
			fmt.Fprintf(&out, "%d/%d %s\n", repeated[i], defined[i], shown)
		}
	}
	return out.String()
}
