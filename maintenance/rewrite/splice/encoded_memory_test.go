package splice_test

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"testing"

	"github.com/firndb/firn/maintenance/rewrite/splice"
)

func TestPageBuffer(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	var p splice.PageBuffer
	for _, size := range []int{3 << 20, 100, 600_000, 0} {
		p.Reset()
		var want []byte
		for len(want) < size {
			b := make([]byte, 1+rng.IntN(100_000))
			for i := range b {
				b[i] = byte(rng.Uint32())
			}
			want = append(want, b...)
			if n, err := p.Write(b); n != len(b) || err != nil {
				t.Fatal(n, err)
			}
		}
		got := make([]byte, len(want))
		if n, err := p.ReadAt(got, 0); n != len(want) || err != nil || !bytes.Equal(got, want) {
			t.Fatalf("%d bytes read of %d: %v", n, len(want), err)
		}
		for range 200 {
			from := rng.IntN(len(want) + 1)
			b := make([]byte, rng.IntN(len(want)-from+1))
			if n, err := p.ReadAt(b, int64(from)); n != len(b) || err != nil || !bytes.Equal(b, want[from:][:n]) {
				t.Fatalf("%d bytes read of %d at %d: %v", n, len(b), from, err)
			}
		}
		if n, err := p.ReadAt(make([]byte, 1), int64(len(want))); n != 0 || !errors.Is(err, io.EOF) {
			t.Errorf("%d bytes beyond the end: %v", n, err)
		}
	}
}
