package inflate

import (
	"bytes"
	"compress/flate"
	"errors"
	"io"
	"math/rand/v2"
	"testing"
)

// reference is what the standard library makes of it.
func reference(src []byte) ([]byte, error) { return io.ReadAll(flate.NewReader(bytes.NewReader(src))) }

func deflated(t testing.TB, content []byte, level int) []byte {
	t.Helper()
	var b bytes.Buffer
	w, err := flate.NewWriter(&b, level)
	if err == nil {
		_, err = w.Write(content)
	}
	if err = errors.Join(err, w.Close()); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// check compares with the reference.
func check(t *testing.T, d *Decoder, src []byte) {
	t.Helper()
	want, err := reference(src)
	got, gotErr := d.Decode(nil, src, 1<<30)
	if (err == nil) != (gotErr == nil) || err == nil && !bytes.Equal(got, want) {
		t.Errorf("%x: %d bytes (%v), want %d (%v)", src[:min(len(src), 100)], len(got), gotErr, len(want), err)
	}
}

// samples are of many kinds: long and short codes, near and far repetitions.
func samples(r *rand.Rand) [][]byte {
	all := [][]byte{{}, {0}, bytes.Repeat([]byte{7}, 100_000), bytes.Repeat([]byte("abc"), 50_000)}
	for _, spread := range []float64{2, 8, 40} {
		b := make([]byte, 70_000)
		for i := range b {
			b[i] = byte(r.ExpFloat64() * spread)
			if i > 300 && r.IntN(20) == 0 {
				n := r.IntN(min(300, len(b)-i))
				copy(b[i:], b[r.IntN(i):][:min(n, i)])
			}
		}
		all = append(all, b)
	}
	noise := make([]byte, 200_000)
	for i := range noise {
		noise[i] = byte(r.Uint32())
	}
	return append(all, noise)
}

func TestDecode(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	d := NewDecoder()
	for i, content := range samples(r) {
		for level := flate.HuffmanOnly; level <= flate.BestCompression; level++ {
			src := deflated(t, content, level)
			got, err := d.Decode(make([]byte, 0, r.IntN(1000)), append(src, "what follows"...), len(content))
			if err != nil || !bytes.Equal(got, content) {
				t.Errorf("sample %d, level %d: %d bytes (%v), want %d", i, level, len(got), err, len(content))
			}
			if _, err := d.Decode(nil, src, len(content)-1); len(content) > 0 && !errors.Is(err, ErrTooLong) {
				t.Errorf("sample %d, level %d: %v", i, level, err)
			}
			for range 20 {
				check(t, d, src[:r.IntN(len(src))])
				broken := bytes.Clone(src)
				broken[r.IntN(min(len(src), 200))] ^= 1 << r.IntN(8)
				check(t, d, broken)
			}
		}
	}
}

func FuzzDecode(f *testing.F) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, content := range samples(r) {
		f.Add(deflated(f, content[:min(len(content), 2000)], 9))
	}
	// A literal of one code, a block of no codes, codes of fifteen bits.
	f.Add([]byte{0x05, 0xc0, 0x81, 0, 0, 0, 0, 0, 0x10, 0xff, 0xd5, 0x08})
	f.Add([]byte{0x03, 0, 0x01, 0, 0, 0xff, 0xff})
	d := NewDecoder()
	f.Fuzz(func(t *testing.T, src []byte) { check(t, d, src) })
}
