package faultio

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"

	iceio "github.com/apache/iceberg-go/io"
	"github.com/apache/iceberg-go/table"

	"github.com/firndb/firn/catalog"
)

// ErrInjected is wrapped by every error that the package makes up.
var ErrInjected = errors.New("injected fault")

// Op is the kind of a step.
type Op string

// The kinds of steps. Closed, Removed and Committed come after the effect.
const (
	Open      Op = "open"
	Read      Op = "read"
	Stat      Op = "stat"
	List      Op = "list"
	Create    Op = "create"
	Write     Op = "write"
	Close     Op = "close"
	Closed    Op = "closed"
	Remove    Op = "remove"
	Removed   Op = "removed"
	Commit    Op = "commit"
	Committed Op = "committed"
)

// Step is one step.
type Step struct {
	Op Op
	// Path is the file, or the table of a commit.
	Path string
}

// String shows a step as "op path".
func (s Step) String() string { return string(s.Op) + " " + s.Path }

// Mode says what happens after the failing step.
type Mode int

const (
	// Once fails the one step; later ones succeed.
	Once Mode = iota
	// Crash fails every later step too: nothing has an effect any more.
	Crash
)

// Faults counts steps and fails the one with number At. It is safe for
// concurrent use; its exported fields must not change once it is in use.
type Faults struct {
	// At is the number of the step to fail, from 0; negative for none.
	At int
	// Mode says what happens after it.
	Mode Mode
	// Ops are the kinds of steps that count; all of them if empty. Others
	// succeed, unless after a crash.
	Ops []Op
	// Failing, if set, is called when the step fails, before anything else fails.
	Failing func()

	mu    sync.Mutex
	count int
	fired *Step
}

// Hooks are what a catalog needs to be under the faults.
func (f *Faults) Hooks() catalog.Hooks {
	return catalog.Hooks{IO: f.IO, Commit: f.commit}
}

// IO returns inner under the faults.
func (f *Faults) IO(inner iceio.IO) iceio.IO { return &files{faults: f, inner: inner} }

// Fired returns the step that failed, if one has.
func (f *Faults) Fired() (Step, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.fired == nil {
		return Step{}, false
	}
	return *f.fired, true
}

// Count is the number of steps so far.
func (f *Faults) Count() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.count
}

// step is called at every step; its error is the injected one.
func (f *Faults) step(op Op, path string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.fired != nil && f.Mode == Crash {
		return fmt.Errorf("%w: %s %s: crashed at %q", ErrInjected, op, path, f.fired)
	}
	if len(f.Ops) > 0 && !slices.Contains(f.Ops, op) {
		return nil
	}
	n := f.count
	f.count++
	if n != f.At || f.fired != nil {
		return nil
	}
	f.fired = &Step{Op: op, Path: path}
	if f.Failing != nil {
		f.Failing()
	}
	return fmt.Errorf("%w: step %d: %s %s", ErrInjected, n, op, path)
}

func (f *Faults) commit(ctx context.Context, ident table.Identifier, reqs []table.Requirement, updates []table.Update, next catalog.CommitFunc) (table.Metadata, string, error) {
	name := fmt.Sprint(ident)
	if err := f.step(Commit, name); err != nil {
		return nil, "", err
	}
	metadata, location, err := next(ctx, ident, reqs, updates)
	if err != nil {
		return nil, "", err
	}
	if err := f.step(Committed, name); err != nil {
		return nil, "", err
	}
	return metadata, location, nil
}

// Sweep calls try with step 0, 1, 2 … failing until a call ends without the
// step having been reached. Each call is a subtest.
func Sweep(t *testing.T, mode Mode, ops []Op, try func(t *testing.T, f *Faults)) {
	t.Helper()
	for i := 0; ; i++ {
		f := &Faults{At: i, Mode: mode, Ops: ops}
		ok := t.Run(fmt.Sprint("step", i), func(t *testing.T) {
			try(t, f)
			if step, fired := f.Fired(); fired && t.Failed() {
				t.Logf("with %q failing", step)
			}
		})
		if _, fired := f.Fired(); !fired || !ok {
			return
		}
	}
}
