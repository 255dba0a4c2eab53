package manifest

import (
	"encoding/binary"
	"math/rand/v2"
	"testing"
)

// TestSkipPairs passes over numbers and bytes of all lengths as their skipper does
// step by step, and notices where they are cut off.
func TestSkipPairs(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	pair := skipper{{what: skipNumbers, n: 1}, {what: skipBytes}}
	for range 300 {
		n := r.IntN(6)
		var data []byte
		for range n {
			data = binary.AppendVarint(data, r.Int64()>>r.IntN(64))
			v := make([]byte, r.IntN(3)*r.IntN(100))
			data = append(binary.AppendVarint(data, int64(len(v))), v...)
		}
		for cut := range len(data) + 1 {
			want, got := &cursor{data: data[:cut]}, &cursor{data: data[:cut]}
			for range n {
				pair.skip(want)
			}
			got.skipPairs(n)
			if got.at != want.at || got.bad != want.bad || got.bad != (cut < len(data)) {
				t.Fatalf("%d pairs in %x: at %d, bad %v, want %d, %v", n, data[:cut], got.at, got.bad, want.at, want.bad)
			}
		}
	}
	if c := (&cursor{data: []byte{2, 1, 0}}); func() bool { c.skipPairs(1); return !c.bad }() {
		t.Error("a length below zero was passed over")
	}
}
