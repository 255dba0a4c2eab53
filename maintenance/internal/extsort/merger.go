package extsort

import (
	"bytes"
	"cmp"
	"slices"
	"sort"
)

// merger reads sources together.
type merger struct {
	digest *digest
	// sources are those that may have rows, in the order of equal keys.
	sources []*source
	// blockRows is the most rows that were open of a source.
	blockRows int
	ends      []int
}

// next makes a chunk of all open rows that can be no later than those that are
// not open: those up to the least of the last open ones. The source that has it
// is read to its end, and so there is a row at least. It reports whether there
// were any rows left.
func (m *merger) next(c *Chunk) (bool, error) {
	c.digest, c.items, c.keys = m.digest, c.items[:0], c.keys[:0]
	var failed error
	m.sources = slices.DeleteFunc(m.sources, func(s *source) bool {
		ok, err := s.open()
		if err != nil && failed == nil {
			failed = err
		}
		m.blockRows = max(m.blockRows, len(s.items))
		return !ok
	})
	if failed != nil || len(m.sources) == 0 {
		return false, failed
	}
	last := 0
	for i := range m.sources {
		if m.compare(i, m.end(i), last, m.end(last)) < 0 {
			last = i
		}
	}
	m.ends = m.ends[:0]
	to := m.end(last)
	for i, s := range m.sources {
		// Of equal rows those of earlier sources come first: there are none after
		// these, but later sources must wait.
		most := 0
		if i > last {
			most = -1
		}
		n := sort.Search(len(s.items)-s.at, func(j int) bool { return m.compare(i, s.items[s.at+j], last, to) > most })
		if n > 0 {
			c.take(s, n)
			m.ends = append(m.ends, len(c.items))
		}
	}
	c.merge(m.ends)
	return true, nil
}

// end is the last open item of a source.
func (m *merger) end(i int) item { return m.sources[i].items[len(m.sources[i].items)-1] }

// compare compares items of two sources.
func (m *merger) compare(i int, a item, j int, b item) int {
	if c := cmp.Compare(a.prefix, b.prefix); c != 0 || m.digest.exact {
		return c
	}
	return bytes.Compare(m.sources[i].key(a), m.sources[j].key(b))
}
