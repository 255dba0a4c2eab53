package model

import (
	"strings"
	"testing"
)

// rules say what catalog and what variant of the code is looked at.
type rules struct {
	// rest is a catalog that applies updates by itself; slowWriter says that an
	// append may take longer than the safety age.
	rest, slowWriter bool

	// The others break the code.
	agesUnseen        bool
	notLookedAgain    bool
	deletesUnchecked  bool
	unknownIsRefused  bool
	changesUnseen     bool
	predecessorUnseen bool
	onlyPredecessor   bool
	onlyNewest        bool
}

func (s state) moves(r rules) []move {
	moves := s.writerMoves(r)
	moves = append(moves, s.timeMoves(r)...)
	moves = append(moves, s.lateMoves()...)
	moves = append(moves, s.rewriteMoves(r)...)
	moves = append(moves, s.expiryMoves(r)...)
	return append(moves, s.orphanMoves(r)...)
}

// explore visits every state once, breadth first, and returns how many there are
// and the shortest way to one that breaks a promise.
func explore(t *testing.T, r rules) (states int, broken string, way []string) {
	t.Helper()
	type origin struct {
		from int32
		what string
	}
	seen := map[state]bool{start(): true}
	queue := []state{start()}
	origins := []origin{{from: -1}}
	for i := 0; i < len(queue); i++ {
		if len(queue) > 4_000_000 {
			t.Fatalf("more than %d states", len(queue))
		}
		if broken = queue[i].broken(); broken != "" {
			for at := int32(i); origins[at].from >= 0; at = origins[at].from {
				way = append([]string{origins[at].what}, way...)
			}
			return len(queue), broken, way
		}
		for _, m := range queue[i].moves(r) {
			if !seen[m.to] {
				seen[m.to] = true
				queue = append(queue, m.to)
				origins = append(origins, origin{int32(i), m.what})
			}
		}
	}
	return len(queue), "", nil
}

// TestEveryOrderKeepsThePromises explores what the code does.
func TestEveryOrderKeepsThePromises(t *testing.T) {
	for name, r := range map[string]rules{
		"a catalog that compares versions, a slow writer": {slowWriter: true},
		"a catalog that applies by itself":                {rest: true},
	} {
		t.Run(name, func(t *testing.T) {
			states, broken, way := explore(t, r)
			if broken != "" {
				t.Errorf("%s after\n%s", broken, strings.Join(way, "\n"))
			}
			t.Logf("%d states", states)
		})
	}
}

// TestTheModelCanFail breaks the code in one place at a time.
func TestTheModelCanFail(t *testing.T) {
	for name, test := range map[string]struct {
		r    rules
		want string
	}{
		"ages are not looked at":                                 {rules{agesUnseen: true}, "P2: files"},
		"the table is not looked at again":                       {rules{slowWriter: true, notLookedAgain: true}, "P2: files"},
		"new deletes are not looked at":                          {rules{deletesUnchecked: true}, "P5"},
		"a refused snapshot is looked for in the newest version": {rules{onlyNewest: true}, "P2: files"},
		"an unknown outcome is taken for a no":                   {rules{unknownIsRefused: true}, "P2: files"},
		"changes since the plan are not noticed":                 {rules{changesUnseen: true, predecessorUnseen: true}, "P2: files"},
		"lost tags are not looked for":                           {rules{rest: true, predecessorUnseen: true}, "of a lost tag"},
		"lost tags are looked for in one version":                {rules{rest: true, onlyPredecessor: true}, "of a lost tag"},
	} {
		t.Run(name, func(t *testing.T) {
			_, broken, way := explore(t, test.r)
			if !strings.HasPrefix(broken, test.want) && !strings.Contains(broken, test.want) {
				t.Errorf("got %q, want %q", broken, test.want)
			}
			t.Logf("%s after\n%s", broken, strings.Join(way, "\n"))
		})
	}
}
