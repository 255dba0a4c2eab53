package extsort

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/firndb/firn/maintenance"
	"github.com/firndb/firn/maintenance/internal/rowkey"
	"github.com/firndb/firn/maintenance/internal/scratch"
	"github.com/firndb/firn/maintenance/internal/scratch/scratchtest"
)

// given is keys as a collector is given them.
type given struct {
	keys rowkey.Keys
	dead []bool
}

func (g *given) add(key string, dead bool) {
	g.keys.Data = append(g.keys.Data, key...)
	g.keys.Ends = append(g.keys.Ends, uint32(len(g.keys.Data)))
	g.dead = append(g.dead, dead)
}

// kinds make keys that agree in different parts.
func kinds(r *rand.Rand) map[string]func() string {
	// made is how many keys there are of the kinds that change.
	made := 0
	return map[string]func() string{
		"growing": func() string {
			made++
			return string(binary.BigEndian.AppendUint64([]byte{1}, r.Uint64()>>max(0, 60-made/20)))
		},
		"lengths differ later": func() string {
			if made++; made < 400 {
				return fmt.Sprintf("%03d", r.IntN(1000))
			}
			return fmt.Sprint(r.IntN(1000))
		},
		"more bits differ later": func() string {
			if made++; made < 400 {
				return fmt.Sprintf("%030d", r.IntN(1000))
			}
			return fmt.Sprintf("%010d%010d%010d", r.IntN(1000), r.IntN(3), r.IntN(1e10))
		},
		"few":   func() string { return string([]byte{1, byte(r.IntN(3)), 7}) },
		"exact": func() string { return fmt.Sprintf("\x01%04d", r.IntN(3000)) },
		"wide":  func() string { return fmt.Sprintf("\x01%012d", r.IntN(1e9)) },
		"long": func() string {
			key := strings.Repeat("x", 70+r.IntN(2)) + fmt.Sprint(r.IntN(300))
			if r.IntN(3) == 0 {
				key = key[:r.IntN(len(key))]
			}
			return key
		},
		"shorter": func() string { return strings.Repeat("\x00", r.IntN(4)) + strings.Repeat("a", r.IntN(3)) },
	}
}

func random(r *rand.Rand, key func() string, batches int) []given {
	var in []given
	for range batches {
		var g given
		for range r.IntN(60) {
			g.add(key(), r.IntN(6) == 0)
		}
		if r.IntN(3) == 0 {
			for i := range g.dead {
				g.dead[i] = false
			}
			g.dead = nil
		}
		in = append(in, g)
	}
	return in
}

// row is a row in order.
type row struct {
	key    string
	number uint32
}

// sortAll gives parts of the batches to the collectors and returns the rows in
// order.
func sortAll(ctx context.Context, s *Sorter, in []given) ([]row, error) {
	per := (len(in) + s.Collectors - 1) / s.Collectors
	for i, g := range in {
		if err := s.Collector(i/per).Add(ctx, g.keys, g.dead); err != nil {
			return nil, err
		}
	}
	var got []row
	for chunk, err := range s.Merge(ctx) {
		if err != nil {
			return nil, err
		}
		for i, number := range chunk.Rows {
			if i > 0 && chunk.Same(i-1, i) != (got[len(got)-1].key == string(chunk.AppendKey(nil, i))) {
				return nil, fmt.Errorf("rows %d and %d have the same key: %t", got[len(got)-1].number, number, chunk.Same(i-1, i))
			}
			got = append(got, row{string(chunk.AppendKey(nil, i)), number})
		}
	}
	if int64(len(got)) != s.Live() {
		return nil, fmt.Errorf("%d rows, %d are alive", len(got), s.Live())
	}
	return got, nil
}

// reference sorts all rows at once.
func reference(in []given) []row {
	var rows []row
	number := uint32(0)
	for _, g := range in {
		for i := range g.keys.Len() {
			if g.dead == nil || !g.dead[i] {
				rows = append(rows, row{string(g.keys.At(i)), number})
			}
			number++
		}
	}
	slices.SortStableFunc(rows, func(a, b row) int { return strings.Compare(a.key, b.key) })
	return rows
}

// TestSort compares with a stable sort of all rows at once, in memory, partly
// spilled, and with more runs than are merged at once.
func TestSort(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for name := range kinds(r) {
		for _, memory := range []int64{1 << 30, 1 << 15, 1 << 13, 1} {
			for _, batches := range []int{0, 1, 5, 30, 60} {
				t.Run(fmt.Sprint(name, " ", memory, " ", batches), func(t *testing.T) {
					in := random(r, kinds(r)[name], batches)
					if r.IntN(2) == 0 {
						slices.Reverse(in)
					}
					space := scratch.Folder(t.TempDir(), 0, time.Now())
					s := New(Config{Scratch: space, Memory: memory, Collectors: 2})
					s.fanIn = 4
					got, err := sortAll(t.Context(), s, in)
					if err != nil {
						t.Fatal(err)
					}
					if want := reference(in); !slices.Equal(got, want) {
						t.Errorf("rows or order differ: %d rows, want %d", len(got), len(want))
					}
					if spilled := space.Used() > 0; memory == 1 && batches > 2 && !spilled || memory == 1<<30 && spilled {
						t.Errorf("%d bytes of scratch space", space.Used())
					}
					if err := s.Close(); err != nil || space.Used() != 0 {
						t.Errorf("%d bytes of scratch space are left: %v", space.Used(), err)
					}
				})
			}
		}
	}
}

func TestScratchCeiling(t *testing.T) {
	s := New(Config{Memory: 1, Collectors: 1, Scratch: scratch.Folder(t.TempDir(), 1000, time.Now())})
	defer s.Close()
	r := rand.New(rand.NewPCG(5, 6))
	if _, err := sortAll(t.Context(), s, random(r, kinds(r)["wide"], 20)); !errors.Is(err, maintenance.ErrRefused) || !strings.Contains(err.Error(), "1000 bytes") {
		t.Errorf("got %v", err)
	}
}

// Every operation on scratch files fails in turn.
func TestFaults(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	in := random(r, kinds(r)["wide"], 9)
	scratchtest.Sweep(t, reference(in), func(space *scratch.Space) ([]row, error) {
		s := New(Config{Scratch: space, Memory: 1, Collectors: 1})
		s.fanIn = 3
		got, err := sortAll(t.Context(), s, in)
		if closed := s.Close(); err == nil {
			err = closed
		}
		return got, err
	})
}

func TestCancel(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	s := New(Config{Scratch: scratch.Folder(t.TempDir(), 0, time.Now()), Memory: 1 << 20, Collectors: 1})
	defer s.Close()
	r := rand.New(rand.NewPCG(11, 12))
	for _, g := range random(r, kinds(r)["few"], 5) {
		if err := s.Collector(0).Add(ctx, g.keys, g.dead); err != nil {
			t.Fatal(err)
		}
	}
	cancel()
	for _, err := range s.Merge(ctx) {
		if !errors.Is(err, context.Canceled) {
			t.Errorf("got %v", err)
		}
	}
}
