package extsort

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/firndb/firn/maintenance/internal/rowkey"
	"github.com/firndb/firn/maintenance/internal/scratch"
)

// BenchmarkSort sorts 12 million keys of a number and a time in 94 MB, into which
// a quarter of them fits; or of two numbers of which all bits differ.
func BenchmarkSort(b *testing.B) {
	const rows, batch = 12 << 20, 1 << 14
	for _, wide := range []bool{false, true} {
		b.Run(fmt.Sprintf("wide=%t", wide), func(b *testing.B) {
			for b.Loop() {
				r := rand.New(rand.NewPCG(1, 2))
				s := New(Config{Scratch: scratch.Folder(b.TempDir(), 0, time.Now()), Memory: 94 << 20, Collectors: 2})
				for from := 0; from < rows; from += batch {
					keys := rowkey.Keys{Data: make([]byte, 0, 18*batch)}
					for range batch {
						number, at := uint64(r.IntN(1<<22)), uint64(r.Int64N(1<<38))
						if wide {
							number, at = r.Uint64(), r.Uint64()
						}
						keys.Data = binary.BigEndian.AppendUint64(append(keys.Data, 1), number)
						keys.Data = binary.BigEndian.AppendUint64(append(keys.Data, 1), at)
						keys.Ends = append(keys.Ends, uint32(len(keys.Data)))
					}
					if err := s.Collector(2*from/rows).Add(b.Context(), keys, nil); err != nil {
						b.Fatal(err)
					}
				}
				n := 0
				for chunk, err := range s.Merge(b.Context()) {
					if err != nil {
						b.Fatal(err)
					}
					n += len(chunk.Rows)
				}
				if n != rows || s.Close() != nil {
					b.Fatalf("%d rows", n)
				}
			}
		})
	}
}
