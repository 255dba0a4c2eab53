package extsort

import (
	"bytes"
	"context"
	"iter"
	"math"

	"golang.org/x/sync/errgroup"

	"github.com/firndb/firn/guard"
	"github.com/firndb/firn/maintenance/internal/rowkey"
)

// Chunk is rows in order.
type Chunk struct {
	// Rows are the rows' numbers.
	Rows     []uint32
	refs     []ref
	prefixes []uint64
	// keyBytes is how long keys in blocks are on an average.
	keyBytes int64
}

// ref says where the key of a row is: in a block, or if it has none, among those
// that a source has in memory.
type ref struct {
	block *rowkey.Keys
	find  *locator
	at    uint32
}

// Key is the key of row i; it must not be changed.
func (c Chunk) Key(i int) []byte {
	if r := c.refs[i]; r.block == nil {
		return r.find.key(r.at)
	}
	return c.refs[i].block.At(int(c.refs[i].at))
}

const (
	// mostRuns is how many runs are merged at once.
	mostRuns = 64
	// chunkRows is how many rows a chunk has at most.
	chunkRows = 1 << 13
	// leastChunk is how many bytes of keys a chunk may keep from being forgotten,
	// however little memory there is.
	leastChunk = 64 << 10
)

// chunkBytes is how many bytes of keys in blocks a chunk has at most. Where keys
// are long, a few chunks would keep all of them in memory.
func (s *Sorter) chunkBytes() int64 { return max(leastChunk, s.Memory/64) }

// Merge yields all rows in order, once. A chunk is valid until the next.
func (s *Sorter) Merge(ctx context.Context) iter.Seq2[Chunk, error] {
	return func(yield func(Chunk, error) bool) {
		if rows := s.Rows(); rows >= math.MaxUint32 {
			yield(Chunk{}, tooMany(rows))
			return
		}
		sources, err := s.sources(ctx)
		if err != nil {
			yield(Chunk{}, err)
			return
		}
		for chunk, err := range mergeAll(ctx, sources, s.chunkBytes()) {
			if !yield(chunk, err) || err != nil {
				return
			}
		}
	}
}

// sources are all runs and what is in memory, in the order of equal keys. Runs
// that are too many are merged into longer ones first.
func (s *Sorter) sources(ctx context.Context) ([]*source, error) {
	spilled := 0
	var all survey
	for _, c := range s.collectors {
		spilled += len(c.runs)
		all.join(c.survey)
		for _, r := range c.runs {
			all.join(r.survey)
		}
	}
	d := all.digest()
	var sources []*source
	var base uint32
	var eg errgroup.Group
	for _, c := range s.collectors {
		for spilled > s.fanIn && len(c.runs) > 1 {
			n := min(s.fanIn, len(c.runs), spilled-s.fanIn+1)
			if err := c.mergeRuns(ctx, n); err != nil {
				return nil, err
			}
			spilled -= n - 1
		}
		for _, r := range c.runs {
			sources = append(sources, &source{digest: &d, run: r, base: base})
		}
		if len(c.batches) > 0 {
			mem := &source{digest: &d, base: base + uint32(c.start)}
			sources = append(sources, mem)
			guard.Go(&eg, func() error {
				mem.find = newLocator(c.batches)
				mem.items = d.order(c.batches)
				return nil
			})
		}
		base += uint32(c.total)
	}
	return sources, eg.Wait()
}

// mergeRuns makes one run of the first n.
func (c *Collector) mergeRuns(ctx context.Context, n int) error {
	out := &run{log: c.sorter.Scratch.NewLog()}
	runs := c.runs[:n]
	// Closing the sorter closes all of them.
	c.runs = append([]*run{out}, c.runs...)
	sources := make([]*source, n)
	for i, r := range runs {
		out.survey.join(r.survey)
		sources[i] = &source{run: r}
	}
	d := out.survey.digest()
	for _, s := range sources {
		s.digest = &d
	}
	var b block
	// Blocks stay as small as those that were merged.
	m := newMerger(sources, c.sorter.chunkBytes())
	for chunk, err := range m.all(ctx) {
		if err != nil {
			return err
		}
		for i, row := range chunk.Rows {
			b.add(chunk.Key(i), row)
			if len(b.rows) >= m.blockRows {
				if err := out.append(b); err != nil {
					return err
				}
				b = block{}
			}
		}
	}
	if len(b.rows) > 0 {
		if err := out.append(b); err != nil {
			return err
		}
	}
	for _, r := range runs {
		if err := r.log.Close(); err != nil {
			return err
		}
	}
	c.runs = append([]*run{out}, c.runs[n+1:]...)
	return nil
}

// source is a run that is being read: in scratch space, or in memory.
type source struct {
	digest *digest
	// base is added to the numbers of rows.
	base uint32

	run  *run
	next int
	// block is the open one; its prefixes are known, and keyBytes is how long its
	// keys are on an average.
	block    *block
	prefixes []uint64
	keyBytes int64

	// A run in memory has its rows in the order of items.
	items []item
	find  locator

	// stream yields what others have merged, chunk is the open one.
	stream *stream
	chunk  *Chunk

	at int
}

