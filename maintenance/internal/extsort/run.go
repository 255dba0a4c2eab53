package extsort

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math/bits"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/klauspost/compress/s2"

	"github.com/firndb/firn/maintenance/internal/rowkey"
	"github.com/firndb/firn/maintenance/internal/scratch"
)

// run is rows in order in scratch space, as blocks.
type run struct {
	log    *scratch.Log
	blocks []scratch.Place
	// digest is exact and has made the prefixes that blocks have; it is nil if they
	// have whole keys.
	digest *digest
}

// append writes a block at the end. Whole keys are found by what items refer to.
func (r *run) append(items []item, key func(ref uint32) []byte) error {
	var raw []byte
	if r.digest != nil {
		raw = appendPacked(nil, items)
	} else {
		raw = s2.Encode(nil, withKeys(items, key))
	}
	at, err := r.log.Append(raw)
	r.blocks = append(r.blocks, at)
	return err
}

// withKeys is a block of whole keys: how many rows there are, their numbers, where
// their keys end, and these.
func withKeys(items []item, key func(ref uint32) []byte) []byte {
	le, n := binary.LittleEndian, len(items)
	head := 4 + 8*n
	raw := make([]byte, head, head+n*(len(key(items[0].ref))+1))
	le.PutUint32(raw, uint32(n))
	for i, it := range items {
		raw = append(raw, key(it.ref)...)
		le.PutUint32(raw[4+4*i:], it.row)
		le.PutUint32(raw[4+4*(n+i):], uint32(len(raw)-head))
	}
	return raw
}

var errBlock = errors.New("a scratch file is damaged")

// readKeys reads block i of whole keys.
func (r *run) readKeys(i int) (rows []uint32, keys rowkey.Keys, err error) {
	packed, err := r.log.Read(r.blocks[i])
	if err != nil {
		return nil, keys, err
	}
	raw, err := s2.Decode(nil, packed)
	if err != nil {
		return nil, keys, fmt.Errorf("%w: %w", errBlock, err)
	}
	if len(raw) < 4 {
		return nil, keys, errBlock
	}
	n := int(binary.LittleEndian.Uint32(raw))
	raw = raw[4:]
	if n == 0 || n > len(raw)/8 {
		return nil, keys, errBlock
	}
	keys = rowkey.Keys{Ends: arrow.GetData[uint32](raw[4*n : 8*n]), Data: raw[8*n:]}
	if int(keys.Ends[n-1]) != len(keys.Data) {
		return nil, keys, errBlock
	}
	return arrow.GetData[uint32](raw[:4*n]), keys, nil
}

// readPacked appends the rows of block i.
func (r *run) readPacked(i int, items []item) ([]item, error) {
	raw, err := r.log.Read(r.blocks[i])
	if err != nil {
		return nil, err
	}
	return unpackItems(items, raw)
}

// A packed block has, in little-endian order, how many rows there are, the first
// prefix and the least number, and in how many bytes each row has how much its
// prefix is above the one before and how much its number is above the least. What
// follows lets all of them be read as eight bytes.
const packedHead, packedTail = 4 + 8 + 4 + 2, 8

func appendPacked(dst []byte, items []item) []byte {
	least, most, last := items[0].row, items[0].row, items[0].prefix
	var steps uint64
	for _, it := range items {
		steps |= it.prefix - last
		last, least, most = it.prefix, min(least, it.row), max(most, it.row)
	}
	step, row := (bits.Len64(steps)+7)/8, (bits.Len32(most-least)+7)/8
	le := binary.LittleEndian
	dst = le.AppendUint32(dst, uint32(len(items)))
	dst = le.AppendUint64(dst, items[0].prefix)
	dst = le.AppendUint32(dst, least)
	dst = append(dst, byte(step), byte(row))
	at := len(dst)
	dst = append(dst, make([]byte, len(items)*(step+row)+packedTail)...)
	last = items[0].prefix
	for _, it := range items {
		le.PutUint64(dst[at:], it.prefix-last)
		le.PutUint64(dst[at+step:], uint64(it.row-least))
		at += step + row
		last = it.prefix
	}
	return dst
}

// unpackItems appends the rows of a packed block. They refer to their place in it.
func unpackItems(items []item, raw []byte) ([]item, error) {
	if len(raw) < packedHead+packedTail {
		return nil, errBlock
	}
	le := binary.LittleEndian
	n, prefix, least := int(le.Uint32(raw)), le.Uint64(raw[4:]), le.Uint32(raw[12:])
	step, row := int(raw[16]), int(raw[17])
	if n == 0 || n > mostBlock || step > 8 || row > 4 || len(raw) != packedHead+n*(step+row)+packedTail {
		return nil, errBlock
	}
	stepMask, rowMask := lowBytes(step), lowBytes(row)
	raw = raw[packedHead:]
	for i := range n {
		at := i * (step + row)
		prefix += le.Uint64(raw[at:]) & stepMask
		items = append(items, item{prefix, least + uint32(le.Uint64(raw[at+step:])&rowMask), uint32(i)})
	}
	return items, nil
}

func lowBytes(n int) uint64 {
	if n == 8 {
		return ^uint64(0)
	}
	return 1<<(8*n) - 1
}
