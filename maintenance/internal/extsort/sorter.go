package extsort

import "github.com/firndb/firn/maintenance/internal/scratch"

// Config says how to sort.
type Config struct {
	// Scratch is used when keys do not fit into memory.
	Scratch *scratch.Space
	// Memory is how many bytes of keys all collectors together keep.
	Memory int64
	// Collectors is how many there are.
	Collectors int
}

// Sorter sorts once.
type Sorter struct {
	Config
	collectors []*Collector
	fanIn      int
}

// New makes a sorter, which must be closed.
func New(c Config) *Sorter {
	s := &Sorter{Config: c, fanIn: mostRuns}
	for range c.Collectors {
		s.collectors = append(s.collectors, &Collector{sorter: s, most: c.Memory / int64(c.Collectors)})
	}
	return s
}

// Collector is one of the sorter's collectors.
func (s *Sorter) Collector(i int) *Collector { return s.collectors[i] }

// Rows is how many rows all collectors have been given, those that are dead
// included, and Live how many are not.
func (s *Sorter) Rows() int64 {
	var n int64
	for _, c := range s.collectors {
		n += c.total
	}
	return n
}

// Live is how many of the rows are not dead.
func (s *Sorter) Live() int64 {
	var n int64
	for _, c := range s.collectors {
		n += c.live
	}
	return n
}

// Close frees memory and scratch space.
func (s *Sorter) Close() error {
	var first error
	for _, c := range s.collectors {
		for _, r := range c.runs {
			if err := r.log.Close(); err != nil && first == nil {
				first = err
			}
		}
		c.drop()
		c.runs, c.items, c.other = nil, nil, nil
	}
	return first
}
