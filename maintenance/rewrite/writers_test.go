package rewrite_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/apache/iceberg-go"

	"github.com/firndb/firn/maintenance/rewrite"
)

// writers change a table at random, and know what its rows must be: their ids, and
// in version 3 their lineage.
type writers struct {
	g    *ground
	rng  *rand.Rand
	rows map[int64]string
	next int64
}

// act appends rows, deletes some by position or deletion vector, or replaces some
// as an upserter does: by an equality delete and an append.
func (w *writers) act() {
	switch old := w.some(); {
	case w.rng.IntN(3) == 0 || len(old) == 0:
		w.add(w.next, w.next+1, w.next+2)
		w.next += 3
	case w.rng.IntN(2) == 0:
		w.g.delete(old...)
		for _, id := range old {
			delete(w.rows, id)
		}
	default:
		w.g.deleteEqual(old...)
		for _, id := range old {
			delete(w.rows, id)
		}
		w.add(old...)
	}
}

// some are up to three ids that there are.
func (w *writers) some() []int64 {
	ids := slices.Sorted(maps.Keys(w.rows))
	w.rng.Shuffle(len(ids), func(i, j int) { ids[i], ids[j] = ids[j], ids[i] })
	return ids[:min(len(ids), 1+w.rng.IntN(3))]
}

// add appends rows and notes their lineage.
func (w *writers) add(ids ...int64) {
	w.g.append(ids...)
	lines := map[int64]string{}
	if w.g.load().Metadata().Version() >= 3 {
		for _, line := range w.g.lineage() {
			var id int64
			if _, err := fmt.Sscan(line, &id); err != nil {
				w.g.t.Fatal(err)
			}
			lines[id] = line
		}
	}
	for _, id := range ids {
		w.rows[id] = lines[id]
	}
}

// check compares the table with what it must be.
func (w *writers) check(when string) {
	w.g.t.Helper()
	if got, want := w.g.ids(), slices.Sorted(maps.Keys(w.rows)); !slices.Equal(got, want) {
		w.g.t.Fatalf("%s: rows %v, want %v", when, got, want)
	}
	if w.g.load().Metadata().Version() < 3 {
		return
	}
	if got, want := w.g.lineage(), slices.Sorted(maps.Values(w.rows)); !slices.Equal(got, want) {
		w.g.t.Fatalf("%s: lineage is\n%s\nwant\n%s", when, strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// Promise P5: whatever is committed between the plan of a rewrite and its commits
// is neither lost nor revived, and rows keep their lineage (promise P4).
func TestRewriteAmongWriters(t *testing.T) {
	for seed := range uint64(8) {
		version, partial := fmt.Sprint(2+seed%2), fmt.Sprint(seed/2%2 == 0)
		sequence, order := fmt.Sprint(seed%3 > 0), []string{"", "id DESC"}[seed/4%2]
		t.Run(fmt.Sprintf("%d: version %s, partial %s, sequence %s, sorted by %q", seed, version, partial, sequence, order), func(t *testing.T) {
			t.Parallel()
			var spec *iceberg.PartitionSpec
			if seed%5 > 1 {
				spec = byPart()
			}
			g := newGround(t, version, spec, nil)
			w := &writers{g: g, rng: rand.New(rand.NewPCG(seed, 7)), rows: map[int64]string{}, next: 300}
			for i := range int64(4) {
				w.add(i, 100+i, 200+i)
			}
			options := map[string]string{
				rewrite.OptionRewriteAll: "true", rewrite.OptionPartialProgress: partial, rewrite.OptionStartingSequence: sequence,
			}
			for round := range 3 {
				plan := g.plan(options)
				if order != "" {
					plan = planSorted(t, g.c, "ns.t", order, options)
				}
				for range w.rng.IntN(3) {
					w.act()
				}
				left := w.rng.IntN(3)
				g.before = func() { w.between(&left) }
				r, err := plan.Execute(t.Context(), env(g.c))
				g.before = nil
				if err != nil {
					t.Fatal(err)
				}
				w.check(fmt.Sprintf("round %d, %s", round, result(r)))
				g.wantNoStrays()
			}
		})
	}
}

// between acts before a commit, and before left more.
func (w *writers) between(left *int) {
	if *left == 0 {
		return
	}
	*left--
	w.act()
	w.g.before = func() { w.between(left) }
}
