package reorder

import (
	"fmt"
	"iter"

	"github.com/firndb/firn/maintenance"
)

// cursor reads numbers that come many at a time.
type cursor struct {
	next func() ([]uint32, error, bool)
	end  func()
	part []uint32
}

func newCursor(all iter.Seq2[[]uint32, error]) cursor {
	next, end := iter.Pull2(all)
	return cursor{next: next, end: end}
}

// take is some of the next numbers, n at most.
func (c *cursor) take(n int) ([]uint32, error) {
	if len(c.part) == 0 {
		part, err, ok := c.next()
		switch {
		case err != nil:
			return nil, err
		case !ok || len(part) == 0:
			return nil, fmt.Errorf("%w: a column has more rows than its table", maintenance.ErrCorrupt)
		}
		c.part = part
	}
	n = min(n, len(c.part))
	out := c.part[:n]
	c.part = c.part[n:]
	return out, nil
}

func (c *cursor) stop() {
	if c.end != nil {
		c.end()
	}
}
