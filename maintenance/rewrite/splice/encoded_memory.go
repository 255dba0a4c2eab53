package splice

import (
	"io"
	"math/bits"
)

// PageBuffer holds encoded pages in memory. One goroutine may use it at a time.
type PageBuffer struct {
	// blocks are twice as large each as the one before, up to mostBlock.
	blocks [][]byte
	n      int64
}

const (
	leastBlock = 8 << 10
	mostBlock  = 256 << 10
	// growing blocks are as large together as the next less the first.
	growing = mostBlock - leastBlock
)

// block finds the block that has a byte, its size, and where in it that is.
func block(off int64) (i int, size, at int64) {
	if off >= growing {
		off -= growing
		return bits.Len(mostBlock/leastBlock) - 1 + int(off/mostBlock), mostBlock, off % mostBlock
	}
	i = bits.Len64(uint64(off/leastBlock+1)) - 1
	size = leastBlock << i
	return i, size, off - (size - leastBlock)
}

// Len is how many bytes were written since the last Reset.
func (p *PageBuffer) Len() int64 { return p.n }

// Write appends.
func (p *PageBuffer) Write(b []byte) (int, error) {
	written := len(b)
	for len(b) > 0 {
		i, size, at := block(p.n)
		if i == len(p.blocks) {
			p.blocks = append(p.blocks, make([]byte, size))
		}
		n := copy(p.blocks[i][at:], b)
		b = b[n:]
		p.n += int64(n)
	}
	return written, nil
}

// ReadAt reads what was written since the last Reset.
func (p *PageBuffer) ReadAt(b []byte, off int64) (int, error) {
	size := len(b)
	b = b[:min(int64(size), max(0, p.n-off))]
	read := len(b)
	for len(b) > 0 {
		i, _, at := block(off)
		n := copy(b, p.blocks[i][at:])
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
