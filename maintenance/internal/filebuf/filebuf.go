package filebuf

import (
	"errors"
	"io"
	"slices"
	"sync"
)

// Pool keeps the memory that files were read into for the next ones: it is
// most of what reading small files needs, and the collector would let it double.
// It keeps no more than was in use at once. Its zero value is ready for use by
// several goroutines.
type Pool struct {
	mu sync.Mutex
	// open is the slab that small buffers are cut off; free are those that nobody
	// uses, the last one last.
	open *slab
	free []*slab
}

// slab is memory that one large buffer or many small ones are.
type slab struct {
	bytes       []byte
	used, users int
}

// Buffer is memory of a pool.
type Buffer struct {
	Bytes []byte
	slab  *slab
}

const (
	// slabBytes is how large a slab of small buffers is.
	slabBytes = 1 << 20
	// smallBytes is up to which size buffers share a slab.
	smallBytes = slabBytes / 8
)

// Get returns a buffer of n bytes, which are not zero.
func (p *Pool) Get(n int64) Buffer {
	p.mu.Lock()
	defer p.mu.Unlock()
	s := p.open
	switch {
	case n > smallBytes:
		s = p.take(n, 2*n)
	case s == nil || s.used+int(n) > len(s.bytes):
		if s != nil && s.users == 0 {
			p.free = append(p.free, s)
		}
		s = p.take(slabBytes, slabBytes)
		p.open = s
	}
	from := s.used
	s.used += int(n)
	s.users++
	return Buffer{Bytes: s.bytes[from:s.used:s.used], slab: s}
}

// take returns a slab of least to most bytes. One that is made anew takes the
// place of free ones.
func (p *Pool) take(least, most int64) *slab {
	for i := len(p.free) - 1; i >= 0; i-- {
		if s := p.free[i]; int64(len(s.bytes)) >= least && int64(len(s.bytes)) <= most {
			p.free = slices.Delete(p.free, i, i+1)
			s.used = 0
			return s
		}
	}
	drop := 0
	for room := int64(0); drop < len(p.free) && room < least; drop++ {
		room += int64(len(p.free[drop].bytes))
	}
	p.free = slices.Delete(p.free, 0, drop)
	n := least
	if n != slabBytes {
		// The next file may be a little larger.
		n += n / 32
	}
	return &slab{bytes: make([]byte, n)}
}

// Put takes back what Get returned and nobody uses any more.
func (p *Pool) Put(b Buffer) {
	p.mu.Lock()
	defer p.mu.Unlock()
	s := b.slab
	if s.users--; s.users > 0 {
		return
	}
	if s == p.open {
		s.used = 0
		return
	}
	p.free = append(p.free, s)
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
