package scratchtest

import (
	"errors"
	"io"
	"slices"
	"sync"
	"testing"

	"github.com/firndb/firn/maintenance/internal/scratch"
)

// Faults is scratch space in memory of which one operation fails.
type Faults struct {
	// Fail is the number of the operation that fails, with Err.
	Fail int
	Err  error

	mu   sync.Mutex
	n    int
	open int
}

// errFull is the error of the operation that fails in a sweep.
var errFull = errors.New("no space left on device")

// Sweep lets every operation on scratch files fail in turn: what is done on the
// space must fail with that error or be right, say so if it was failed, and leave
// no file open. The result of do is compared with want.
func Sweep[T comparable](t *testing.T, want []T, do func(space *scratch.Space) ([]T, error)) {
	t.Helper()
	for fail := 0; ; fail++ {
		f := &Faults{Fail: fail, Err: errFull}
		got, err := do(f.Space())
		if err != nil && !errors.Is(err, errFull) || err == nil && !slices.Equal(got, want) {
			t.Fatalf("operation %d fails: %v, %d rows", fail, err, len(got))
		}
		if f.Open() != 0 {
			t.Fatalf("operation %d fails: %d files are open", fail, f.Open())
		}
		if !f.Fired() {
			return
		}
		if err == nil {
			t.Fatalf("operation %d fails, but nobody says so", fail)
		}
	}
}

// Space is such space without a bound.
func (f *Faults) Space() *scratch.Space { return &scratch.Space{Create: f.create} }

// Fired says whether the operation has been reached.
func (f *Faults) Fired() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.n > f.Fail
}

// Open is how many files are open.
func (f *Faults) Open() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.open
}

func (f *Faults) step(open int) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.n++
	if f.n-1 == f.Fail {
		if open < 0 {
			f.open--
		}
		return f.Err
	}
	f.open += open
	return nil
}

func (f *Faults) create() (scratch.File, error) {
	if err := f.step(1); err != nil {
		return nil, err
	}
	return &faulty{Faults: f}, nil
}

// faulty is a scratch file in memory.
type faulty struct {
	*Faults
	data []byte
}

func (f *faulty) Write(p []byte) (int, error) {
	if err := f.step(0); err != nil {
		return len(p) / 2, err
	}
	f.data = slices.Concat(f.data, p)
	return len(p), nil
}

func (f *faulty) ReadAt(p []byte, at int64) (int, error) {
	if err := f.step(0); err != nil {
		return 0, err
	}
	n := copy(p, f.data[min(at, int64(len(f.data))):])
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

func (f *faulty) Close() error { return f.step(-1) }
