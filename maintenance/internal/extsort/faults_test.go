package extsort

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/firndb/firn/maintenance/internal/gather"
)

var errFull = errors.New("no space left on device")

// faults fails one operation on scratch files.
type faults struct {
	n, fail int
	open    int
}

func (f *faults) step() error {
	f.n++
	if f.n-1 == f.fail {
		return errFull
	}
	return nil
}

// faulty is a scratch file in memory.
type faulty struct {
	*faults
	data []byte
}

func (f *faults) create() (File, error) {
	if err := f.step(); err != nil {
		return nil, err
	}
	f.open++
	return &faulty{faults: f}, nil
}

func (f *faulty) Write(p []byte) (int, error) {
	if err := f.step(); err != nil {
		return len(p) / 2, err
	}
	f.data = append(f.data, p...)
	return len(p), nil
}

func (f *faulty) ReadAt(p []byte, at int64) (int, error) {
	if err := f.step(); err != nil {
		return 0, err
	}
	n := copy(p, f.data[at:])
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

func (f *faulty) Close() error {
	f.open--
	return f.step()
}

// TestFaults fails every operation on scratch files in turn: the sort fails with
// that error or is right, and all files are closed.
func TestFaults(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	var in []arrow.RecordBatch
	for range 9 {
		in = append(in, randomBatch(r, 1+r.IntN(4)))
	}
	want := reference(t, in)
	for fail := 0; ; fail++ {
		f := &faults{fail: fail}
		scratch := &Scratch{Create: f.create}
		s := New(Config{Encoder: encoder(t), Scratch: func() (*Scratch, error) { return scratch, nil }, Memory: 1, Collectors: 1, Rows: 100, Parallel: 1})
		s.fanIn = 3
		got, err := sortAll(t.Context(), s, in)
		if closed := s.Close(); err == nil {
			err = closed
		}
		if err != nil && !errors.Is(err, errFull) || err == nil && !slices.Equal(got, want) {
			t.Fatalf("operation %d fails: %v, %d rows", fail, err, len(got))
		}
		if f.open != 0 {
			t.Fatalf("operation %d fails: %d files are open", fail, f.open)
		}
		if f.n <= fail {
			break
		}
		if err == nil {
			t.Fatalf("operation %d fails, but nobody says so", fail)
		}
	}
}

func TestDamagedBlock(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	b := randomBatch(r, 20)
	keys, err := encoder(t).Encode(b)
	if err != nil {
		t.Fatal(err)
	}
	f := &faults{fail: -1}
	run := &run{scratch: &Scratch{Create: f.create}, file: &faulty{faults: f}}
	s := New(Config{})
	refs := make([]gather.Ref, 20)
	for i := range refs {
		refs[i].Row = uint32(i)
	}
	whole, err := s.gather(1)([]arrow.RecordBatch{b}, refs)
	if err != nil {
		t.Fatal(err)
	}
	if err := run.append(block{whole, keys}); err != nil {
		t.Fatal(err)
	}
	back, err := run.read(0)
	if err != nil || !slices.Equal(texts(back.batch), texts(b)) || !bytes.Equal(back.keys.Data, keys.Data) {
		t.Fatalf("got %v, %v", back, err)
	}
	run.blocks[0].size /= 2
	if _, err := run.read(0); !errors.Is(err, errBlock) {
		t.Errorf("half a block: %v", err)
	}
}

func TestCancel(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	s := New(Config{Encoder: encoder(t), Memory: 1, Collectors: 1, Rows: 100})
	defer s.Close()
	r := rand.New(rand.NewPCG(11, 12))
	if _, err := sortAll(ctx, s, []arrow.RecordBatch{randomBatch(r, 5)}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

// TestFolder removes old scratch files only, and leaves none of its own.
func TestFolder(t *testing.T) {
	dir := t.TempDir()
	now := time.Now()
	for name, age := range map[string]time.Duration{"firn-sort-1.tmp": 48 * time.Hour, "firn-sort-2.tmp": time.Hour, "other": 48 * time.Hour} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(path, now, now.Add(-age)); err != nil {
			t.Fatal(err)
		}
	}
	s, err := Folder(dir, 0, now)
	if err != nil {
		t.Fatal(err)
	}
	f, err := s.Create()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Write([]byte("x")); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	if want := []string{"firn-sort-2.tmp", "other"}; !slices.Equal(names, want) {
		t.Errorf("left %q, want %q", names, want)
	}
}
