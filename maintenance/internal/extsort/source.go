package extsort

import "github.com/firndb/firn/maintenance/internal/rowkey"

// source is a run that is being read: in scratch space, or in memory.
type source struct {
	digest *digest
	// items are open, those from at on not read yet. keys are theirs if the digest
	// is not exact.
	items []item
	at    int

	// base is added to the numbers of rows.
	base uint32

	// next is the block to be opened of a run in scratch space.
	run  *run
	next int
	keys rowkey.Keys
	// remap is for a run of prefixes, if the digest is exact.
	remap *remap

	// rest is not open yet of a run in memory.
	rest []item
	find locator
}

func newSource(d *digest, r *run, base uint32) *source {
	s := &source{digest: d, run: r, base: base}
	if d.exact {
		s.remap = d.remap(r.digest)
	}
	return s
}

// open opens more rows if all have been read. It reports whether there are any.
func (s *source) open() (bool, error) {
	if s.at < len(s.items) {
		return true, nil
	}
	s.at = 0
	if s.run == nil {
		n := min(len(s.rest), mostBlock)
		s.items, s.rest = s.rest[:n], s.rest[n:]
		for i := range s.items {
			s.items[i].row += s.base
		}
		return n > 0, nil
	}
	s.items = s.items[:0]
	if s.next == len(s.run.blocks) {
		return false, nil
	}
	s.next++
	if s.run.digest != nil {
		return true, s.readPacked(s.next - 1)
	}
	rows, keys, err := s.run.readKeys(s.next - 1)
	if err != nil {
		return false, err
	}
	s.keys = keys
	for i, row := range rows {
		s.items = append(s.items, item{s.digest.prefix(keys.At(i)), s.base + row, uint32(i)})
	}
	return true, nil
}

// readPacked reads a block of prefixes, and makes keys of them if they have become
// too few bits to tell all keys apart.
func (s *source) readPacked(block int) (err error) {
	if s.items, err = s.run.readPacked(block, s.items); err != nil {
		return err
	}
	if s.digest.exact {
		for i := range s.items {
			it := &s.items[i]
			it.row += s.base
			it.prefix = s.remap.of(it.prefix)
		}
		return nil
	}
	s.keys = rowkey.Keys{}
	for i := range s.items {
		it := &s.items[i]
		it.row += s.base
		from := len(s.keys.Data)
		s.keys.Data = s.run.digest.append(s.keys.Data, it.prefix)
		it.prefix = s.digest.prefix(s.keys.Data[from:])
		s.keys.Ends = append(s.keys.Ends, uint32(len(s.keys.Data)))
	}
	return nil
}

// key is the key of an open item.
func (s *source) key(it item) []byte {
	if s.run == nil {
		return s.find.key(it.ref)
	}
	return s.keys.At(int(it.ref))
}
