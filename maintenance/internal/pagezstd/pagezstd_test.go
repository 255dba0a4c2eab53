package pagezstd

import (
	"bytes"
	"crypto/md5"
	"encoding/binary"
	"encoding/hex"
	"math/rand"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/parquet/compress"
	"github.com/klauspost/compress/zstd"
)

func stock(t testing.TB) compress.Codec {
	t.Helper()
	c, err := compress.GetCodec(compress.Codecs.Zstd)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// text is plain strings, each with its length before it.
func text(n int, value func() string) []byte {
	var b []byte
	for range n {
		v := value()
		b = append(binary.LittleEndian.AppendUint32(b, uint32(len(v))), v...)
	}
	return b
}

func digest(r *rand.Rand) string {
	sum := md5.Sum(binary.LittleEndian.AppendUint64(nil, r.Uint64()))
	return hex.EncodeToString(sum[:])
}

func TestChoice(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	words := strings.Fields("slate amber birch cobalt dune ember fjord glade harbor")
	var known []string
	for range 3000 {
		known = append(known, digest(r))
	}
	numbers := func(most int64) []byte {
		var b []byte
		for range 20_000 {
			b = binary.LittleEndian.AppendUint64(b, uint64(r.Int63n(most)))
		}
		return b
	}
	noise := make([]byte, 200_000)
	r.Read(noise)
	for _, test := range []struct {
		name  string
		page  []byte
		width int
		want  way
	}{
		{"digests", text(20_000, func() string { return digest(r) }), 0, coded},
		{"digests that return after 100 KB", text(20_000, func() string { return known[r.Intn(len(known))] }), 0, fast},
		{"words", text(20_000, func() string { return words[r.Intn(9)] + " " + words[r.Intn(9)] }), 0, usual},
		{"small numbers", numbers(1_000_000), 0, fast},
		{"small numbers, with their width", numbers(1_000_000), 8, shared},
		{"noise", noise, 0, stored},
		{"noise, with a width", noise, 8, stored},
		{"zeros", make([]byte, 200_000), 0, fast},
		{"zeros, with a width", make([]byte, 200_000), 8, fast},
		{"a short page", text(500, func() string { return digest(r) }), 0, usual},
	} {
		t.Run(test.name, func(t *testing.T) {
			stock := stock(t)
			e, choice := new(Encoder), &Choice{Width: test.width}
			got := e.Append(nil, test.page, choice)
			best := stock.EncodeLevel(make([]byte, stock.CompressBound(int64(len(test.page)))), test.page, compress.DefaultCompressionLevel)
			if choice.way != test.want || test.want == usual && !bytes.Equal(got, best) {
				t.Errorf("way %d, want %d", choice.way, test.want)
			}
			if len(got) > len(best)+len(best)/10+64 {
				t.Errorf("%d bytes became %d, %d by the usual compressor", len(test.page), len(got), len(best))
			}
			decoded(t, got, test.page)
			if again := new(Encoder).Append(nil, test.page, &Choice{Width: test.width}); !bytes.Equal(again, got) {
				t.Errorf("another encoder makes %d bytes, not %d", len(again), len(got))
			}
		})
	}
}

// What pays is found out again, at last if the pages have changed.
func TestChoiceIsMadeAgain(t *testing.T) {
	r := rand.New(rand.NewSource(3))
	digests := text(2000, func() string { return digest(r) })
	zeros := make([]byte, len(digests))
	e, c := new(Encoder), new(Choice)
	var ways []way
	for i := range 40 {
		page := digests
		if i > 10 {
			page = zeros
		}
		decoded(t, e.Append(nil, page, c), page)
		ways = append(ways, c.way)
	}
	for i, w := range ways {
		if want := coded; i <= 10 && w != want || i == 39 && w != fast {
			t.Errorf("page %d: way %d", i, w)
		}
	}
}

// decoded checks that a frame holds a page.
func decoded(t *testing.T, frame, page []byte) {
	t.Helper()
	d, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1))
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	got, err := d.DecodeAll(frame, nil)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, page) {
		t.Fatalf("%d bytes came back as %d others", len(page), len(got))
	}
}

// FuzzEncode decodes what is encoded, whether or not it pays.
func FuzzEncode(f *testing.F) {
	f.Add([]byte{}, uint16(0))
	f.Add([]byte("a"), uint16(300))
	f.Add([]byte("0123456789abcdef"), uint16(1023))
	f.Add([]byte("ab"), uint16(40_000))
	f.Fuzz(func(t *testing.T, seed []byte, size uint16) {
		page := bytes.Clone(seed)
		r := rand.New(rand.NewSource(int64(size)))
		for len(seed) > 0 && len(page) < int(size)*8 {
			page = append(page, seed[r.Intn(len(seed))])
		}
		l := new(literals)
		frame := l.encode(nil, page)
		decoded(t, frame, page)
		decoded(t, l.store(nil, page), page)
		l.repeats(page)
		// A compressor that is used again makes the same.
		if again := l.encode(nil, page); !bytes.Equal(again, frame) {
			t.Error("the second time it is another frame")
		}
	})
}

func BenchmarkDigests(b *testing.B) {
	r := rand.New(rand.NewSource(1))
	page := text(20_000, func() string { return digest(r) })
	stock := stock(b)
	dst := make([]byte, stock.CompressBound(int64(len(page))))
	b.Run("usual", func(b *testing.B) {
		b.SetBytes(int64(len(page)))
		for b.Loop() {
			stock.EncodeLevel(dst, page, compress.DefaultCompressionLevel)
		}
	})
	b.Run("chosen", func(b *testing.B) {
		b.SetBytes(int64(len(page)))
		e, c := new(Encoder), new(Choice)
		for b.Loop() {
			dst = e.Append(dst[:0], page, c)
		}
	})
}
