package extsort

import (
	"bytes"
	"context"
	"iter"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/firndb/firn/maintenance/internal/gather"
	"github.com/firndb/firn/maintenance/internal/rowkey"
)

// Chunk is rows in order.
type Chunk struct {
	Batch arrow.RecordBatch
	keys  [][]byte
}

// NewChunk is a batch with the keys of its rows, which are in order already.
func NewChunk(batch arrow.RecordBatch, keys rowkey.Keys) Chunk {
	c := Chunk{Batch: batch, keys: make([][]byte, keys.Len())}
	for i := range c.keys {
		c.keys[i] = keys.At(i)
	}
	return c
}

// Key is the key of a row; it must not be changed.
func (c Chunk) Key(row int) []byte { return c.keys[row] }

// mostRuns is how many runs are merged at once.
const mostRuns = 64

// Merge yields all rows in order, once. The consumer releases the batches.
func (s *Sorter) Merge(ctx context.Context) iter.Seq2[Chunk, error] {
	return func(yield func(Chunk, error) bool) {
		sources, err := s.sources(ctx)
		if err != nil {
			yield(Chunk{}, err)
			return
		}
		m := newMerger(sources)
		for {
			chunk, err := m.next(ctx, s.Config.Rows, s.gather(max(1, s.Parallel)))
			if err != nil {
				yield(Chunk{}, err)
				return
			}
			if chunk.Batch == nil || !yield(chunk, nil) {
				return
			}
		}
	}
}

// sources are all runs and what is in memory, in the order of equal keys. Runs
// that are too many are merged into longer ones first.
func (s *Sorter) sources(ctx context.Context) ([]*source, error) {
	spilled := 0
	for _, c := range s.collectors {
		spilled += len(c.runs)
	}
	var sources []*source
	for _, c := range s.collectors {
		for spilled > s.fanIn && len(c.runs) > 1 {
			n := min(s.fanIn, len(c.runs), spilled-s.fanIn+1)
			merged, err := s.mergeRuns(ctx, c.runs[:n])
			if err != nil {
				return nil, err
			}
			c.runs = append([]*run{merged}, c.runs[n:]...)
			spilled -= n - 1
		}
		for _, r := range c.runs {
			sources = append(sources, &source{run: r})
		}
		if len(c.batches) > 0 {
			sources = append(sources, newMemorySource(c.batches, c.keys))
		}
	}
	return sources, nil
}

