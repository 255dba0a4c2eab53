package flat

import "sync"

// Pool makes readers and keeps their memory, other than that of arrays, for
// others. Its zero value is ready; it is safe for use by several goroutines.
type Pool struct{ kept sync.Pool }

// Reader is a reader of a column, to be closed by Put.
func (p *Pool) Reader(c Column) *Reader {
	s, ok := p.kept.Get().(*scratch)
	if !ok {
		s = &scratch{}
	}
	return &Reader{col: c, scratch: s}
}

// Put takes back a reader's memory. The reader must not be used any more.
func (p *Pool) Put(r *Reader) {
	p.kept.Put(r.scratch)
	r.scratch = nil
}
