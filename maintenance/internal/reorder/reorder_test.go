package reorder

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/decimal128"
	"github.com/apache/arrow-go/v18/arrow/extensions"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/google/uuid"

	"github.com/firndb/firn/maintenance"
	"github.com/firndb/firn/maintenance/internal/gather"
	"github.com/firndb/firn/maintenance/internal/scratch"
	"github.com/firndb/firn/maintenance/internal/scratch/scratchtest"
)

// types has a type of every layout.
func types() []arrow.DataType {
	nullable := func(name string, t arrow.DataType) arrow.Field {
		return arrow.Field{Name: name, Type: t, Nullable: true}
	}
	return []arrow.DataType{
		arrow.BinaryTypes.String, arrow.PrimitiveTypes.Int64, arrow.PrimitiveTypes.Int32, arrow.FixedWidthTypes.Boolean,
		arrow.BinaryTypes.LargeBinary, &arrow.Decimal128Type{Precision: 38, Scale: 2}, &arrow.FixedSizeBinaryType{ByteWidth: 3},
		extensions.NewUUIDType(), arrow.ListOf(arrow.BinaryTypes.String),
		arrow.StructOf(nullable("x", arrow.PrimitiveTypes.Float64), nullable("y", arrow.ListOf(arrow.PrimitiveTypes.Int32))),
		arrow.MapOf(arrow.BinaryTypes.String, arrow.PrimitiveTypes.Int64), arrow.Null,
	}
}

// fill appends a random value or NULL.
func fill(r *rand.Rand, b array.Builder) {
	if r.IntN(5) == 0 {
		b.AppendNull()
		return
	}
	switch b := b.(type) {
	case *array.StringBuilder:
		long := 0
		if r.IntN(300) == 0 {
			long = 10
		}
		b.Append(strings.Repeat("ab\x00c", r.IntN(4)+long) + strings.Repeat("\x00", r.IntN(3)))
	case *array.Int64Builder:
		b.Append(int64(r.IntN(7)) - 3)
	case *array.Int32Builder:
		b.Append(r.Int32())
	case *array.BooleanBuilder:
		b.Append(r.IntN(2) == 0)
	case *array.BinaryBuilder:
		b.Append(bytes.Repeat([]byte{byte(r.IntN(256))}, r.IntN(18)))
	case *array.Decimal128Builder:
		b.Append(decimal128.New(r.Int64(), r.Uint64()))
	case *array.FixedSizeBinaryBuilder:
		b.Append([]byte{1, 2, byte(r.IntN(256))})
	case *extensions.UUIDBuilder:
		b.Append(uuid.UUID{byte(r.IntN(256))})
	case *array.Float64Builder:
		b.Append(r.NormFloat64())
	case *array.ListBuilder:
		b.Append(true)
		for range r.IntN(4) {
			fill(r, b.ValueBuilder())
		}
	case *array.MapBuilder:
		b.Append(true)
		for range r.IntN(3) {
			b.KeyBuilder().(*array.StringBuilder).Append(fmt.Sprint(r.IntN(100)))
			fill(r, b.ItemBuilder())
		}
	case *array.StructBuilder:
		b.Append(true)
		for i := range b.NumField() {
			fill(r, b.FieldBuilder(i))
		}
	case *array.NullBuilder:
		b.AppendNull()
	default:
		panic(fmt.Sprintf("no values for %T", b))
	}
}

// randomArray is a slice of an array, so that offsets are tried.
func randomArray(r *rand.Rand, t arrow.DataType, rows int) arrow.Array {
	b := array.NewBuilder(memory.DefaultAllocator, t)
	defer b.Release()
	skip := r.IntN(9)
	for range rows + skip {
		fill(r, b)
	}
	return array.NewSlice(b.NewArray(), int64(skip), int64(rows+skip))
}

