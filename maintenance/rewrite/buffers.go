package rewrite

import "sync"

// buffers keeps the memory that files were read into for the next ones: it is
// most of what a bin needs, and the collector would let it double.
type buffers struct {
	mu   sync.Mutex
	free [][]byte
}

// maxFree bounds how many buffers are kept.
const maxFree = 1024

// get returns n bytes, which are not zero.
func (p *buffers) get(n int64) []byte {
	p.mu.Lock()
	defer p.mu.Unlock()
	for i := len(p.free) - 1; i >= 0; i-- {
		if b := p.free[i]; int64(cap(b)) >= n && int64(cap(b)) <= 2*n+4096 {
			p.free[i] = p.free[len(p.free)-1]
			p.free = p.free[:len(p.free)-1]
			return b[:n]
		}
	}
	return make([]byte, n, n+n/8)
}

// put takes back what get returned and nobody uses any more.
func (p *buffers) put(b []byte) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.free) == maxFree {
		copy(p.free, p.free[1:])
		p.free = p.free[:maxFree-1]
	}
	p.free = append(p.free, b)
}
