package zcurve

import "encoding/binary"

// Column is what a column contributes: Width bytes of every row.
type Column struct {
	Width int
	Data  []byte
}

func (c Column) at(row, b int) byte { return c.Data[row*c.Width+b] }

// ZOrder interleaves the bits of the columns of every row: the highest bit of
// each column in turn, then the next ones, leaving out columns that have no more
// (ZOrderByteUtils.interleaveBits). Of the result the first maxBytes count.
func ZOrder(columns []Column, rows, maxBytes int) (width int, places []byte) {
	for _, c := range columns {
		width += c.Width
	}
	width = min(width, maxBytes)
	places = make([]byte, width*rows)
	at := 0
	for b := 0; at < width; b++ {
		var active []Column
		for _, c := range columns {
			if c.Width > b {
				active = append(active, c)
			}
		}
		take := min(len(active), width-at)
		if len(active) <= maxSpread {
			interleave(active, rows, b, take, places[at:], width)
		} else {
			interleaveBits(active, rows, b, take, places[at:], width)
		}
		at += take
	}
	return width, places
}

// maxSpread is up to how many columns a byte of each fits into a word.
const maxSpread = 8

// interleave interleaves byte b of the columns and writes take bytes for every
// row, stride bytes apart.
func interleave(columns []Column, rows, b, take int, dst []byte, stride int) {
	spread := spreadTable(len(columns))
	var word [8]byte
	for row := range rows {
		var bits uint64
		for i, c := range columns {
			bits |= spread[c.at(row, b)] >> i
		}
		binary.BigEndian.PutUint64(word[:], bits)
		copy(dst[row*stride:], word[:take])
	}
}

// spreadTable has for every byte its bits n places apart, from the highest bit of
// a word on.
func spreadTable(n int) *[256]uint64 {
	var t [256]uint64
	for v := range t {
		for bit := range 8 {
			if v&(0x80>>bit) != 0 {
				t[v] |= 1 << (63 - bit*n)
			}
		}
	}
	return &t
}

// interleaveBits does the same bit by bit, for any number of columns.
func interleaveBits(columns []Column, rows, b, take int, dst []byte, stride int) {
	for row := range rows {
		for out := range take * 8 {
			c, bit := columns[out%len(columns)], out/len(columns)
			if c.at(row, b)&(0x80>>bit) != 0 {
				dst[row*stride+out/8] |= 0x80 >> (out % 8)
			}
		}
	}
}
