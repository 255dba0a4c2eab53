package splice

import "sync"

// blockPool has memory in blocks, which chunks that wait for their turn are kept
// in, one after another.
type blockPool struct {
	mu    sync.Mutex
	spare [][]byte
}

func (p *blockPool) get() []byte {
	p.mu.Lock()
	defer p.mu.Unlock()
	if n := len(p.spare); n > 0 {
		b := p.spare[n-1]
		p.spare = p.spare[:n-1]
		return b
	}
	return make([]byte, 0, mostBlock)
}

// blockBuffer is what was written, in blocks of a pool.
type blockBuffer struct {
	pool *blockPool
	full [][]byte
}

// Write appends.
func (b *blockBuffer) Write(p []byte) (int, error) {
	written := len(p)
	for len(p) > 0 {
		last := len(b.full) - 1
		if last < 0 || len(b.full[last]) == cap(b.full[last]) {
			b.full = append(b.full, b.pool.get())
			last++
		}
		to := b.full[last]
		n := min(len(p), cap(to)-len(to))
		b.full[last] = append(to, p[:n]...)
		p = p[n:]
	}
	return written, nil
}

// free gives the blocks back.
func (b *blockBuffer) free() {
	b.pool.mu.Lock()
	defer b.pool.mu.Unlock()
	for _, block := range b.full {
		b.pool.spare = append(b.pool.spare, block[:0])
	}
	b.full = nil
}
