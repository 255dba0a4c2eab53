package extsort

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/firndb/firn/maintenance/internal/scratch"
)

func TestDamagedBlock(t *testing.T) {
	key := func(ref uint32) []byte { return fmt.Append(nil, ref) }
	items := make([]item, 20)
	for i := range items {
		items[i] = item{uint64(i), uint32(i), uint32(i)}
	}
	for name, d := range map[string]*digest{"whole keys": nil, "prefixes": {exact: true}} {
		r := &run{log: scratch.Folder(t.TempDir(), 0, time.Now()).NewLog(), digest: d}
		defer r.log.Close()
		if err := r.append(items, key); err != nil {
			t.Fatal(err)
		}
		read := func() error {
			of := d
			if d == nil {
				of = &digest{}
			}
			s := newSource(of, r, 100)
			if ok, err := s.open(); err != nil || !ok {
				return err
			}
			for i, it := range s.items {
				if it.row != 100+uint32(i) || d != nil && it.prefix != uint64(i) || d == nil && string(s.key(it)) != fmt.Sprint(i) {
					t.Errorf("%s: item %d is %v", name, i, it)
				}
			}
			return nil
		}
		if err := read(); err != nil {
			t.Fatal(err)
		}
		r.blocks[0].Size /= 2
		if err := read(); !errors.Is(err, errBlock) {
			t.Errorf("half a block of %s: %v", name, err)
		}
	}
}

// Blocks of any prefixes and rows are read as they were, and none that is cut off
// or says that it has other rows.
func TestPackedBlocks(t *testing.T) {
	if got, err := unpackItems(nil, make([]byte, packedHead+packedTail)); !errors.Is(err, errBlock) {
		t.Errorf("no rows: %v, %v", got, err)
	}
	r := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		items := make([]item, 1+r.IntN(40))
		shift, rowShift := r.IntN(65), r.IntN(33)
		for i := range items {
			items[i] = item{prefix: r.Uint64() >> shift, row: r.Uint32() >> rowShift}
		}
		sortItems(items, make([]item, len(items)))
		for i := range items {
			items[i].ref = uint32(i)
		}
		raw := appendPacked(nil, items)
		if got, err := unpackItems(nil, raw); err != nil || !slices.Equal(got, items) {
			t.Fatalf("got %v, %v, want %v", got, err, items)
		}
		for range 20 {
			damaged := slices.Clone(raw)
			if r.IntN(2) == 0 {
				damaged = damaged[:r.IntN(len(raw))]
			} else {
				damaged[[]int{0, 1, 2, 3, 16, 17}[r.IntN(6)]] ^= 1 << r.IntN(8)
			}
			got, err := unpackItems(nil, damaged)
			if err == nil && len(items)*int(raw[16]+raw[17]) != len(got)*int(damaged[16]+damaged[17]) || err != nil && !errors.Is(err, errBlock) {
				t.Fatalf("%d rows of a damaged block, %v", len(got), err)
			}
		}
	}
}
