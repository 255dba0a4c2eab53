package splice

import "io"

// PageBuffer holds encoded pages in memory. One goroutine may use it at a time.
type PageBuffer struct {
	blocks [][]byte
	n      int64
}

const bufferBlock = 256 << 10

// Write appends.
func (p *PageBuffer) Write(b []byte) (int, error) {
	size := len(b)
	for len(b) > 0 {
		i, at := int(p.n/bufferBlock), int(p.n%bufferBlock)
		if i == len(p.blocks) {
			p.blocks = append(p.blocks, make([]byte, bufferBlock))
		}
		n := copy(p.blocks[i][at:], b)
		b = b[n:]
		p.n += int64(n)
	}
	return size, nil
}

// ReadAt reads what was written since the last Reset.
func (p *PageBuffer) ReadAt(b []byte, off int64) (int, error) {
	size := len(b)
	b = b[:min(int64(size), max(0, p.n-off))]
	read := len(b)
	for len(b) > 0 {
		n := copy(b, p.blocks[off/bufferBlock][off%bufferBlock:])
		b = b[n:]
		off += int64(n)
	}
	if read < size {
		return read, io.EOF
	}
	return read, nil
}

// Reset forgets what was written and keeps the memory.
func (p *PageBuffer) Reset() { p.n = 0 }
