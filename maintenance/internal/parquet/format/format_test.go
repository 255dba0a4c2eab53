package format_test

import (
	"bytes"
	"errors"
	"reflect"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/parquet/metadata"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"

	"github.com/firndb/firn/maintenance/internal/parquet/format"
)

// model is the footer of an empty file of one column.
func model(t testing.TB) []byte {
	t.Helper()
	var b bytes.Buffer
	w, err := pqarrow.NewFileWriter(arrow.NewSchema([]arrow.Field{{Name: "id", Type: arrow.PrimitiveTypes.Int64}}, nil), &b, nil, pqarrow.DefaultWriterProps())
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	n := b.Len()
	return b.Bytes()[n-8-int(b.Bytes()[n-8])-int(b.Bytes()[n-7])<<8 : n-8]
}

func rowGroups() []format.RowGroup {
	return []format.RowGroup{{
		NumRows: 3, TotalByteSize: 100, TotalCompressed: 50, FileOffset: 4,
		Columns: []format.ColumnChunk{{
			HasMeta: true, OffsetIndexOffset: 70, OffsetIndexLength: 9, ColumnIndexOffset: 60, ColumnIndexLength: 10,
			Meta: format.ColumnMeta{
				Type: format.Int64, Encodings: []format.Encoding{format.RLE, format.Plain}, Path: []string{"id"}, Codec: format.Zstd,
				NumValues: 3, Uncompressed: 100, Compressed: 50, DataPageOffset: 4,
				Statistics: format.Statistics{
					NullCount: format.Some(int64(0)), Min: make([]byte, 8), Max: []byte{9, 0, 0, 0, 0, 0, 0, 0},
					MinExact: format.Some(true), MaxExact: format.Some(false),
				},
				EncodingStats: []format.EncodingStat{{Page: format.DataPage, Encoding: format.Plain, Count: 1}},
				BloomOffset:   format.Some(int64(80)), BloomLength: format.Some(int64(32)),
				Size: format.Some(format.SizeStatistics{Repetition: []int64{3}, Definition: []int64{0, 3}}),
			},
		}},
	}}
}

// What is written is read again, by this package and by arrow-go.
func TestFooter(t *testing.T) {
	f, err := format.ReadFooter(model(t))
	if err != nil {
		t.Fatal(err)
	}
	want := rowGroups()
	b, err := f.Append(nil, 3, want)
	if err != nil {
		t.Fatal(err)
	}
	got, err := format.ReadFooter(b)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got.RowGroups, want) || !reflect.DeepEqual(got.Schema, f.Schema) || got.NumRows != 3 || got.CreatedBy != f.CreatedBy {
		t.Errorf("got  %+v\nwant %+v", got.RowGroups, want)
	}
	other, err := metadata.NewFileMetaData(b, nil)
	if err != nil {
		t.Fatal(err)
	}
	chunk, err := other.RowGroup(0).ColumnChunk(0)
	if err != nil {
		t.Fatal(err)
	}
	if chunk.NumValues() != 3 || chunk.TotalCompressedSize() != 50 || chunk.BloomFilterOffset() != 80 {
		t.Errorf("arrow-go reads %d values, %d bytes, filter at %d", chunk.NumValues(), chunk.TotalCompressedSize(), chunk.BloomFilterOffset())
	}
}

// An absent count is not none, and an empty bound not an absent one.
func TestAbsentIsNotZero(t *testing.T) {
	f, err := format.ReadFooter(model(t))
	if err != nil {
		t.Fatal(err)
	}
	groups := rowGroups()
	groups[0].Columns[0].Meta.Statistics = format.Statistics{Min: []byte{}, Max: []byte{1}}
	b, err := f.Append(nil, 3, groups)
	if err != nil {
		t.Fatal(err)
	}
	got, err := format.ReadFooter(b)
	if err != nil {
		t.Fatal(err)
	}
	s := got.RowGroups[0].Columns[0].Meta.Statistics
	if s.NullCount.Set || s.Min == nil || len(s.Min) != 0 || s.MinExact.Set {
		t.Errorf("got %+v", s)
	}
}

