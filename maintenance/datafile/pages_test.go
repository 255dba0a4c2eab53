package datafile

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/decimal128"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/compress"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"
	"github.com/apache/iceberg-go"
	"github.com/apache/iceberg-go/table"
)

func pick[T any](rng *rand.Rand, from ...T) T { return from[rng.IntN(len(from))] }

// flatTypes are types of columns that are read page by page.
func flatTypes() []arrow.DataType {
	return []arrow.DataType{
		arrow.PrimitiveTypes.Int32, arrow.PrimitiveTypes.Int64, arrow.PrimitiveTypes.Float32, arrow.PrimitiveTypes.Float64,
		arrow.FixedWidthTypes.Boolean, arrow.BinaryTypes.String, arrow.BinaryTypes.Binary, arrow.FixedWidthTypes.Date32,
		&arrow.TimestampType{Unit: arrow.Microsecond, TimeZone: "UTC"}, &arrow.TimestampType{Unit: arrow.Microsecond}, arrow.FixedWidthTypes.Time64us,
		&arrow.FixedSizeBinaryType{ByteWidth: 5}, &arrow.FixedSizeBinaryType{ByteWidth: 16},
		&arrow.Decimal128Type{Precision: 9, Scale: 2}, &arrow.Decimal128Type{Precision: 11, Scale: 0}, &arrow.Decimal128Type{Precision: 18, Scale: 3},
		&arrow.Decimal128Type{Precision: 25, Scale: 1}, &arrow.Decimal128Type{Precision: 38, Scale: 4},
	}
}

// randomValue is the value of that number.
func randomValue(b array.Builder, n int) {
	signed := int64(n) * 1_000_003 * int64(1-2*(n%2))
	text := bytes.Repeat(fmt.Append(nil, n*7919, "-"), n%9)
	switch b := b.(type) {
	case *array.Int32Builder:
		b.Append(int32(signed))
	case *array.Int64Builder:
		b.Append(signed)
	case *array.Float32Builder:
		b.Append(float32(signed))
	case *array.Float64Builder:
		b.Append(float64(signed) / 3)
	case *array.BooleanBuilder:
		b.Append(n%3 == 0)
	case *array.StringBuilder:
		b.Append(string(text))
	case *array.BinaryBuilder:
		b.Append(text)
	case *array.Date32Builder:
		b.Append(arrow.Date32(n))
	case *array.TimestampBuilder:
		b.Append(arrow.Timestamp(signed))
	case *array.Time64Builder:
		b.Append(arrow.Time64(n))
	case *array.FixedSizeBinaryBuilder:
		b.Append(append(text, "----------------"...)[:b.Type().(*arrow.FixedSizeBinaryType).ByteWidth])
	case *array.Decimal128Builder:
		v := decimal128.FromI64(signed % 999_999_999)
		if b.Type().(*arrow.Decimal128Type).Precision > 20 {
			v = v.Mul(decimal128.FromI64(1 << 50))
		}
		b.Append(v)
	default:
		panic(b.Type().String())
	}
}

