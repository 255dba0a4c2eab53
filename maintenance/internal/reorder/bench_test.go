package reorder

import (
	"math/rand/v2"
	"os"
	"strconv"
	"testing"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/decimal128"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/firndb/firn/maintenance/internal/scratch"
)

// BenchmarkReorder puts columns of many rows into a random order, through scratch space.
func BenchmarkReorder(b *testing.B) {
	const rows, buckets, batch = 16 << 20, 6, 1 << 16
	bitsOf := func(name string, d int) int {
		if v, err := strconv.Atoi(os.Getenv(name)); err == nil {
			return v
		}
		return d
	}
	r := rand.New(rand.NewPCG(1, 2))
	builder := NewBuilder(rows, 1<<30, scratch.Folder(b.TempDir(), 0, time.Now()))
	builder.partBits = uint8(bitsOf("PARTBITS", partBits))
	perm := r.Perm(rows)
	chosen := make([]uint32, rows)
	for i, p := range perm {
		chosen[i] = uint32(p)
	}
	if err := builder.Add(chosen); err != nil {
		b.Fatal(err)
	}
	var starts []int64
	for i := range buckets {
		starts = append(starts, int64(rows*i/buckets))
	}
	o, err := builder.Order(b.Context(), starts)
	if err != nil {
		b.Fatal(err)
	}
	for name, t := range map[string]arrow.DataType{"text": arrow.BinaryTypes.String, "int64": arrow.PrimitiveTypes.Int64, "decimal": &arrow.Decimal128Type{Precision: 10, Scale: 2}, "time": arrow.FixedWidthTypes.Timestamp_us} {
		bl := array.NewBuilder(memory.DefaultAllocator, t)
		for range batch {
			switch bl := bl.(type) {
			case *array.StringBuilder:
				bl.Append("0123456789012345678901234567890123456789"[:30+r.IntN(8)])
			case *array.Int64Builder:
				bl.Append(r.Int64N(1e6))
			case *array.TimestampBuilder:
				bl.Append(arrow.Timestamp(1767225600000000 + r.Int64N(8.64e11)))
			case *array.Decimal128Builder:
				bl.Append(decimal128.FromI64(r.Int64N(1e4)))
			}
		}
		a := bl.NewArray()
		b.Run(name, func(b *testing.B) {
			var add, open, pick, slice time.Duration
			for range b.N {
				s := o.NewShelf(160 << 20)
				from := time.Now()
				for range rows / batch {
					if err := s.Add(b.Context(), a); err != nil {
						b.Fatal(err)
					}
				}
				if err := s.Finish(b.Context()); err != nil {
					b.Fatal(err)
				}
				add += time.Since(from)
				for i := range buckets {
					from := time.Now()
					bucket, err := s.Open(b.Context(), i)
					if err != nil {
						b.Fatal(err)
					}
					open += time.Since(from)
					lo, hi := o.Bucket(i)
					from = time.Now()
					got, err := bucket.Rows(b.Context(), 0, hi-lo)
					if err != nil {
						b.Fatal(err)
					}
					pick += time.Since(from)
					from = time.Now()
					for at := int64(0); at < hi-lo; at += 1 << 15 {
						a, err := got.Peek(at, min(at+1<<15, hi-lo))
						if err != nil {
							b.Fatal(err)
						}
						a.Release()
					}
					slice += time.Since(from)
					bucket.Close()
				}
				s.Close()
			}
			per := func(name string, d time.Duration) {
				b.ReportMetric(float64(d.Nanoseconds())/float64(b.N)/rows, name+"-ns/row")
			}
			per("add", add)
			per("open", open)
			per("pick", pick)
			per("slice", slice)
			b.ReportMetric(0, "ns/op")
		})
	}
}