func TestPageHeaders(t *testing.T) {
	for _, want := range []format.PageHeader{
		{Type: format.DataPage, Uncompressed: 5, Compressed: 6, Values: 7, Encoding: format.DeltaBinaryPacked, DefEncoding: format.RLE, RepEncoding: format.RLE},
		{Type: format.DataPageV2, Uncompressed: 5, Compressed: 6, Values: 7, Nulls: 2, Rows: 3, DefBytes: 1, RepBytes: 2, Stored: true, CRC: format.Some(int32(-1))},
		{Type: format.DictionaryPage, Uncompressed: 1 << 20, Compressed: 6, Values: 7, Encoding: format.Plain},
	} {
		b := want.Append(nil)
		got, n, err := format.ReadPageHeader(append(b, 1, 2, 3))
		if err != nil || n != len(b) || !bytes.Equal(got.Append(nil), b) || got.Values != want.Values || got.Stored != want.Stored || got.CRC != want.CRC {
			t.Errorf("got %+v of %d bytes, %v; want %+v", got, n, err, want)
		}
		for i := range b {
			if _, _, err := format.ReadPageHeader(b[:i]); !errors.Is(err, format.ErrShort) {
				t.Errorf("of %d bytes: %v", i, err)
			}
		}
	}
}

// A page header without a field that must be there is refused: what it stands for
// cannot be told from zero.
func TestPageHeaderLacksAField(t *testing.T) {
	for typ, of := range map[format.PageType]struct{ id, fields int }{
		format.DataPage: {5, 4}, format.DictionaryPage: {7, 2}, format.DataPageV2: {8, 6},
	} {
		for lacks := range 3 + of.fields + 1 {
			var b []byte
			add := func(number, id, value int) {
				if number != lacks {
					// A number, with its whole id.
					b = append(b, 5, byte(2*id), byte(2*value))
				}
			}
			add(1, 1, int(typ))
			add(2, 2, 9)
			add(3, 3, 9)
			b = append(b, 12, byte(2*of.id))
			for i := range of.fields {
				add(4+i, 1+i, 1)
			}
			_, n, err := format.ReadPageHeader(append(b, 0, 0))
			switch {
			case lacks == 0 && (err != nil || n != len(b)+2):
				t.Errorf("type %d: %d bytes, %v", typ, n, err)
			case lacks > 0 && (!errors.Is(err, format.ErrMalformed) || errors.Is(err, format.ErrShort)):
				t.Errorf("type %d lacks field %d: %v", typ, lacks, err)
			}
		}
	}
}

func TestIndexes(t *testing.T) {
	offsets := format.OffsetIndex{Pages: []format.PageLocation{{Offset: 4, Size: 10}, {Offset: 14, Size: 5, FirstRow: 20}}, Unencoded: []int64{1, 2}}
	if got, err := format.ReadOffsetIndex(offsets.Append(nil)); err != nil || !reflect.DeepEqual(got, offsets) {
		t.Errorf("got %+v, %v", got, err)
	}
	bounds := format.ColumnIndex{NullPages: make([]bool, 20), Nulls: make([]int64, 20), Order: format.Descending, Definition: []int64{1}}
	for range bounds.NullPages {
		bounds.Min, bounds.Max = append(bounds.Min, []byte("a")), append(bounds.Max, []byte("b"))
	}
	bounds.NullPages[3] = true
	if got, err := format.ReadColumnIndex(bounds.Append(nil)); err != nil || !reflect.DeepEqual(got, bounds) {
		t.Errorf("got %+v, %v", got, err)
	}
}

// Lists that claim more than there is are refused.
func FuzzFooter(f *testing.F) {
	f.Add(model(f))
	f.Add([]byte{0x29, 0xfc, 0xff, 0xff, 0xff, 0xff, 0x07})
	f.Fuzz(func(t *testing.T, b []byte) {
		footer, err := format.ReadFooter(b)
		if err != nil && !errors.Is(err, format.ErrMalformed) {
			t.Errorf("got %v", err)
		}
		if err == nil && len(footer.RowGroups) > len(b) {
			t.Errorf("%d row groups of %d bytes", len(footer.RowGroups), len(b))
		}
	})
}
