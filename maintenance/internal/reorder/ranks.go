package reorder

import (
	"context"
	"errors"
	"iter"

	"github.com/apache/arrow-go/v18/arrow"
	"golang.org/x/sync/errgroup"

	"github.com/firndb/firn/guard"
	"github.com/firndb/firn/maintenance/internal/scratch"
)

// None is the rank of a row that goes nowhere.
const None = ^uint32(0)

// Ranks is the place of every row in the new order, listed in the old one.
type Ranks struct {
	rows int64
	mem  []uint32
	// log has what is not in memory: numbers of four bytes.
	log *scratch.Log
}

// readRows is how many ranks are read at once.
const readRows = 1 << 16

// All yields the ranks in the old order, many at a time; they are valid until the
// next.
func (r *Ranks) All(ctx context.Context) iter.Seq2[[]uint32, error] {
	return func(yield func([]uint32, error) bool) {
		var buffer []uint32
		for at := int64(0); at < r.rows; at += readRows {
			n := min(readRows, r.rows-at)
			part, err := []uint32(nil), ctx.Err()
			switch {
			case err != nil:
			case r.mem != nil:
				part = r.mem[at : at+n]
			default:
				if buffer == nil {
					buffer = make([]uint32, readRows)
				}
				part = buffer[:n]
				err = r.log.ReadInto(arrow.GetBytes(part), 4*at)
			}
			if !yield(part, err) || err != nil {
				return
			}
		}
	}
}

// Close frees memory and scratch space.
func (r *Ranks) Close() error {
	r.mem = nil
	if r.log == nil {
		return nil
	}
	return r.log.Close()
}

// inverter makes ranks of rows that come in the new order. Ranks that do not fit
// into memory are put by first, as pairs, by the part of the old order that they
// belong to.
type inverter struct {
	ranks *Ranks
	next  uint32
	space *scratch.Space
	// per is how many rows a part has; each part has its pairs.
	per   int64
	parts []pairs
}

// pairs are rows with their ranks: those in memory, which follow those in the log.
type pairs struct {
	log *scratch.Log
	mem []uint32
}

// pairsKept is how many numbers a part keeps in memory.
const pairsKept = 1 << 14

// newInverter is for ranks of so many rows.
func newInverter(rows, memory int64, space *scratch.Space) *inverter {
	v := &inverter{ranks: &Ranks{rows: rows}, space: space}
	if 4*rows <= memory {
		v.ranks.mem = make([]uint32, rows)
		for i := range v.ranks.mem {
			v.ranks.mem[i] = None
		}
		return v
	}
	v.ranks.log = space.NewLog()
	// Three parts are in memory at once when ranks are made.
	v.per = max(memory/16, readRows)
	for at := int64(0); at < rows; at += v.per {
		v.parts = append(v.parts, pairs{log: space.NewLog()})
	}
	return v
}

// add takes the next rows of the new order.
func (v *inverter) add(rows []uint32) error {
	if v.ranks.mem != nil {
		for i, row := range rows {
			v.ranks.mem[row] = v.next + uint32(i)
		}
		v.next += uint32(len(rows))
		return nil
	}
	for _, row := range rows {
		p := &v.parts[int64(row)/v.per]
		p.mem = append(p.mem, uint32(int64(row)%v.per), v.next)
		v.next++
		if len(p.mem) >= pairsKept {
			if err := p.flush(); err != nil {
				return err
			}
		}
	}
	return nil
}

func (p *pairs) flush() error {
	_, err := p.log.Append(arrow.GetBytes(p.mem))
	p.mem = p.mem[:0]
	return err
}

// finish is the ranks, once all rows have been added. It calls do with all of
// them, in the old order and many at a time, while it finds the next.
func (v *inverter) finish(ctx context.Context, do func(ranks []uint32) error) (*Ranks, error) {
	found := make(chan []uint32)
	eg, gctx := errgroup.WithContext(ctx)
	guard.Go(eg, func() error {
		defer close(found)
		for i := range v.parts {
			part, err := v.invert(i)
			if err != nil {
				return err
			}
			select {
			case found <- part:
			case <-gctx.Done():
				return gctx.Err()
			}
		}
		return nil
	})
	guard.Go(eg, func() error {
		for part := range found {
			if _, err := v.ranks.log.Append(arrow.GetBytes(part)); err != nil {
				return err
			}
			if err := do(part); err != nil {
				return err
			}
		}
		return nil
	})
	if err := eg.Wait(); err != nil {
		return nil, err
	}
	ranks := v.ranks
	if ranks.mem != nil {
		for part, err := range ranks.All(ctx) {
			if err == nil {
				err = do(part)
			}
			if err != nil {
				return nil, err
			}
		}
	}
	v.ranks = nil
	return ranks, nil
}

// invert makes the ranks of a part.
func (v *inverter) invert(i int) ([]uint32, error) {
	p := &v.parts[i]
	out := make([]uint32, min(v.per, v.ranks.rows-int64(i)*v.per))
	for k := range out {
		out[k] = None
	}
	put := func(pairs []uint32) {
		for k := 0; k < len(pairs); k += 2 {
			out[pairs[k]] = pairs[k+1]
		}
	}
	buffer := make([]uint32, pairsKept)
	for at, size := int64(0), p.log.Size(); at < size; {
		b := buffer[:min(pairsKept, (size-at)/4)]
		if err := p.log.ReadInto(arrow.GetBytes(b), at); err != nil {
			return nil, err
		}
		put(b)
		at += 4 * int64(len(b))
	}
	put(p.mem)
	p.mem = nil
	return out, p.log.Close()
}

// close frees what finish has not.
func (v *inverter) close() error {
	var err error
	if v.ranks != nil {
		err = v.ranks.Close()
	}
	for _, p := range v.parts {
		err = errors.Join(err, p.log.Close())
	}
	return err
}
