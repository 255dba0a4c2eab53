package inflate

import (
	"encoding/binary"
	"errors"
	"slices"
)

var (
	// ErrCorrupt is of what is not DEFLATE, or has no end.
	ErrCorrupt = errors.New("the deflated data is corrupt")
	// ErrTooLong is of output that is longer than allowed.
	ErrTooLong = errors.New("the inflated data is too long")
)

// Decoder decompresses, one input at a time.
type Decoder struct {
	meanings  *meanings
	literals  [literalSize]entry
	distances [distanceSize]entry
	heads     [1 << headBits]entry
	lengths   [maxLiterals + maxDistances]uint8
	// fixed says that the tables are those of blocks without tables.
	fixed bool

	in
	dst []byte
	// out is how much of dst is written, most how long it may become.
	out, most int
}

// NewDecoder makes a decoder.
func NewDecoder() *Decoder { return &Decoder{meanings: newMeanings()} }

// Decode decompresses src into the room of dst, which it replaces with more if need
// be. What follows on the end in src is passed over. The error is ErrCorrupt, or
// ErrTooLong for output of more than most bytes.
func (d *Decoder) Decode(dst, src []byte, most int) ([]byte, error) {
	d.in, d.dst, d.out, d.most = in{src: src}, dst[:cap(dst)], 0, most
	defer func() { d.src, d.dst = nil, nil }()
	for last := false; !last; {
		d.refill()
		head := d.bits(3)
		last = head&1 != 0
		var err error
		switch head >> 1 {
		case 0:
			err = d.stored()
		case 1:
			d.makeFixed()
			err = d.block()
		case 2:
			if err = d.readTables(); err == nil {
				err = d.block()
			}
		default:
			err = ErrCorrupt
		}
		if err != nil {
			return nil, err
		}
	}
	if d.out > most {
		return nil, ErrTooLong
	}
	return d.dst[:d.out], nil
}

// in is input: held has its next bits, at least n. Behind its end there are
// zeros, of which over counts the bytes that were held.
type in struct {
	src  []byte
	at   int
	held uint64
	n    uint
	over int
}

// refill holds 56 bits at least.
func (i *in) refill() {
	if i.at+8 <= len(i.src) {
		i.held |= binary.LittleEndian.Uint64(i.src[i.at:]) << (i.n & 63)
		i.at += int(63-i.n) >> 3
		i.n |= 56
		return
	}
	for ; i.n < 56; i.n += 8 {
		if i.at < len(i.src) {
			i.held |= uint64(i.src[i.at]) << i.n
			i.at++
		} else {
			i.over++
		}
	}
}

// ended says that bits behind the end were taken.
func (i *in) ended() bool { return i.over > 0 && 8*i.over > int(i.n) }

// bits takes bits that are held.
func (i *in) bits(n uint) int {
	v := i.held & (1<<n - 1)
	i.held >>= n
	i.n -= n
	return int(v)
}

// stored copies a block that is not compressed.
func (d *Decoder) stored() error {
	from := d.at + d.over - int(d.n>>3)
	if from+4 > len(d.src) {
		return ErrCorrupt
	}
	n := int(binary.LittleEndian.Uint16(d.src[from:]))
	if binary.LittleEndian.Uint16(d.src[from+2:]) != ^uint16(n) || n > len(d.src)-from-4 {
		return ErrCorrupt
	}
	if err := d.grow(n); err != nil {
		return err
	}
	copy(d.dst[d.out:], d.src[from+4:from+4+n])
	d.out += n
	d.in = in{src: d.src, at: from + 4 + n}
	return nil
}

// makeFixed makes the tables of RFC 1951, section 3.2.6.
func (d *Decoder) makeFixed() {
	if d.fixed {
		return
	}
	d.fixed = true
	lengths := d.lengths[:maxLiterals]
	for i := range lengths {
		switch {
		case i < 144:
			lengths[i] = 8
		case i < 256:
			lengths[i] = 9
		case i < 280:
			lengths[i] = 7
		default:
			lengths[i] = 8
		}
	}
	fill(d.literals[:], literalBits, lengths, d.meanings.literals[:])
	lengths = d.lengths[:maxDistances]
	for i := range lengths {
		lengths[i] = 5
	}
	fill(d.distances[:], distanceBits, lengths, d.meanings.distances[:])
}

// readTables reads the lengths of a block's codes (RFC 1951, section 3.2.7).
func (d *Decoder) readTables() error {
	d.fixed = false
	literals, distances, heads := 257+d.bits(5), 1+d.bits(5), 4+d.bits(4)
	if literals > 286 || distances > 30 {
		return ErrCorrupt
	}
	var lengths [maxHeads]uint8
	for i, head := range d.meanings.order[:heads] {
		if i%16 == 0 {
			d.refill()
		}
		lengths[head] = uint8(d.bits(3))
	}
	if !fill(d.heads[:], headBits, lengths[:], d.meanings.heads[:]) {
		return ErrCorrupt
	}
	all := d.lengths[:literals+distances]
	for i := 0; i < len(all); {
		d.refill()
		e := d.heads[d.held&(1<<headBits-1)]
		if e&special != 0 || d.ended() {
			return ErrCorrupt
		}
		d.bits(uint(e & 63))
		value, times := uint8(e.value()), 1
		switch value {
		case 16:
			if i == 0 {
				return ErrCorrupt
			}
			value, times = all[i-1], 3+d.bits(2)
		case 17:
			value, times = 0, 3+d.bits(3)
		case 18:
			value, times = 0, 11+d.bits(7)
		}
		if times > len(all)-i {
			return ErrCorrupt
		}
		for ; times > 0; times-- {
			all[i] = value
			i++
		}
	}
	if !fill(d.literals[:], literalBits, all[:literals], d.meanings.literals[:]) || !fill(d.distances[:], distanceBits, all[literals:], d.meanings.distances[:]) {
		return ErrCorrupt
	}
	return nil
}

// grow makes room for n bytes and those that copy may write beyond.
func (d *Decoder) grow(n int) error {
	if d.out > d.most {
		return ErrTooLong
	}
	if len(d.dst)-d.out < n+room {
		more := slices.Grow(d.dst[:d.out], max(n+room, d.out, 4*len(d.src)))
		d.dst = more[:cap(more)]
	}
	return nil
}
