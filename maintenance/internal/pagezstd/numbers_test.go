package pagezstd

import (
	"bytes"
	"encoding/binary"
	"math"
	"math/rand/v2"
	"testing"
)

// columns are values of columns as they occur, n of 8 bytes each.
func columns(rng *rand.Rand) map[string]func(i int) uint64 {
	walk := uint64(1_700_000_000_000_000)
	return map[string]func(i int) uint64{
		"ascending":      func(i int) uint64 { return uint64(i) },
		"gaps":           func(i int) uint64 { walk += 1 + rng.Uint64N(40); return walk },
		"below million":  func(int) uint64 { return rng.Uint64N(1_000_000) },
		"times of a day": func(int) uint64 { return 1_700_000_000_000_000 + rng.Uint64N(86_400_000_000) },
		"doubles":        func(int) uint64 { return math.Float64bits(rng.Float64() * 1000) },
		"cents":          func(int) uint64 { return math.Float64bits(float64(rng.IntN(100_000)) / 100) },
		"rare":           func(int) uint64 { return rng.Uint64() >> (rng.IntN(2) * 40) },
		"signs":          func(int) uint64 { return uint64(rng.Int64N(2000) - 1000) },
		"noise":          func(int) uint64 { return rng.Uint64() },
		"one value":      func(int) uint64 { return 7 },
	}
}

// page makes a page of values of a width behind some levels.
func page(levels, n, width int, value func(i int) uint64) []byte {
	b := make([]byte, levels)
	for i := range n {
		v := value(i)
		if width == 4 {
			b = binary.LittleEndian.AppendUint32(b, uint32(v))
		} else {
			b = binary.LittleEndian.AppendUint64(b, v)
		}
	}
	return b
}

func TestNumbers(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 3))
	l, dst := new(literals), []byte("before")
	for name, value := range columns(rng) {
		for _, n := range []int{2, 3, 20, 1000, 16_384, 16_386, 50_000} {
			for _, width := range []int{4, 8} {
				for _, levels := range []int{0, 1, 6, 2000} {
					src := page(levels, n, width, value)
					got := l.numbers(dst, src, width)
					if got == nil {
						continue
					}
					if !bytes.HasPrefix(got, dst) {
						t.Fatal("what was there before is gone")
					}
					decoded(t, got[len(dst):], src)
					if again := new(literals).numbers(dst, src, width); !bytes.Equal(again, got) {
						t.Errorf("%s, %d of %d bytes: the second time it is another frame", name, n, width)
					}
				}
			}
		}
	}
}

// Values that share high bytes become much smaller, and those that do not are
// refused.
func TestWhatNumbersGain(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 3))
	of := columns(rng)
	for name, most := range map[string]float64{"ascending": 1.1, "gaps": 2.1, "below million": 3.1, "times of a day": 5, "noise": 0, "doubles": 0, "signs": 5} {
		src := page(6, 20_000, 8, of[name])
		got := float64(len(new(literals).numbers(nil, src, 8))) / 20_000
		if got > most && most > 0 || most == 0 && got > 0 && got < 7 {
			t.Errorf("%s: %.2f bytes a value, want at most %v", name, got, most)
		}
	}
}

// Lengths of literals may be any, and as frequent as they like.
func TestLengthsOfLiterals(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 5))
	for n := range 400 {
		var odds [lengthSymbols]int
		for i := range odds {
			odds[i] = rng.IntN(1 + 1<<rng.IntN(8))
		}
		src := page(0, 2, 8, func(int) uint64 { return 1 })
		l := new(literals)
		var lits []byte
		seq := sequences{match: leastMatch}
		for out, most := len(src), 1+rng.IntN(mostBlock/2); out < most; {
			symbol := rng.IntN(lengthSymbols)
			if rng.IntN(256) > odds[symbol] {
				continue
			}
			length := symbol
			if symbol >= 16 {
				length = 16 + rng.IntN(1+1<<(symbol-16)/2)
			}
			length = max(1, min(length, 5000))
			seq.before = append(seq.before, length)
			for range length {
				b := byte(rng.IntN(7))
				lits, src = append(lits, b), append(src, b)
			}
			for range leastMatch {
				src = append(src, src[len(src)-8])
			}
			out = len(src)
		}
		first := sequences{before: []int{9}, match: 7, distance: 8}
		frame := l.block(frameHeader(nil, len(src)), src[:16], src[:9], &first, false)
		decoded(t, l.block(frame, src[16:], lits, &seq, true), src)
		if t.Failed() {
			t.Fatalf("case %d", n)
		}
	}
}

// FuzzNumbers decodes frames of values whose bits come from a seed.
func FuzzNumbers(f *testing.F) {
	f.Add(uint64(1), uint16(9), uint8(20), uint8(50), false)
	f.Add(uint64(7), uint16(40_000), uint8(0), uint8(3), true)
	f.Fuzz(func(t *testing.T, seed uint64, n uint16, low, odd uint8, narrow bool) {
		rng := rand.New(rand.NewPCG(seed, 0))
		width := 8
		if narrow {
			width = 4
		}
		base := rng.Uint64()
		src := page(rng.IntN(9), int(n), width, func(int) uint64 {
			if uint8(rng.IntN(256)) < odd {
				return rng.Uint64()
			}
			return base&^(1<<(low%64)-1) | rng.Uint64()&(1<<(low%64)-1)
		})
		if got := new(literals).numbers(nil, src, width); got != nil {
			decoded(t, got, src)
		}
	})
}

func BenchmarkNumbers(b *testing.B) {
	for name, value := range columns(rand.New(rand.NewPCG(2, 3))) {
		src, e := page(6, 20_000, 8, value), new(Encoder)
		for as, do := range map[string]func() []byte{
			"usual":  func() []byte { return e.compressor(usual).EncodeAll(src, e.trial[:0]) },
			"fast":   func() []byte { return e.compressor(fast).EncodeAll(src, e.trial[:0]) },
			"coded":  func() []byte { return e.lits.encode(e.trial[:0], src) },
			"shared": func() []byte { return e.lits.numbers(e.trial[:0], src, 8) },
		} {
			b.Run(name+"/"+as, func(b *testing.B) {
				b.SetBytes(int64(len(src)))
				n := 0
				for b.Loop() {
					e.trial = do()
					n = len(e.trial)
				}
				b.ReportMetric(float64(n)/20_000, "bytes/value")
			})
		}
	}
}