// shuffle is a random order: rows of the old order in the new one.
func shuffle(r *rand.Rand, rows int) []uint32 {
	var out []uint32
	for _, row := range r.Perm(rows) {
		if r.IntN(5) > 0 {
			out = append(out, uint32(row))
		}
	}
	return out
}

// newOrder makes an order of so many old rows, with parts of 1<<bits rows.
func newOrder(ctx context.Context, rows int, bits uint8, chosen []uint32, memory int64, space *scratch.Space) (*Order, error) {
	b := NewBuilder(int64(rows), memory, space)
	for part := range slices.Chunk(chosen, 97) {
		if err := b.Add(part); err != nil {
			return nil, errors.Join(err, b.Close())
		}
	}
	o, err := b.order(ctx, bits)
	if closed := b.Close(); closed != nil && err == nil {
		return nil, errors.Join(closed, o.Close())
	}
	return o, err
}

// reordered puts arrays in order and returns the values as text, read some rows
// at a time.
func reordered(ctx context.Context, o *Order, arrays []arrow.Array, memory int64, atOnce int64) ([]string, error) {
	size := memory
	if memory == 4000 {
		size = farBytes + 1
	}
	s := o.NewShelf(size, memory, memory == 64)
	out, err := func() ([]string, error) {
		for _, a := range arrays {
			if err := s.Add(ctx, a); err != nil {
				return nil, err
			}
		}
		if err := s.Finish(ctx); err != nil {
			return nil, err
		}
		var out []string
		add := func(a arrow.Array) {
			for i := range a.Len() {
				out = append(out, strings.Clone(a.ValueStr(i)))
			}
		}
		for at := int64(0); at < o.rows; at += atOnce {
			middle, to := min(o.rows, at+atOnce/3), min(o.rows, at+atOnce)
			for a, err := range s.Rows(ctx, at, middle) {
				if err != nil {
					return nil, err
				}
				add(a)
			}
			a, err := s.Slice(ctx, middle, to)
			if err != nil {
				return nil, err
			}
			add(a)
		}
		return out, nil
	}()
	if closed := s.Close(); err == nil {
		err = closed
	}
	return out, err
}

func inputs(r *rand.Rand, t arrow.DataType, rows int) ([]arrow.Array, []string) {
	var arrays []arrow.Array
	var texts []string
	for rows > 0 {
		n := min(r.IntN(90), rows)
		rows -= n
		a := randomArray(r, t, n)
		arrays = append(arrays, a)
		for i := range n {
			texts = append(texts, a.ValueStr(i))
		}
	}
	return arrays, texts
}

// TestReorder puts columns of every layout into random orders: in memory or
// not, in one part or several, larger than memory or not, and their ranks in
// memory or not.
func TestReorder(t *testing.T) {
	const rows = 700
	r := rand.New(rand.NewPCG(1, 2))
	for _, memory := range []int64{1 << 30, 4000, 64} {
		for _, bits := range []uint8{10, 5, 2} {
			for _, typ := range types() {
				t.Run(fmt.Sprint(memory, " ", bits, " ", typ), func(t *testing.T) {
					chosen := shuffle(r, rows)
					space := scratch.Folder(t.TempDir(), 0, time.Now())
					o, err := newOrder(t.Context(), rows, bits, chosen, memory, space)
					if err != nil {
						t.Fatal(err)
					}
					arrays, texts := inputs(r, typ, rows)
					got, err := reordered(t.Context(), o, arrays, memory, 60)
					if err != nil {
						t.Fatal(err)
					}
					var want []string
					for _, row := range chosen {
						want = append(want, texts[row])
					}
					if !slices.Equal(got, want) {
						t.Errorf("got %d rows %q, want %d %q", len(got), got, len(want), want)
					}
					if used := space.Used() > 0; used != (memory == 64) && memory != 4000 {
						t.Errorf("%d bytes of scratch space", space.Used())
					}
					if err := o.Close(); err != nil || space.Used() != 0 {
						t.Errorf("%d bytes of scratch space are left: %v", space.Used(), err)
					}
				})
			}
		}
	}
}

