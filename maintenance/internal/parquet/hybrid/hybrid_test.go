package hybrid_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/firndb/firn/maintenance/internal/parquet/hybrid"
)

func TestWhatIsWrittenIsRead(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for width := range 33 {
		for range 50 {
			var values []uint32
			for len(values) < rng.IntN(300) {
				v := rng.Uint32() & uint32(uint64(1)<<width-1)
				for range 1 + rng.IntN(1+rng.IntN(40)) {
					values = append(values, v)
				}
			}
			b := hybrid.Append(nil, values, width)
			got, err := hybrid.Decode[uint32](nil, b, width, len(values))
			if err != nil || !slices.Equal(got, values) {
				t.Fatalf("width %d: %v became %v, %v", width, values, got, err)
			}
			if width <= 8 {
				small := make([]uint8, len(values))
				for i, v := range values {
					small[i] = uint8(v)
				}
				got, err := hybrid.Decode[uint8](nil, hybrid.Append(nil, small, width), width, len(small))
				if err != nil || !slices.Equal(got, small) {
					t.Fatalf("width %d: %v became %v, %v", width, small, got, err)
				}
			}
		}
	}
}

func TestBitsAreThoseThatDecodeGives(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for range 500 {
		var values []uint8
		set := 0
		for n := rng.IntN(400); len(values) < n; {
			v := uint8(rng.IntN(2))
			for range 1 + rng.IntN(1+rng.IntN(40)) {
				values = append(values, v)
				set += int(v)
			}
		}
		bits, got, err := hybrid.Bits(nil, hybrid.Append(nil, values, 1), len(values))
		if err != nil || got != set || (bits == nil) != (set == len(values)) {
			t.Fatalf("%v: %d are set: %x, %v", values, got, bits, err)
		}
		for i, v := range values {
			if bits != nil && bits[i/8]>>(i%8)&1 != v {
				t.Fatalf("%v became %x", values, bits)
			}
		}
	}
}

// The example of the Parquet format's documentation: 0 to 7 in three bits.
func TestBitsAreWhereTheFormatHasThem(t *testing.T) {
	got := hybrid.Append(nil, []uint8{0, 1, 2, 3, 4, 5, 6, 7}, 3)
	if want := []byte{3, 0x88, 0xc6, 0xfa}; !slices.Equal(got, want) {
		t.Errorf("%x, want %x", got, want)
	}
	if got := hybrid.Append(nil, slices.Repeat([]uint32{300}, 1000), 9); !slices.Equal(got, []byte{0xd0, 0x0f, 0x2c, 0x01}) {
		t.Errorf("a run became %x", got)
	}
}

func FuzzDecode(f *testing.F) {
	f.Add([]byte{3, 0x88, 0xc6, 0xfa}, 3, 8)
	f.Add([]byte{0xd0, 0x0f, 0x2c, 0x01}, 9, 1000)
	f.Fuzz(func(t *testing.T, b []byte, width, n int) {
		n &= 1<<12 - 1
		got, err := hybrid.Decode[uint32](nil, b, width, n)
		if err == nil && len(got) != n {
			t.Errorf("%d numbers, want %d", len(got), n)
		}
		if bits, set, err := hybrid.Bits(nil, b, n); err == nil && bits == nil && set != n {
			t.Errorf("%d of %d bits are set", set, n)
		}
	})
}
