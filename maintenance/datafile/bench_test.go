package datafile

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"
)

// BenchmarkColumns reads each column of a file by itself: that of the variable
// FIRN_BENCH_PARQUET, whose columns have the ids 1, 2 and so on, or a random one.
func BenchmarkColumns(b *testing.B) {
	content, fields := randomFile(b, rand.New(rand.NewPCG(3, 1)), 100_000)
	if path := os.Getenv("FIRN_BENCH_PARQUET"); path != "" {
		var err error
		if content, err = os.ReadFile(path); err != nil {
			b.Fatal(err)
		}
		fields = fieldsOf(b, content)
	}
	for i, f := range fields {
		for _, arrows := range []bool{false, true} {
			b.Run(fmt.Sprintf("%s/%s/arrow=%t", f.Name, f.Type, arrows), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					if _, _, err := readColumns(b, content, map[int]arrow.Field{i + 1: f}, 8192, arrows); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

func fieldsOf(b *testing.B, content []byte) []arrow.Field {
	r, err := file.NewParquetReader(bytes.NewReader(content))
	if err != nil {
		b.Fatal(err)
	}
	schema, err := pqarrow.FromParquet(r.MetaData().Schema, nil, nil)
	if err != nil {
		b.Fatal(err)
	}
	return schema.Fields()
}