// TestManyRanks has ranks in several parts.
func TestManyRanks(t *testing.T) {
	const rows = 3*readRows + 17
	r := rand.New(rand.NewPCG(3, 4))
	chosen := shuffle(r, rows)
	o, err := newOrder(t.Context(), rows, 5, chosen, 1, scratch.Folder(t.TempDir(), 0, time.Now()))
	if err != nil {
		t.Fatal(err)
	}
	defer o.Close()
	got := make([]uint32, len(chosen))
	row := uint32(0)
	for part, err := range o.ranks.All(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		for _, rank := range part {
			if rank != None {
				got[rank] = row
			}
			row++
		}
	}
	if !slices.Equal(got, chosen) || row != rows {
		t.Errorf("%d ranks differ", row)
	}
}

// TestRowsThatDoNotFit is about a column with more or fewer rows than the order.
func TestRowsThatDoNotFit(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for _, bits := range []uint8{8, 4} {
		for _, rows := range []int{90, 110} {
			o, err := newOrder(t.Context(), 100, bits, shuffle(r, 100), 1<<20, scratch.Folder(t.TempDir(), 0, time.Now()))
			if err != nil {
				t.Fatal(err)
			}
			arrays, _ := inputs(r, arrow.PrimitiveTypes.Int64, rows)
			if _, err := reordered(t.Context(), o, arrays, 1<<20, 100); !errors.Is(err, maintenance.ErrCorrupt) {
				t.Errorf("%d rows: got %v", rows, err)
			}
			o.Close()
		}
	}
}

// Every operation on scratch files fails in turn.
func TestFaults(t *testing.T) {
	const rows = 300
	r := rand.New(rand.NewPCG(7, 8))
	chosen := shuffle(r, rows)
	arrays, texts := inputs(r, arrow.BinaryTypes.String, rows)
	var want []string
	for _, row := range chosen {
		want = append(want, texts[row])
	}
	scratchtest.Sweep(t, want, func(space *scratch.Space) ([]string, error) {
		o, err := newOrder(t.Context(), rows, 6, chosen, 1, space)
		if err != nil {
			return nil, err
		}
		got, err := reordered(t.Context(), o, arrays, 500, 50)
		if closed := o.Close(); err == nil {
			err = closed
		}
		return got, err
	})
}

func TestDamagedBlock(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	for _, typ := range types() {
		data := array.NewSlice(randomArray(r, typ, 20), 0, 20).Data()
		a, err := gather.Column([]arrow.Array{array.MakeFromData(data)}, []gather.Ref{{Row: 3}, {Row: 1}, {Row: 19}})
		if err != nil {
			t.Fatal(err)
		}
		raw, like := appendData(nil, a.Data()), typesOf(a.Data())
		again, err := arrayOf(raw, like, 3)
		if err != nil || !array.Equal(a, again) {
			t.Errorf("%s: %v became %v: %v", typ, a, again, err)
		}
		for n := range raw {
			if _, err := arrayOf(raw[:n], like, 3); !errors.Is(err, errBlock) {
				t.Errorf("%s: %d of %d bytes: %v", typ, n, len(raw), err)
			}
		}
		if _, err := arrayOf(raw, like, 2); !errors.Is(err, errBlock) {
			t.Errorf("%s: two rows: %v", typ, err)
		}
	}
}

func TestCancel(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	arrays, _ := inputs(r, arrow.PrimitiveTypes.Int64, 100)
	for _, bits := range []uint8{7, 3} {
		o, err := newOrder(t.Context(), 100, bits, shuffle(r, 100), 1<<20, scratch.Folder(t.TempDir(), 0, time.Now()))
		if err != nil {
			t.Fatal(err)
		}
		defer o.Close()
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := reordered(ctx, o, arrays, 1, 100); !errors.Is(err, context.Canceled) {
			t.Errorf("got %v", err)
		}
	}
}
