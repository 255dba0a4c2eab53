package filebuf

import (
	"errors"
	"io"
	"sync"
)

// Pool keeps the memory that files were read into for the next ones: it is
// most of what reading small files needs, and the collector would let it double.
// Its zero value is ready for use by several goroutines.
type Pool struct {
	mu   sync.Mutex
	free [][]byte
}

// maxFree bounds how many buffers are kept.
const maxFree = 1024

// Get returns n bytes, which are not zero.
func (p *Pool) Get(n int64) []byte {
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

// Put takes back what Get returned and nobody uses any more.
func (p *Pool) Put(b []byte) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.free) == maxFree {
		copy(p.free, p.free[1:])
		p.free = p.free[:maxFree-1]
	}
	p.free = append(p.free, b)
}

// ErrLength says that a file does not have the length that it should.
var ErrLength = errors.New("the file has another length")

// ReadAll reads a file of len(b) bytes from its beginning, in one request where
// files are objects. The error is ErrLength if it has more or fewer bytes.
func ReadAll(file io.Reader, b []byte) error {
	_, err := io.ReadFull(file, b)
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return ErrLength
	}
	if err != nil {
		return err
	}
	switch n, err := file.Read(make([]byte, 1)); {
	case n > 0:
		return ErrLength
	case err != nil && !errors.Is(err, io.EOF):
		return err
	}
	return nil
}
