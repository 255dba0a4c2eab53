package extsort

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/firndb/firn/maintenance/internal/scratch"
)

// manyRows are keys of more rows than streams have under way.
func manyRows(r *rand.Rand) []given {
	in := make([]given, 40)
	for i := range in {
		for range 100_000 / len(in) {
			in[i].add(fmt.Sprintf("%05d", r.IntN(90000)), false)
		}
	}
	return in
}

// TestStreams merges many runs by several goroutines, which yield more chunks than
// they have.
func TestStreams(t *testing.T) {
	in := manyRows(rand.New(rand.NewPCG(5, 6)))
	for _, memory := range []int64{1 << 20, 1 << 18} {
		s := New(Config{Scratch: scratch.Folder(t.TempDir(), 0, time.Now()), Collectors: 2, Memory: memory})
		got, err := sortAll(t.Context(), s, in)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range s.collectors {
			if len(c.runs) == 0 || int64(cap(c.items))*itemBytes > c.most {
				t.Errorf("%d runs, room for %d items", len(c.runs), cap(c.items))
			}
		}
		if runs := len(s.collectors[0].runs); runs < 2 || !slices.Equal(got, reference(in)) {
			t.Errorf("%d rows from %d runs", len(got), runs)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
}

// A merge that is left before its end, or cancelled, ends the goroutines too; an
// error of theirs is the merge's.
func TestStreamsEnd(t *testing.T) {
	in := manyRows(rand.New(rand.NewPCG(7, 8)))
	for name, end := range map[string]func(s *Sorter, cancel func()) (more bool){
		"left":      func(*Sorter, func()) bool { return false },
		"cancelled": func(_ *Sorter, cancel func()) bool { cancel(); return true },
		"failed":    func(s *Sorter, _ func()) bool { return s.Close() == nil },
	} {
		t.Run(name, func(t *testing.T) {
			s := New(Config{Scratch: scratch.Folder(t.TempDir(), 0, time.Now()), Collectors: 2, Memory: 1 << 18})
			defer s.Close()
			for i, g := range in {
				if err := s.Collector(2*i/len(in)).Add(t.Context(), g.keys, g.dead); err != nil {
					t.Fatal(err)
				}
			}
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			var failed error
			for _, err := range s.Merge(ctx) {
				if failed = err; err != nil || !end(s, cancel) {
					break
				}
			}
			switch name {
			case "left":
				if failed != nil {
					t.Error(failed)
				}
			case "cancelled":
				if !errors.Is(failed, context.Canceled) {
					t.Errorf("got %v", failed)
				}
			case "failed":
				if failed == nil {
					t.Error("no error")
				}
			}
		})
	}
}

// Chunks of long keys are short: what is open of runs is a few rows of each.
func TestChunksOfLongKeys(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	in := make([]given, 20)
	for i := range in {
		for range 50 {
			in[i].add(fmt.Sprintf("%05d%s", r.IntN(90000), strings.Repeat("x", 10_000+i%2)), false)
		}
	}
	s := New(Config{Scratch: scratch.Folder(t.TempDir(), 0, time.Now()), Collectors: 2, Memory: 2 << 20})
	defer s.Close()
	for i, g := range in {
		if err := s.Collector(2*i/len(in)).Add(t.Context(), g.keys, nil); err != nil {
			t.Fatal(err)
		}
	}
	most := 0
	for _, c := range s.collectors {
		most += leastBlock*len(c.runs) + int(c.rows)
	}
	rows := 0
	for chunk, err := range s.Merge(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		if len(chunk.Rows) > most {
			t.Fatalf("a chunk of %d rows", len(chunk.Rows))
		}
		rows += len(chunk.Rows)
	}
	if rows != 1000 || most > 500 {
		t.Errorf("%d rows, %d in memory at once", rows, most)
	}
}

// What does not fit into memory as whole keys is written as prefixes, and room for
// sorting that is due to short keys is not kept for long ones.
func TestMemoryOfWholeKeys(t *testing.T) {
	s := New(Config{Scratch: scratch.Folder(t.TempDir(), 0, time.Now()), Collectors: 1, Memory: 100 * itemBytes})
	defer s.Close()
	c := s.Collector(0)
	var in []given
	for i, size := range []int{90, 5, 60, 60, 60} {
		var g given
		for j := range size {
			g.add(fmt.Sprintf("%040d%s", j*size, strings.Repeat("x", i)), false)
		}
		in = append(in, g)
		if err := c.Add(t.Context(), g.keys, nil); err != nil {
			t.Fatal(err)
		}
		if i == 1 && (len(c.runs) != 1 || c.runs[0].digest == nil) {
			t.Errorf("%d runs", len(c.runs))
		}
		if len(c.batches) > 0 && c.items != nil {
			t.Errorf("room for %d items beside whole keys", cap(c.items))
		}
	}
	if len(c.runs) < 3 {
		t.Errorf("%d runs", len(c.runs))
	}
	var got []row
	for chunk, err := range s.Merge(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		for i, number := range chunk.Rows {
			got = append(got, row{string(chunk.AppendKey(nil, i)), number})
		}
	}
	if !slices.Equal(got, reference(in)) {
		t.Errorf("got %v", got)
	}
}
