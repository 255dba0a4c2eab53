package splice_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"github.com/apache/arrow-go/v18/parquet/compress"

	"github.com/firndb/firn/maintenance/rewrite/splice"
)

// attempt splices a file that may be damaged, with all rows and without some.
// What is malformed is unfit.
func attempt(t testing.TB, target *splice.Target, b []byte) {
	t.Helper()
	attemptWithout(t, target, b, 0)
	attemptWithout(t, target, b, 3)
}

// attemptWithout leaves out one of so many rows.
func attemptWithout(t testing.TB, target *splice.Target, b []byte, every int64) {
	t.Helper()
	ctx := context.Background()
	fail := func(err error) {
		if !errors.Is(err, splice.ErrUnfit) {
			t.Fatalf("not unfit: %v", err)
		}
	}
	src, err := target.OpenBytes(ctx, "damaged", b)
	if err != nil {
		fail(err)
		return
	}
	var out bytes.Buffer
	w, err := target.NewWriter(&out)
	if err != nil {
		t.Fatal(err)
	}
	var parts []*splice.Part
	for g, group := range src.RowGroups() {
		p := &splice.Part{Source: src, RowGroup: g}
		for i := int64(1); every > 0 && i < min(group.Rows, 10_000); i += every {
			p.Gone = append(p.Gone, uint32(i))
		}
		parts = append(parts, p)
	}
	if len(parts) == 0 {
		return
	}
	if err := w.WriteRowGroup(ctx, parts); err != nil {
		fail(err)
		return
	}
	if _, err := w.Close(); err != nil {
		fail(err)
	}
}

// damageTargets are targets that take the ways of moving, merging and
// compressing anew.
func damageTargets(t testing.TB) []*splice.Target {
	moved, anew := settings(compress.Codecs.Snappy), settings(compress.Codecs.Zstd)
	moved.CopyBytes = 0
	anew.PageV2 = true
	return []*splice.Target{
		newTarget(t, everyType(), moved), newTarget(t, everyType(), settings(compress.Codecs.Snappy)), newTarget(t, everyType(), anew),
	}
}

func damageFiles(t testing.TB) [][]byte {
	schema := everyType()
	var files [][]byte
	for seed := range uint64(6) {
		rng := rand.New(rand.NewPCG(seed, 3))
		codec := pick(rng, compress.Codecs.Snappy, compress.Codecs.Snappy, compress.Codecs.Uncompressed, compress.Codecs.Gzip)
		files = append(files, randomStyle(rng, codec).file(t, schema, newData(rng).batch(schema, 60)))
	}
	return files
}

// A damaged file is refused or spliced, but costs neither a panic nor much
// memory.
func TestDamagedFiles(t *testing.T) {
	targets := damageTargets(t)
	rng := rand.New(rand.NewPCG(5, 5))
	var before, after runtime.MemStats
	for _, file := range damageFiles(t) {
		for range 400 {
			b := slices.Clone(file)
			for range 1 + rng.IntN(3) {
				// The end has the footer, where most can go wrong.
				at := len(b) - 1 - rng.IntN(pick(rng, len(b), len(b)/3))
				b[at] = pick(rng, byte(rng.Uint32()), 0xff, 0, b[at]^1)
			}
			runtime.ReadMemStats(&before)
			attempt(t, targets[rng.IntN(len(targets))], b)
			runtime.ReadMemStats(&after)
			if n := after.TotalAlloc - before.TotalAlloc; n > 200<<20 {
				t.Fatalf("%d bytes were allocated for a file of %d", n, len(b))
			}
		}
		for n := 0; n < len(file); n += 1 + len(file)/100 {
			attempt(t, targets[0], file[:n])
			attempt(t, targets[0], file[n:])
		}
	}
}

func FuzzDamagedFile(f *testing.F) {
	for _, b := range damageFiles(f) {
		f.Add(b, uint8(0))
	}
	targets := damageTargets(f)
	f.Fuzz(func(t *testing.T, b []byte, which uint8) {
		attempt(t, targets[int(which)%len(targets)], b)
	})
}

// faulty fails after some bytes.
type faulty struct{ left int }

var errFull = errors.New("full")

func (f *faulty) Write(b []byte) (int, error) {
	if f.left -= len(b); f.left < 0 {
		return 0, errFull
	}
	return len(b), nil
}

func TestErrorsOfWritingAreReturned(t *testing.T) {
	file := damageFiles(t)[0]
	target := damageTargets(t)[1]
	for left := 0; ; left += 97 {
		err := writeAll(target, &faulty{left}, file)
		if err == nil {
			break
		}
		if !errors.Is(err, errFull) {
			t.Fatalf("after %d bytes: %v", left, err)
		}
	}
}

func writeAll(target *splice.Target, out io.Writer, file []byte) error {
	ctx := context.Background()
	src, err := target.OpenBytes(ctx, "file", file)
	if err != nil {
		return err
	}
	w, err := target.NewWriter(out)
	if err != nil {
		return err
	}
	for g := range src.RowGroups() {
		if err := w.WriteRowGroup(ctx, []*splice.Part{{Source: src, RowGroup: g}}); err != nil {
			return err
		}
	}
	_, err = w.Close()
	return err
}

func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	file, target := damageFiles(t)[0], damageTargets(t)[1]
	src, err := target.OpenBytes(ctx, "file", file)
	if err != nil {
		t.Fatal(err)
	}
	w, err := target.NewWriter(io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	cancel()
	if err := w.WriteRowGroup(ctx, []*splice.Part{{Source: src}}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}
