package maintenance_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/firndb/firn/maintenance"
)

var (
	seeds = flag.Uint64("seeds", 200, "how many random histories TestRandomHistories runs")
	first = flag.Uint64("first-seed", 1, "the seed of its first history")
)

// TestRandomHistories takes small tables through random histories of writers and
// of all jobs of Firn's, with writers between the planning and the commit of
// Firn's own, and holds them to the promises: the rows of every snapshot that
// stays are the same for ever, those of a replacement are its parent's, nothing
// that is referenced is missing, nothing of Firn's is left over and after the
// removal of orphans nothing at all, a second run selects nothing, and a preview
// is what is done.
//
// For a long run: go test ./maintenance -run RandomHistories -timeout 0 -seeds 10000.
func TestRandomHistories(t *testing.T) {
	for seed := *first; seed < *first+*seeds; seed++ {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, seed)
			t.Cleanup(func() {
				if t.Failed() {
					t.Logf("-seeds 1 -first-seed %d: %s\n%s", seed, w.kind, strings.Join(w.story, "\n"))
				}
			})
			w.write()
			for range 4 + w.rng.IntN(6) {
				w.step()
				if t.Failed() {
					return
				}
			}
			w.checkAll()
		})
	}
}

// step is a random act: more often of a writer than of Firn.
func (w *world) step() {
	switch n := w.rng.IntN(17); {
	case n < 7:
		w.write()
	case n < 10:
		w.rewrite()
	case n < 11:
		w.rewriteManifests()
	case n < 12:
		w.rewriteDeletes()
	case n < 13:
		w.removeOrphans()
	case n < 14:
		w.maintain()
	case n < 15:
		w.convertDeletes()
	default:
		w.expire()
	}
}

// tell adds a line to the story of the history.
func (w *world) tell(format string, args ...any) {
	w.story = append(w.story, strings.Repeat("  ", w.depth)+fmt.Sprintf(format, args...))
}

// ambush lets something happen at the next commit of Firn's, sometimes: another
// writer comes first, the answer is lost, the commit is refused though the table
// is as it was, or the caller gives up.
func (w *world) ambush(cancel context.CancelFunc) {
	w.before, w.after = nil, nil
	w.disturbed, w.lost = false, false
	if w.depth > 0 || w.rng.IntN(2) == 0 {
		return
	}
	act := func(then error) func() error {
		return func() error {
			w.disturbed = true
			return then
		}
	}
	switch n := w.rng.IntN(10); {
	case n < 6:
		w.before = func() error {
			w.depth++
			for range 1 + w.rng.IntN(2) {
				w.step()
			}
			w.depth--
			w.disturbed, w.lost = true, false
			return nil
		}
	case n < 7:
		w.after = act(errLostAnswer)
	case n < 8:
		w.before = act(errLostQuestion)
	case n < 9:
		w.before = act(errRefusal)
	default:
		w.before = func() error { cancel(); return act(context.Canceled)() }
	}
}

// judge says whether an error of a call of Firn's is one that the history
// explains.
func (w *world) judge(what string, err error) {
	if err == nil {
		return
	}
	w.tell("%s: %v", what, err)
	w.lost = errors.Is(err, maintenance.ErrCommitUnknown)
	explained := w.disturbed && (w.lost || errors.Is(err, maintenance.ErrConflict) || errors.Is(err, context.Canceled) || errors.Is(err, maintenance.ErrInvalid))
	if !explained {
		w.t.Errorf("%s: %v", what, err)
	}
}

// pick is one of some.
func pick[T any](r *rand.Rand, some ...T) T { return some[r.IntN(len(some))] }
