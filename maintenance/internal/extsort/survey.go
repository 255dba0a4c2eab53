package extsort

import (
	"encoding/binary"

	"github.com/firndb/firn/maintenance/internal/rowkey"
)

// scanned is how many bytes of keys are looked at for differences.
const scanned = 64

// survey is what keys have in common.
type survey struct {
	// first is one of them; differ has the bits in which some key is not like it.
	// Keys that end earlier count as followed by zeros.
	first  [scanned]byte
	differ [scanned]byte
	// length is that of all keys, -1 if they differ in length; seen says that there
	// are any.
	length int
	seen   bool
}

// add takes in keys.
func (s *survey) add(keys rowkey.Keys) {
	if keys.Len() == 0 {
		return
	}
	if !s.seen {
		copy(s.first[:], keys.At(0))
		s.length, s.seen = len(keys.At(0)), true
	}
	if n := s.length; n >= 8 && keys.Uniform(n) {
		for at := 0; at < min(n, scanned); at += 8 {
			s.words(keys.Data, min(at, min(n, scanned)-8))
		}
		return
	}
	for i := range keys.Len() {
		s.key(keys.At(i))
	}
}

// words takes in eight bytes of each key of many that are as long as all.
func (s *survey) words(data []byte, at int) {
	first, differ := binary.LittleEndian.Uint64(s.first[at:]), binary.LittleEndian.Uint64(s.differ[at:])
	for from := at; from+8 <= len(data); from += s.length {
		differ |= binary.LittleEndian.Uint64(data[from:]) ^ first
	}
	binary.LittleEndian.PutUint64(s.differ[at:], differ)
}

func (s *survey) key(key []byte) {
	if len(key) != s.length {
		s.length = -1
	}
	at := 0
	for ; at+8 <= min(len(key), scanned); at += 8 {
		d := binary.LittleEndian.Uint64(key[at:]) ^ binary.LittleEndian.Uint64(s.first[at:])
		binary.LittleEndian.PutUint64(s.differ[at:], binary.LittleEndian.Uint64(s.differ[at:])|d)
	}
	if s.length < 0 {
		for ; at < scanned; at++ {
			s.differ[at] |= byteAt(key, at) ^ s.first[at]
		}
		return
	}
	for ; at < min(len(key), scanned); at++ {
		s.differ[at] |= key[at] ^ s.first[at]
	}
}

// join takes in another survey.
func (s *survey) join(other survey) {
	switch {
	case !other.seen:
		return
	case !s.seen:
		*s = other
		return
	case s.length != other.length:
		s.length = -1
	}
	for i := range s.differ {
		s.differ[i] |= other.differ[i] | (s.first[i] ^ other.first[i])
	}
}

func byteAt(key []byte, at int) byte {
	if at < len(key) {
		return key[at]
	}
	return 0
}
