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
		name     string
		page     []byte
		literals bool
	}{
		{"digests", text(20_000, func() string { return digest(r) }), true},
		{"digests that return after 100 KB", text(20_000, func() string { return known[r.Intn(len(known))] }), false},
		{"words", text(20_000, func() string { return words[r.Intn(9)] + " " + words[r.Intn(9)] }), false},
		{"small numbers", numbers(1_000_000), false},
		{"noise", noise, false},
		{"zeros", make([]byte, 200_000), false},
		{"a short page", text(500, func() string { return digest(r) }), false},
	} {
		t.Run(test.name, func(t *testing.T) {
			stock := stock(t)
			got := New(stock).EncodeLevel(nil, test.page, compress.DefaultCompressionLevel)
			usual := stock.EncodeLevel(make([]byte, stock.CompressBound(int64(len(test.page)))), test.page, compress.DefaultCompressionLevel)
			if literals := !bytes.Equal(got, usual); literals != test.literals {
				t.Errorf("literals only: %v, want %v", literals, test.literals)
			}
			if len(got) > len(usual)+len(usual)/10 {
				t.Errorf("%d bytes became %d, %d by the usual compressor", len(test.page), len(got), len(usual))
			}
			decoded(t, got, test.page)
		})
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

func TestChosenLevelIsKept(t *testing.T) {
	r := rand.New(rand.NewSource(2))
	page := text(20_000, func() string { return digest(r) })
	stock := stock(t)
	for _, level := range []int{1, 3, 9} {
		room := make([]byte, stock.CompressBound(int64(len(page))))
		if got, want := New(stock).EncodeLevel(nil, page, level), stock.EncodeLevel(room, page, level); !bytes.Equal(got, want) {
			t.Errorf("level %d: %d bytes, want those of the usual compressor, %d", level, len(got), len(want))
		}
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
	for _, c := range []struct {
		name string
		compress.Codec
	}{{"usual", stock(b)}, {"literals", New(stock(b))}} {
		b.Run(c.name, func(b *testing.B) {
			b.SetBytes(int64(len(page)))
			dst := make([]byte, c.CompressBound(int64(len(page))))
			for b.Loop() {
				dst = c.EncodeLevel(dst, page, compress.DefaultCompressionLevel)
			}
		})
	}
}
