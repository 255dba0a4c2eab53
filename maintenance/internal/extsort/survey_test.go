package extsort

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"github.com/firndb/firn/maintenance/internal/rowkey"
)

// Surveys of parts of keys are together that of all.
func TestSurveysAreJoined(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 500 {
		var whole, joined survey
		var all rowkey.Keys
		for range 1 + rng.IntN(4) {
			var keys rowkey.Keys
			for range 1 + rng.IntN(3) {
				for range 2 {
					b := byte(rng.IntN(4))
					keys.Data, all.Data = append(keys.Data, b), append(all.Data, b)
				}
				keys.Ends, all.Ends = append(keys.Ends, uint32(len(keys.Data))), append(all.Ends, uint32(len(all.Data)))
			}
			var part survey
			part.add(keys)
			joined.join(part)
		}
		if whole.add(all); joined != whole {
			t.Fatalf("%x: differ in %x, want %x", all.Data, joined.differ[:2], whole.differ[:2])
		}
	}
}

// Prefixes order keys as far as they go, and where they tell all keys apart have
// all of them.
func TestPrefixesOrderKeys(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	exact := 0
	for range 2000 {
		var keys rowkey.Keys
		length, vary := rng.IntN(scanned+4), rng.IntN(3) == 0
		like := make([]byte, length)
		for i := range like {
			like[i] = byte(rng.IntN(256))
		}
		masks := make([]byte, length)
		for range rng.IntN(12) {
			if length > 0 {
				masks[rng.IntN(length)] |= byte(rng.IntN(256)) >> rng.IntN(8)
			}
		}
		for range 1 + rng.IntN(20) {
			for i, b := range like {
				if vary && rng.IntN(length) == 0 {
					break
				}
				keys.Data = append(keys.Data, b^byte(rng.IntN(256))&masks[i])
			}
			keys.Ends = append(keys.Ends, uint32(len(keys.Data)))
		}
		var s survey
		s.add(keys)
		d := s.digest()
		if d.exact {
			exact++
			wantPacked(t, &d, keys)
		}
		for i := range keys.Len() {
			p := d.prefix(keys.At(i))
			if d.exact && !bytes.Equal(d.append(nil, p), keys.At(i)) {
				t.Fatalf("%x became %x", keys.At(i), d.append(nil, p))
			}
			for j := range keys.Len() {
				c, q := bytes.Compare(keys.At(i), keys.At(j)), d.prefix(keys.At(j))
				if p < q && c >= 0 || d.exact && c < 0 && p >= q {
					t.Fatalf("%x and %x have prefixes %x and %x of %v", keys.At(i), keys.At(j), p, q, d)
				}
			}
		}
	}
	if exact < 500 {
		t.Errorf("only %d digests were exact", exact)
	}
}

// wantPacked wants the digest of all keys to pack them as one by one, and the
// prefixes that the digest of some of them makes to become its own.
func wantPacked(t *testing.T, d *digest, keys rowkey.Keys) {
	t.Helper()
	some := rowkey.Keys{Data: keys.Data[:keys.Ends[keys.Len()/2]], Ends: keys.Ends[:keys.Len()/2+1]}
	var s survey
	s.add(some)
	of := s.digest()
	m := d.remap(&of)
	dead := make([]bool, keys.Len())
	dead[0] = true
	items := d.pack(make([]item, 0, keys.Len()), keys, dead, 7)
	for i := range keys.Len() {
		p := d.prefix(keys.At(i))
		if i > 0 && items[i-1] != (item{prefix: p, row: 7 + uint32(i)}) {
			t.Fatalf("row %d of %x was packed as %v", i, keys.At(i), items[i-1])
		}
		if q := of.prefix(keys.At(i)); i < some.Len() && m.of(q) != p {
			t.Fatalf("%x of %x became %x, want %x", q, keys.At(i), m.of(q), p)
		}
	}
	back := d.unpack(items, 7, int64(keys.Len()))
	for i := range keys.Len() {
		if back.dead[i] != dead[i] || !dead[i] && !bytes.Equal(back.keys.At(i), keys.At(i)) {
			t.Fatalf("row %d became %x, was %x", i, back.keys.At(i), keys.At(i))
		}
	}
}
