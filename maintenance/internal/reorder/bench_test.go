package reorder

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/decimal128"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/firndb/firn/maintenance/internal/scratch"
)

const (
	benchRows  = 16 << 20
	benchBatch = 1 << 16
	benchBits  = 16
)

// BenchmarkReorder puts columns of many rows into a random order through scratch
// space, and tells how long a row takes on its way in and out.
func BenchmarkReorder(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 2))
	chosen := make([]uint32, benchRows)
	for i, p := range r.Perm(benchRows) {
		chosen[i] = uint32(p)
	}
	o, err := newOrder(b.Context(), benchRows, benchBits, chosen, 1<<30, scratch.Folder(b.TempDir(), 0, time.Now()))
	if err != nil {
		b.Fatal(err)
	}
	defer o.Close()
	for name, a := range benchArrays(r) {
		b.Run(name, func(b *testing.B) {
			var in, out time.Duration
			for range b.N {
				from := time.Now()
				s := o.NewShelf(1<<30, 40<<20, false)
				for range benchRows / benchBatch {
					if err := s.Add(b.Context(), a); err != nil {
						b.Fatal(err)
					}
				}
				if err := s.Finish(b.Context()); err != nil {
					b.Fatal(err)
				}
				in += time.Since(from)
				from = time.Now()
				for _, err := range s.Rows(b.Context(), 0, benchRows) {
					if err != nil {
						b.Fatal(err)
					}
				}
				out += time.Since(from)
				s.Close()
			}
			b.ReportMetric(float64(in.Nanoseconds())/float64(b.N)/benchRows, "in-ns/row")
			b.ReportMetric(float64(out.Nanoseconds())/float64(b.N)/benchRows, "out-ns/row")
			b.ReportMetric(0, "ns/op")
		})
	}
}

func benchArrays(r *rand.Rand) map[string]arrow.Array {
	texts := array.NewStringBuilder(memory.DefaultAllocator)
	numbers := array.NewInt64Builder(memory.DefaultAllocator)
	decimals := array.NewDecimal128Builder(memory.DefaultAllocator, &arrow.Decimal128Type{Precision: 10, Scale: 2})
	for range benchBatch {
		texts.Append(fmt.Sprintf("%040x", r.Uint64())[:30+r.IntN(8)])
		numbers.Append(r.Int64N(1e6))
		decimals.Append(decimal128.FromI64(r.Int64N(1e4)))
	}
	few := array.NewStringBuilder(memory.DefaultAllocator)
	for range benchBatch {
		few.Append([]string{"open", "shipped", "returned", "cancelled"}[r.IntN(4)])
	}
	return map[string]arrow.Array{"word": few.NewArray(), "text": texts.NewArray(), "number": numbers.NewArray(), "decimal": decimals.NewArray()}
}
