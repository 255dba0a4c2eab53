package rewrite

import (
	"sync"

	"github.com/firndb/firn/maintenance"
)

// tally is how far a rewrite has come, all of its attempts together: groups that
// are planned anew are more to be done. It is safe for concurrent use.
type tally struct {
	env maintenance.Env

	mu     sync.Mutex
	update maintenance.Update
}

// newTally begins with a job about that many files.
func newTally(env maintenance.Env, files int) *tally {
	return &tally{env: env, update: maintenance.Update{Phase: maintenance.PhaseRewrite, Files: files}}
}

// add takes the groups of an attempt, which is about to begin.
func (t *tally) add(groups int, bytes int64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	// Nothing is left to do of the attempt before.
	t.update.Done, t.update.DoneBytes = t.update.Total, t.update.TotalBytes
	t.update.Total += groups
	t.update.TotalBytes += bytes
}

// advance reports more bytes. They stop at the total, even if small files are put
// together once more.
func (t *tally) advance(bytes int64) { t.report(0, bytes) }

// finished reports one more group.
func (t *tally) finished() { t.report(1, 0) }

func (t *tally) report(groups int, bytes int64) {
	t.mu.Lock()
	t.update.Done += groups
	t.update.DoneBytes = min(t.update.DoneBytes+bytes, t.update.TotalBytes)
	update := t.update
	t.mu.Unlock()
	t.env.Report(update)
}