// advance goes to the next row. It reports whether there is one.
func (s *source) advance() (bool, error) {
	s.at++
	switch {
	case s.stream != nil:
		return s.receive(), nil
	case s.run == nil:
		return s.at < len(s.items), nil
	}
	if s.block != nil && s.at < len(s.block.rows) {
		return true, nil
	}
	if s.next == len(s.run.blocks) {
		return false, nil
	}
	b, err := s.run.read(s.next)
	if err != nil {
		return false, err
	}
	s.next++
	s.block, s.at, s.prefixes, s.keyBytes = &b, 0, s.prefixes[:0], int64(len(b.keys.Data)/len(b.rows))
	for i := range b.rows {
		s.prefixes = append(s.prefixes, s.digest.prefix(b.keys.At(i)))
	}
	return true, nil
}

func (s *source) prefix() uint64 {
	if s.stream != nil {
		return s.chunk.prefixes[s.at]
	}
	if s.run == nil {
		return s.items[s.at].prefix
	}
	return s.prefixes[s.at]
}

func (s *source) row() uint32 {
	if s.stream != nil {
		return s.chunk.Rows[s.at]
	}
	if s.run == nil {
		return s.base + s.items[s.at].row
	}
	return s.base + s.block.rows[s.at]
}

func (s *source) ref() ref {
	if s.stream != nil {
		return s.chunk.refs[s.at]
	}
	if s.run == nil {
		return ref{find: &s.find, at: s.items[s.at].row}
	}
	return ref{block: &s.block.keys, at: uint32(s.at)}
}

func (s *source) key() []byte {
	if s.stream != nil {
		return s.chunk.Key(s.at)
	}
	if s.run == nil {
		return s.find.key(s.items[s.at].row)
	}
	return s.block.keys.At(s.at)
}

// head is the row that a source is at.
type head struct {
	prefix uint64
	order  int
	*source
}

func (h *head) before(other *head) bool {
	if h.prefix != other.prefix {
		return h.prefix < other.prefix
	}
	if !h.digest.exact {
		if c := bytes.Compare(h.key(), other.key()); c != 0 {
			return c < 0
		}
	}
	return h.order < other.order
}

// merger reads sources together.
type merger struct {
	sources []*source
	// most is how many bytes of keys in blocks a chunk has.
	most int64
	// heap has the sources that have rows, the one with the least row first.
	heap []head
	// blockRows is the most rows that a block read so far had.
	blockRows int
}

func newMerger(sources []*source, most int64) *merger {
	return &merger{sources: sources, most: most, blockRows: 1}
}

func (m *merger) all(ctx context.Context) iter.Seq2[Chunk, error] {
	return func(yield func(Chunk, error) bool) {
		err := m.start()
		var c Chunk
		for err == nil && len(m.heap) > 0 {
			if err = ctx.Err(); err != nil {
				break
			}
			c.Rows, c.refs, c.prefixes = c.Rows[:0], c.refs[:0], c.prefixes[:0]
			size := int64(0)
			for err == nil && len(c.Rows) < chunkRows && size < m.most && len(m.heap) > 0 {
				top := &m.heap[0]
				size += top.keyBytes
				c.Rows, c.refs, c.prefixes = append(c.Rows, top.row()), append(c.refs, top.ref()), append(c.prefixes, top.prefix)
				err = m.pop()
			}
			c.keyBytes = size / int64(len(c.Rows))
			if err == nil && !yield(c, nil) {
				return
			}
		}
		if err != nil {
			yield(Chunk{}, err)
		}
	}
}

// start reads the first row of every source.
func (m *merger) start() error {
	for i, s := range m.sources {
		s.at = -1
		ok, err := s.advance()
		if err != nil {
			return err
		}
		if ok {
			m.heap = append(m.heap, m.headOf(s, i))
		}
	}
	for i := len(m.heap)/2 - 1; i >= 0; i-- {
		m.down(i)
	}
	return nil
}

func (m *merger) headOf(s *source, order int) head {
	if s.block != nil {
		m.blockRows = max(m.blockRows, len(s.block.rows))
	}
	return head{prefix: s.prefix(), order: order, source: s}
}

// pop moves the least source on, or takes it out.
func (m *merger) pop() error {
	top := m.heap[0]
	ok, err := top.advance()
	switch {
	case err != nil:
		return err
	case ok:
		m.heap[0] = m.headOf(top.source, top.order)
	default:
		last := len(m.heap) - 1
		m.heap[0] = m.heap[last]
		m.heap = m.heap[:last]
	}
	m.down(0)
	return nil
}

// down restores the heap below i.
func (m *merger) down(i int) {
	for {
		least := i
		for child := 2*i + 1; child <= 2*i+2 && child < len(m.heap); child++ {
			if m.heap[child].before(&m.heap[least]) {
				least = child
			}
		}
		if least == i {
			return
		}
		m.heap[i], m.heap[least] = m.heap[least], m.heap[i]
		i = least
	}
}
