package reorder

import (
	"context"
	"slices"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/firndb/firn/maintenance/internal/gather"
)

// nested are values of any type. Instead of pens there are arrays that are not
// dealt out yet, and the parts that their rows go to.
type nested struct {
	shelf   *Shelf
	pending []arrow.Array
	wanted  []uint32
	size    int64

	counts []uint32
	refs   []gather.Ref
	memory gather.Memory
	raw    []byte
	packer packer
}

// pendingMost is how many bytes of values are dealt out together: few, so that
// they are in the processor's cache, but not so few that blocks become tiny.
func (p *nested) pendingMost() int64 {
	return min(max(1<<20, int64(len(p.shelf.chains))<<12), max(1, p.shelf.memory/2))
}

func (p *nested) add(ctx context.Context, a arrow.Array, parts []uint32) error {
	most, size := p.pendingMost(), max(1, gather.Size(a))
	step := int(max(1, int64(a.Len())*most/size))
	for at := 0; at < a.Len(); at += step {
		n := min(step, a.Len()-at)
		p.pending = append(p.pending, array.NewSlice(a, int64(at), int64(at+n)))
		p.wanted = append(p.wanted, parts[at:at+n]...)
		if p.size += size * int64(n) / int64(a.Len()); p.size < most {
			continue
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := p.deal(); err != nil {
			return err
		}
	}
	return nil
}

// deal makes blocks of what is pending.
func (p *nested) deal() error {
	ends := p.spread()
	from := uint32(0)
	for part, to := range ends {
		if to > from {
			if err := p.block(uint32(part), p.refs[from:to]); err != nil {
				return err
			}
		}
		from = to
	}
	p.release()
	return nil
}

// release forgets what is pending.
func (p *nested) release() {
	for _, a := range p.pending {
		a.Release()
	}
	p.pending, p.wanted, p.size = p.pending[:0], p.wanted[:0], 0
}

// spread sorts the rows that are pending by part, and says where parts end among
// refs.
func (p *nested) spread() []uint32 {
	p.counts = slices.Grow(p.counts[:0], len(p.shelf.chains))[:len(p.shelf.chains)]
	clear(p.counts)
	for _, part := range p.wanted {
		if part != None {
			p.counts[part]++
		}
	}
	var n uint32
	for i, c := range p.counts {
		p.counts[i] = n
		n += c
	}
	p.refs = slices.Grow(p.refs[:0], int(n))[:n]
	k := 0
	for slot, a := range p.pending {
		for row := range a.Len() {
			if part := p.wanted[k]; part != None {
				p.refs[p.counts[part]] = gather.Ref{Source: uint32(slot), Row: uint32(row)}
				p.counts[part]++
			}
			k++
		}
	}
	return p.counts
}

// block makes a block of pending rows.
func (p *nested) block(part uint32, refs []gather.Ref) error {
	a, err := p.memory.Column(p.pending, refs)
	if err != nil {
		return err
	}
	defer a.Release()
	p.raw = appendData(p.raw[:0], a.Data())
	return p.shelf.put(part, p.packer.pack(p.raw), uint32(len(refs)))
}

func (p *nested) flush() error {
	err := p.deal()
	p.counts, p.refs, p.raw, p.packer, p.memory = nil, nil, nil, packer{}, gather.Memory{}
	return err
}

func (p *nested) assemble(c *piece) (arrow.Array, error) {
	var arrays []arrow.Array
	refs := make([]gather.Ref, c.rows)
	found := 0
	for c.more() {
		packed, ranks, err := c.block(&p.shelf.store)
		if err != nil {
			return nil, err
		}
		a, err := p.unpacked(packed, c.spare, len(ranks))
		if err != nil {
			return nil, err
		}
		var kept []gather.Ref
		for i, rank := range ranks {
			at := rank - c.from
			if at >= c.rows {
				continue
			}
			refs[at] = gather.Ref{Source: uint32(len(arrays)), Row: uint32(i)}
			if c.some {
				refs[at].Row = uint32(len(kept))
				kept = append(kept, gather.Ref{Row: uint32(i)})
			}
			found++
		}
		if c.some && len(kept) > 0 {
			if a, err = gather.Column([]arrow.Array{a}, kept); err != nil {
				return nil, err
			}
		}
		if !c.some || len(kept) > 0 {
			arrays = append(arrays, a)
		}
	}
	if found != int(c.rows) {
		return nil, lost(found, c.rows)
	}
	return gather.Column(arrays, refs)
}

// unpacked is the values of a block.
func (p *nested) unpacked(packed []byte, spare *spare, rows int) (arrow.Array, error) {
	raw, err := unpack(packed, &spare.plain)
	if err != nil {
		return nil, err
	}
	return arrayOf(raw, p.shelf.like, rows)
}
