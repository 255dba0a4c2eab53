package datafile

import (
	"encoding/binary"
	"hash/maphash"
	"math/rand/v2"
	"testing"
)

// TestKeyTable compares the table with a map: short keys, long ones, the empty
// one, and one that is larger than a block.
func TestKeyTable(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{0, 1, 7, 8, 9, 1000, 50_000} {
		table := keyTable{seed: maphash.MakeSeed()}
		want := map[string]bool{}
		random := func() []byte {
			key := binary.AppendUvarint(nil, r.Uint64N(uint64(4*n+1)))
			if r.IntN(50) == 0 {
				key = append(key, make([]byte, r.IntN(3000))...)
			}
			return key
		}
		add := func(key []byte) {
			table.add(key)
			want[string(key)] = true
		}
		for range n {
			add(random())
		}
		if n == 9 {
			add(nil)
			add(make([]byte, arenaBlock+1))
			add(make([]byte, arenaBlock-5))
			add([]byte{7})
		}
		if table.n != len(want) {
			t.Errorf("%d keys, want %d", table.n, len(want))
		}
		passed := 0
		for range 2*n + 10 {
			key := random()
			hash := table.hash(key)
			if table.has(hash, key) != want[string(key)] {
				t.Fatalf("%x of %d keys: got %t", key, n, !want[string(key)])
			}
			if m := mask(hash); !want[string(key)] && table.n > 0 && table.filter[hash>>32&uint64(len(table.filter)-1)]&m == m {
				passed++
			}
		}
		if passed > n/20+5 {
			t.Errorf("the filter lets %d keys through", passed)
		}
		for key := range want {
			if !table.has(table.hash([]byte(key)), []byte(key)) {
				t.Fatalf("%x is not there", key)
			}
		}
		if table.bytes() < int64(16*len(want)) || n == 50_000 && table.bytes() > 10<<20 {
			t.Errorf("%d keys take %d bytes", len(want), table.bytes())
		}
	}
}
