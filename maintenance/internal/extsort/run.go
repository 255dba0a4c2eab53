package extsort

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/klauspost/compress/s2"

	"github.com/firndb/firn/maintenance/internal/rowkey"
	"github.com/firndb/firn/maintenance/internal/scratch"
)

// run is rows in order in scratch space, as blocks.
type run struct {
	log    *scratch.Log
	blocks []scratch.Place
	survey survey
}

// block is some rows in order with their keys.
type block struct {
	keys rowkey.Keys
	rows []uint32
}

func (b *block) add(key []byte, row uint32) {
	b.keys.Data = append(b.keys.Data, key...)
	b.end(row)
}

// end adds a row whose key is appended already.
func (b *block) end(row uint32) {
	b.keys.Ends = append(b.keys.Ends, uint32(len(b.keys.Data)))
	b.rows = append(b.rows, row)
}

// append writes a block at the end.
func (r *run) append(b block) error {
	n := len(b.rows)
	raw := make([]byte, 0, 4+8*n+len(b.keys.Data))
	raw = binary.LittleEndian.AppendUint32(raw, uint32(n))
	raw = append(raw, arrow.GetBytes(b.rows)...)
	raw = append(raw, arrow.GetBytes(b.keys.Ends)...)
	raw = append(raw, b.keys.Data...)
	at, err := r.log.Append(s2.Encode(nil, raw))
	r.blocks = append(r.blocks, at)
	return err
}

var errBlock = errors.New("a scratch file is damaged")

// read reads block i.
func (r *run) read(i int) (block, error) {
	packed, err := r.log.Read(r.blocks[i])
	if err != nil {
		return block{}, err
	}
	raw, err := s2.Decode(nil, packed)
	if err != nil {
		return block{}, fmt.Errorf("%w: %w", errBlock, err)
	}
	if len(raw) < 4 {
		return block{}, errBlock
	}
	n := int(binary.LittleEndian.Uint32(raw))
	raw = raw[4:]
	if n == 0 || n > len(raw)/8 {
		return block{}, errBlock
	}
	b := block{rows: arrow.GetData[uint32](raw[:4*n])}
	b.keys = rowkey.Keys{Ends: arrow.GetData[uint32](raw[4*n : 8*n]), Data: raw[8*n:]}
	if int(b.keys.Ends[n-1]) != len(b.keys.Data) {
		return block{}, errBlock
	}
	return b, nil
}