// mergeRuns makes one run of several.
func (s *Sorter) mergeRuns(ctx context.Context, runs []*run) (*run, error) {
	out, err := s.newRun()
	if err != nil {
		return nil, err
	}
	sources := make([]*source, len(runs))
	for i, r := range runs {
		sources[i] = &source{run: r}
	}
	m := newMerger(sources)
	rows := 1 << 14
	for {
		chunk, err := m.next(ctx, rows, s.gather(max(1, s.Parallel)))
		if err != nil {
			return nil, err
		}
		if chunk.Batch == nil {
			break
		}
		if err := out.append(block{chunk.Batch, joined(chunk.keys)}); err != nil {
			return nil, err
		}
		// Blocks stay as small as those that were merged.
		rows = m.blockRows
	}
	for _, r := range runs {
		if err := r.close(); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// source is a run that is being read: in a file, or in memory.
type source struct {
	run  *run
	next int
	// batches and keys are the open block, or all of a run in memory, whose order
	// is that of items.
	batches []arrow.RecordBatch
	keys    []rowkey.Keys
	items   []item
	find    locator
	at      int
	// slot is the number of the first batch among those of the chunk.
	slot uint32
}

func newMemorySource(batches []arrow.RecordBatch, keys []rowkey.Keys) *source {
	return &source{batches: batches, keys: keys, items: order(keys), find: newLocator(keys), at: -1}
}

// row is the batch and the row in it that the source is at.
func (s *source) row() (batch, row uint32) {
	if s.run != nil {
		return 0, uint32(s.at)
	}
	return s.find.find(s.items[s.at].row)
}

// advance goes to the next row. It reports whether there is one, and whether a
// new block has been read for it.
func (s *source) advance() (ok, read bool, err error) {
	s.at++
	if s.run == nil {
		return s.at < len(s.items), false, nil
	}
	if len(s.keys) > 0 && s.at < s.keys[0].Len() {
		return true, false, nil
	}
	if s.next == len(s.run.blocks) {
		return false, false, nil
	}
	b, err := s.run.read(s.next)
	if err != nil {
		return false, false, err
	}
	s.next++
	s.batches, s.keys, s.at = []arrow.RecordBatch{b.batch}, []rowkey.Keys{b.keys}, 0
	return true, true, nil
}

// head is the row that a source is at.
type head struct {
	key   []byte
	order int
	*source
	batch, row uint32
}

// merger reads sources together.
type merger struct {
	sources []*source
	// heap has the sources that have rows, the one with the least row first.
	heap    []head
	started bool
	// blockRows is the most rows that a block read so far had.
	blockRows int
}

func newMerger(sources []*source) *merger { return &merger{sources: sources, blockRows: 1} }

// next makes a chunk of at most that many rows; it has no batch at the end.
func (m *merger) next(ctx context.Context, rows int, g gatherer) (Chunk, error) {
	if err := ctx.Err(); err != nil {
		return Chunk{}, err
	}
	if err := m.start(); err != nil {
		return Chunk{}, err
	}
	if len(m.heap) == 0 {
		return Chunk{}, nil
	}
	var batches []arrow.RecordBatch
	for _, h := range m.heap {
		h.slot = uint32(len(batches))
		batches = append(batches, h.batches...)
	}
	refs := make([]gather.Ref, 0, rows)
	keys := make([][]byte, 0, rows)
	if len(m.heap) == 1 && m.heap[0].run == nil {
		refs, keys = m.alone(refs, keys, rows)
	}
	for len(refs) < rows && len(m.heap) > 0 {
		top := &m.heap[0]
		refs = append(refs, gather.Ref{Source: top.slot + top.batch, Row: top.row})
		keys = append(keys, top.key)
		read, err := m.pop()
		if err != nil {
			return Chunk{}, err
		}
		if read {
			s := m.heap[0].source
			s.slot = uint32(len(batches))
			batches = append(batches, s.batches...)
		}
		m.down(0)
	}
	batch, err := g(batches, refs)
	return Chunk{batch, keys}, err
}

// alone takes rows of the only source, which is in memory.
func (m *merger) alone(refs []gather.Ref, keys [][]byte, rows int) ([]gather.Ref, [][]byte) {
	top := m.heap[0]
	s := top.source
	for len(refs) < rows && s.at < len(s.items) {
		batch, row := s.find.find(s.items[s.at].row)
		refs = append(refs, gather.Ref{Source: s.slot + batch, Row: row})
		keys = append(keys, s.keys[batch].At(int(row)))
		s.at++
	}
	m.heap = m.heap[:0]
	if s.at < len(s.items) {
		m.heap = append(m.heap, m.headOf(s, top.order))
	}
	return refs, keys
}

// start reads the first row of every source.
func (m *merger) start() error {
	if m.started {
		return nil
	}
	m.started = true
	for i, s := range m.sources {
		if s.run != nil {
			s.at = -1
		}
		ok, _, err := s.advance()
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
	batch, row := s.row()
	if s.run != nil {
		m.blockRows = max(m.blockRows, s.keys[0].Len())
	}
	return head{key: s.keys[batch].At(int(row)), order: order, source: s, batch: batch, row: row}
}

// pop moves the least source on, or takes it out. It reports whether a block has
// been read for it.
func (m *merger) pop() (read bool, err error) {
	top := m.heap[0]
	ok, read, err := top.advance()
	switch {
	case err != nil:
	case ok:
		m.heap[0] = m.headOf(top.source, top.order)
	default:
		last := len(m.heap) - 1
		m.heap[0] = m.heap[last]
		m.heap = m.heap[:last]
	}
	return read, err
}

// down restores the heap below i.
func (m *merger) down(i int) {
	for {
		least := i
		for child := 2*i + 1; child <= 2*i+2 && child < len(m.heap); child++ {
			if m.heap[child].before(m.heap[least]) {
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

func (h head) before(other head) bool {
	if c := bytes.Compare(h.key, other.key); c != 0 {
		return c < 0
	}
	return h.order < other.order
}

func newBatch(schema *arrow.Schema, columns []arrow.Array, rows int) arrow.RecordBatch {
	return array.NewRecordBatch(schema, columns, int64(rows))
}

func noBuffers(n int) []*memory.Buffer { return make([]*memory.Buffer, n) }
