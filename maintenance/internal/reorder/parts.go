package reorder

// partBits is how many bits of a rank tell rows of a part apart: the values of a
// part fit into a processor's cache while they are put in their places.
const partBits = 13

// parts sorts the rows of blocks: by bucket, and in it by part, which are ranks
// that follow each other. Rows of a part keep the old order.
type parts struct {
	// bits is partBits, or 32 if buckets have no parts.
	bits   uint8
	counts []uint32
}

// first is the number of the first part of a bucket, where parts of all buckets
// are numbered through. A bucket begins a new part.
func (p *parts) first(o *Order, bucket int) int {
	if bucket == len(o.starts) {
		return int(uint32(max(0, o.rows-1))>>p.bits) + bucket
	}
	return int(o.starts[bucket]>>p.bits) + bucket
}

// count replaces ranks by the numbers of their parts, and says how many rows
// come before those of each.
func (p *parts) count(o *Order, ranks []uint32) []uint32 {
	n := p.first(o, len(o.starts)) + 1
	if len(p.counts) < n {
		p.counts = make([]uint32, n)
	}
	counts := p.counts[:n]
	clear(counts)
	for i, rank := range ranks {
		if rank == None {
			continue
		}
		id := rank>>p.bits + uint32(o.bucket(rank))
		ranks[i] = id
		counts[id]++
	}
	sum(counts)
	return counts
}

// rows says where the rows with those places are in a block of a bucket that
// begins with the rank start.
func (p *parts) rows(start uint32, places, rows []uint32) {
	base := start >> p.bits
	last := uint32(0)
	for _, place := range places {
		last = max(last, place)
	}
	if n := int((start+last)>>p.bits-base) + 1; len(p.counts) < n {
		p.counts = make([]uint32, n)
	}
	counts := p.counts
	clear(counts)
	for _, place := range places {
		counts[(start+place)>>p.bits-base]++
	}
	sum(counts)
	for i, place := range places {
		id := (start+place)>>p.bits - base
		rows[i] = counts[id]
		counts[id]++
	}
}

// sum replaces counts by how much is before them.
func sum(counts []uint32) {
	var n uint32
	for i, c := range counts {
		counts[i] = n
		n += c
	}
}
