package splice

import (
	"math/rand/v2"
	"testing"
)

// TestFitting compares with counting value by value.
func TestFitting(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 5_000 {
		n := 1 + r.IntN(6)
		run := &textRun{short: make([]int32, n+3)}
		for i := range n + 2 {
			run.short[i+1] = run.short[i] + r.Int32N(5)
		}
		from, room := r.IntN(3), r.Int64N(40)-2
		want, size := 0, int64(0)
		for want < n && (want == 0 || size < room) {
			size += int64(run.short[from+want+1]-run.short[from+want]) + 4
			want++
		}
		if got := run.fitting(from, n, room); got != want {
			t.Fatalf("%d of %d values of %v fit into %d bytes, not %d", want, n, run.short[from:], room, got)
		}
	}
}
