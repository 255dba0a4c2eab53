package splice

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"github.com/klauspost/compress/snappy"
	"github.com/klauspost/compress/zstd"

	"github.com/firndb/firn/maintenance/internal/parquet/format"
)

// What is put before compressed bytes is before them when they are decompressed.
func TestPrepend(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for _, n := range []int{0, 1, 7, 200, 255, 256, 300, 65_535, 65_536, 70_000, 140_000, 400_000} {
		data := make([]byte, n)
		for i := range data {
			data[i] = byte(rng.IntN(1 + rng.IntN(200)))
		}
		before := []byte{4, 0, 0, 0, 1, 2, 3}
		checkPrepended(t, format.Snappy, before, data, snappy.Encode(nil, data))
		for _, level := range []zstd.EncoderLevel{zstd.SpeedFastest, zstd.SpeedDefault, zstd.SpeedBestCompression} {
			for _, single := range []bool{false, true} {
				e, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(level), zstd.WithEncoderCRC(false), zstd.WithSingleSegment(single), zstd.WithZeroFrames(true))
				if err != nil {
					t.Fatal(err)
				}
				checkPrepended(t, format.Zstd, before, data, e.EncodeAll(data, nil))
				var stream bytes.Buffer
				e.Reset(&stream)
				if _, err := e.Write(data); err != nil {
					t.Fatal(err)
				}
				if err := e.Close(); err != nil {
					t.Fatal(err)
				}
				checkPrepended(t, format.Zstd, before, data, stream.Bytes())
			}
		}
	}
}

func checkPrepended(t *testing.T, codec format.Codec, before, data, b []byte) {
	t.Helper()
	parts, ok := prepend(codec, before, b)
	if !ok {
		t.Fatalf("codec %d: %d bytes are refused", codec, len(data))
	}
	want := append(bytes.Clone(before), data...)
	var c codecs
	got, err := c.decompress(codec, bytes.Join(parts, nil), len(want))
	if err != nil || !bytes.Equal(got, want) {
		t.Errorf("codec %d: %d bytes became others: %v", codec, len(data), err)
	}
}

// A checksum would no longer hold.
func TestPrependRefusesChecksums(t *testing.T) {
	e, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, ok := prepend(format.Zstd, []byte{1}, e.EncodeAll([]byte("some bytes"), nil)); ok {
		t.Error("a frame with a checksum was taken")
	}
}