// randomFile is a Parquet file of some columns of random types, with their types.
func randomFile(t testing.TB, rng *rand.Rand, mostRows int) ([]byte, []arrow.Field) {
	types := flatTypes()
	fields := make([]arrow.Field, 1+rng.IntN(3))
	for i := range fields {
		fields[i] = arrow.Field{Name: fmt.Sprint("c", i), Type: pick(rng, types...), Nullable: rng.IntN(3) > 0, Metadata: idMetadata(i + 1)}
	}
	schema := arrow.NewSchema(fields, nil)
	b := array.NewRecordBuilder(memory.DefaultAllocator, schema)
	rows := 1 + rng.IntN(mostRows)
	for i, f := range fields {
		distinct, nulls, run := pick(rng, 1, 3, 300, 1<<20), pick(rng, 0, 0, 1, 50, 100), pick(rng, 1, 1, 30)
		n := 0
		for row := range rows {
			if row%run == 0 {
				n = rng.IntN(distinct)
			}
			if f.Nullable && rng.IntN(100) < nulls {
				b.Field(i).AppendNull()
				continue
			}
			randomValue(b.Field(i), n)
		}
	}
	props := []parquet.WriterProperty{
		parquet.WithCompression(pick(rng, compress.Codecs.Zstd, compress.Codecs.Snappy, compress.Codecs.Gzip, compress.Codecs.Lz4Raw, compress.Codecs.Uncompressed)),
		parquet.WithDictionaryDefault(rng.IntN(2) == 0), parquet.WithDataPageSize(int64(pick(rng, 100, 3000, 1<<20))),
		parquet.WithDictionaryPageSizeLimit(int64(pick(rng, 100, 1<<20))), parquet.WithDataPageVersion(pick(rng, parquet.DataPageV1, parquet.DataPageV2)),
		parquet.WithMaxRowGroupLength(int64(pick(rng, 100, 1<<20))), parquet.WithBatchSize(int64(pick(rng, 10, 1024))),
		parquet.WithStoreDecimalAsInteger(rng.IntN(2) == 0),
	}
	for i, f := range fields {
		if f.Type.ID() == arrow.INT64 && rng.IntN(8) == 0 {
			props = append(props, parquet.WithDictionaryFor(fields[i].Name, false), parquet.WithEncodingFor(f.Name, parquet.Encodings.DeltaBinaryPacked))
		}
	}
	var out bytes.Buffer
	w, err := pqarrow.NewFileWriter(schema, &out, parquet.NewWriterProperties(props...), pqarrow.DefaultWriterProps())
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Write(b.NewRecordBatch()); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes(), fields
}

// readWith reads columns of the ids 1, 2 and so on.
func readWith(t testing.TB, b []byte, fields []arrow.Field, batchRows int, arrows bool) (rows []arrow.RecordBatch, paged bool, err error) {
	columns := map[int]arrow.Field{}
	for i, f := range fields {
		columns[i+1] = f
	}
	return readColumns(t, b, columns, batchRows, arrows)
}

// readColumns reads columns by their ids, by Arrow's reader from the first batch
// on if that is wanted. paged says whether they were read page by page to their end.
func readColumns(t testing.TB, b []byte, columns map[int]arrow.Field, batchRows int, arrows bool) (rows []arrow.RecordBatch, paged bool, err error) {
	builder, err := iceberg.NewDataFileBuilder(*iceberg.UnpartitionedSpec, iceberg.EntryContentData, "f.parquet", iceberg.ParquetFile, nil, nil, nil, 1, int64(len(b)))
	if err != nil {
		t.Fatal(err)
	}
	task := table.FileScanTask{File: builder.Build(), Length: int64(len(b))}
	wanted := map[int]iceberg.NestedField{}
	for id, f := range columns {
		wanted[id] = iceberg.NestedField{ID: id, Name: f.Name}
	}
	err = safely(task.File, func() error {
		s := store{given: bytes.NewReader(b), options: Options{BatchRows: batchRows}.withDefaults()}
		opened, err := s.openParquet(t.Context(), task, wanted, nil)
		if err != nil {
			return err
		}
		defer opened.close()
		src := opened.(*parquetSource)
		if arrows {
			src.pages.close()
			src.pages = nil
		}
		defer func() { paged = src.pages != nil }()
		for {
			batch, _, err := src.next(t.Context())
			if err != nil || batch == nil {
				return err
			}
			rows = append(rows, batch)
		}
	})
	return rows, paged, err
}

// equalRows compares batches of the same columns, however they are cut.
func equalRows(t testing.TB, got, want []arrow.RecordBatch) {
	t.Helper()
	if len(got) == 0 || len(want) == 0 {
		if len(got) != len(want) {
			t.Fatalf("%d batches, want %d", len(got), len(want))
		}
		return
	}
	for i, f := range want[0].Schema().Fields() {
		whole := func(batches []arrow.RecordBatch) arrow.Array {
			var parts []arrow.Array
			for _, b := range batches {
				parts = append(parts, b.Column(i))
			}
			all, err := array.Concatenate(parts, memory.DefaultAllocator)
			if err != nil {
				t.Fatal(err)
			}
			return all
		}
		g, w := whole(got), whole(want)
		if !got[0].Schema().Equal(want[0].Schema()) || !arrow.TypeEqual(g.DataType(), w.DataType()) || g.NullN() != w.NullN() || !array.ApproxEqual(g, w, array.WithNaNsEqual(true), array.WithAbsTolerance(0)) {
			t.Fatalf("column %v: %d values are not those that Arrow reads", f, g.Len())
		}
	}
}

