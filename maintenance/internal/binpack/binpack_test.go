package binpack_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/firndb/firn/maintenance/internal/binpack"
)

func self(n int64) int64 { return n }

func TestPack(t *testing.T) {
	for _, tc := range []struct {
		items    []int64
		target   int64
		lookback int
		largest  bool
		max      int64
		want     string
	}{
		{nil, 10, 1, false, 9, "[]"},
		{[]int64{1, 2, 3, 4, 5}, 6, 1, false, 9, "[[1 2 3] [4] [5]]"},
		{[]int64{36, 36, 36, 36, 65, 65, 128, 65}, 128, 1, false, 9, "[[36 36 36] [36 65] [65] [128] [65]]"},
		{[]int64{36, 36, 36, 36, 65, 65, 128, 65}, 128, 2, false, 9, "[[36 36 36] [36 65] [65] [128] [65]]"},
		{[]int64{64, 64, 128, 32, 32, 32, 32}, 128, 2, true, 9, "[[64 64] [128] [32 32 32 32]]"},
		{[]int64{20, 1}, 10, 1, false, 9, "[[20] [1]]"},
		{[]int64{1, 1, 1}, 10, 1, false, 2, "[[1 1] [1]]"},
		{[]int64{math.MaxInt64, math.MaxInt64}, math.MaxInt64, 1, false, 9, "[[9223372036854775807] [9223372036854775807]]"},
	} {
		if got := fmt.Sprint(binpack.Pack(tc.items, tc.target, tc.lookback, tc.largest, tc.max, self)); got != tc.want {
			t.Errorf("%v to %d, lookback %d: got %s, want %s", tc.items, tc.target, tc.lookback, got, tc.want)
		}
	}
}

func TestPackEnd(t *testing.T) {
	if got := fmt.Sprint(binpack.PackEnd([]int64{1, 2, 3, 4, 5}, 9, self)); got != "[[1 2 3] [4 5]]" {
		t.Errorf("got %s", got)
	}
	if got := fmt.Sprint(binpack.PackEnd([]int64{5, 5, 5}, 10, self)); got != "[[5] [5 5]]" {
		t.Errorf("got %s", got)
	}
}

// Nothing is lost or doubled, and only an item that is too heavy by itself
// makes a bin too heavy.
func TestPackKeepsEverything(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 500 {
		items := make([]int64, r.IntN(30))
		for i := range items {
			items[i] = r.Int64N(40)
		}
		target, lookback, most := 1+r.Int64N(60), 1+r.IntN(12), 1+r.Int64N(8)
		bins := binpack.Pack(items, target, lookback, r.IntN(2) == 0, most, self)
		var packed []int64
		for _, b := range bins {
			var sum int64
			for _, n := range b {
				sum += n
			}
			if len(b) == 0 || int64(len(b)) > most || (sum > target && len(b) > 1) {
				t.Fatalf("%v to %d and %d items: bin %v", items, target, most, b)
			}
			packed = append(packed, b...)
		}
		slices.Sort(packed)
		slices.Sort(items)
		if !slices.Equal(packed, items) {
			t.Fatalf("%v became %v", items, packed)
		}
	}
}
