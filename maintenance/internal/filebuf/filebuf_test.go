package filebuf

import (
	"bytes"
	"math/rand/v2"
	"testing"
)

// held is how many bytes a pool has that nobody uses.
func (p *Pool) held() int {
	n := 0
	for _, s := range p.free {
		n += len(s.bytes)
	}
	return n
}

func TestBuffersDoNotOverlap(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var p Pool
	var held []Buffer
	for i := range 5000 {
		if len(held) > 0 && r.IntN(3) == 0 {
			k := r.IntN(len(held))
			b := held[k]
			if want := bytes.Repeat(b.Bytes[:1], len(b.Bytes)); !bytes.Equal(b.Bytes, want) {
				t.Fatalf("step %d: a buffer of %d bytes was written to by others", i, len(b.Bytes))
			}
			p.Put(b)
			held = append(held[:k], held[k+1:]...)
			continue
		}
		n := 1 + r.IntN(2*smallBytes)
		if r.IntN(4) > 0 {
			n = 1 + r.IntN(1000)
		}
		b := p.Get(int64(n))
		if len(b.Bytes) != n {
			t.Fatalf("%d bytes instead of %d", len(b.Bytes), n)
		}
		for j := range b.Bytes {
			b.Bytes[j] = byte(i)
		}
		held = append(held, b)
	}
}

func TestMemoryIsUsedAgain(t *testing.T) {
	var p Pool
	fill := func(files, size int) int {
		var all []Buffer
		for range files {
			all = append(all, p.Get(int64(size)))
		}
		free := p.held()
		for _, b := range all {
			p.Put(b)
		}
		return free
	}
	fill(1000, 16<<10)
	small := p.held()
	if small < 15<<20 || small > 17<<20 {
		t.Fatalf("%d bytes are kept of 1000 files of 16 KiB", small)
	}
	if free := fill(1000, 16<<10); free > slabBytes {
		t.Errorf("%d bytes lay about while others were in use", free)
	}
	if free := fill(10, 1600<<10); free > slabBytes {
		t.Errorf("%d bytes of slabs lay about beside large files", free)
	}
	if now := p.held(); now > small+small/10 {
		t.Errorf("%d bytes are kept, after %d of small files", now, small)
	}
}