// What is read page by page is what Arrow's reader reads.
func TestPagesAreReadAsArrowReadsThem(t *testing.T) {
	paged := 0
	for seed := range uint64(150) {
		rng := rand.New(rand.NewPCG(seed, 1))
		b, fields := randomFile(t, rng, pick(rng, 20, 1500, 20_000))
		batchRows := pick(rng, 7, 500, 8192)
		got, own, err := readWith(t, b, fields, batchRows, false)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		want, _, err := readWith(t, b, fields, batchRows, true)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		equalRows(t, got, want)
		if own {
			paged++
		}
	}
	if paged < 100 {
		t.Errorf("%d of 150 files were read page by page", paged)
	}
}

// Of a damaged file the rows are those that Arrow's reader reads, or there is an
// error.
func FuzzDamagedPages(f *testing.F) {
	for seed := range uint64(600) {
		f.Add(seed%20, seed*7919, byte(1)<<(seed%8))
	}
	f.Fuzz(func(t *testing.T, seed, at uint64, with byte) {
		rng := rand.New(rand.NewPCG(seed, 2))
		b, fields := randomFile(t, rng, 500)
		// The footer stays, so that pages are what differs.
		footer := len(b) - 8 - int(uint32(b[len(b)-8])|uint32(b[len(b)-7])<<8|uint32(b[len(b)-6])<<16)
		b[4+at%uint64(footer-4)] ^= with
		got, paged, err := readWith(t, b, fields, 100, false)
		if err != nil && paged {
			t.Fatalf("the error is not that of Arrow's reader: %v", err)
		}
		if err != nil {
			return
		}
		want, _, err := readWith(t, b, fields, 100, true)
		if err == nil {
			equalRows(t, got, want)
		}
	})
}

// Arrow's reader goes on with the row at which reading by pages ended.
func TestArrowGoesOn(t *testing.T) {
	for seed := range uint64(20) {
		b, fields := randomFile(t, rand.New(rand.NewPCG(seed, 3)), 1500)
		want, _, err := readWith(t, b, fields, 50, true)
		if err != nil {
			t.Fatal(err)
		}
		src := openRandom(t, b)
		var got []arrow.RecordBatch
		rows := int64(0)
		for {
			batch, first, err := src.next(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if batch == nil {
				break
			}
			if first != rows {
				t.Errorf("seed %d: a batch begins at row %d, want %d", seed, first, rows)
			}
			rows += batch.NumRows()
			got = append(got, batch)
			if len(got) == 3 {
				src.pages.close()
				src.pages = nil
			}
		}
		src.close()
		equalRows(t, got, want)
	}
}

// openRandom opens a random file to read all of its columns.
func openRandom(t *testing.T, b []byte) *parquetSource {
	builder, err := iceberg.NewDataFileBuilder(*iceberg.UnpartitionedSpec, iceberg.EntryContentData, "f.parquet", iceberg.ParquetFile, nil, nil, nil, 1, int64(len(b)))
	if err != nil {
		t.Fatal(err)
	}
	s := store{given: bytes.NewReader(b), options: Options{BatchRows: 7}.withDefaults()}
	src, err := s.openParquet(t.Context(), table.FileScanTask{File: builder.Build(), Length: int64(len(b))}, map[int]iceberg.NestedField{1: {ID: 1}, 2: {ID: 2}, 3: {ID: 3}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return src.(*parquetSource)
}

// Reading ends when its context does, between two pages.
func TestPagesAreCancelled(t *testing.T) {
	b, _ := randomFile(t, rand.New(rand.NewPCG(5, 5)), 20_000)
	src := openRandom(t, b)
	defer src.close()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if batch, err := src.pages.next(ctx, src.runs[0].groups, 10); err == nil {
		t.Errorf("%d rows are read", batch.NumRows())
	}
}
