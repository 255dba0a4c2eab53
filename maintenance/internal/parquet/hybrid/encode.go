package hybrid

import "encoding/binary"

// minRun is how often a number must repeat to be written as a run.
const minRun = 8

// Append appends numbers of width bits. Numbers that do not fit lose their
// upper bits.
func Append[T uint8 | uint32](b []byte, values []T, width int) []byte {
	packed := 0 // where the numbers that are not written yet begin
	for at := 0; at < len(values); {
		run := runLength(values[at:])
		// A bit-packed part is whole groups of eight, unless it is the last: what
		// is missing is taken from the run.
		missing := (8 - (at-packed)%8) % 8
		if run-missing < minRun {
			at += run
			continue
		}
		b = appendPacked(b, values[packed:at+missing], width)
		b = appendRun(b, values[at], run-missing, width)
		at += run
		packed = at
	}
	return appendPacked(b, values[packed:], width)
}

func runLength[T uint8 | uint32](values []T) int {
	n := 1
	for n < len(values) && values[n] == values[0] {
		n++
	}
	return n
}

func appendRun[T uint8 | uint32](b []byte, v T, n, width int) []byte {
	b = binary.AppendUvarint(b, uint64(n)<<1)
	for i := range (width + 7) / 8 {
		b = append(b, byte(uint32(v)>>(8*i)))
	}
	return b
}

func appendPacked[T uint8 | uint32](b []byte, values []T, width int) []byte {
	if len(values) == 0 {
		return b
	}
	groups := (len(values) + 7) / 8
	b = binary.AppendUvarint(b, uint64(groups)<<1|1)
	end := len(b) + groups*width
	mask := uint64(1)<<width - 1
	var bits uint64
	have := 0
	for _, v := range values {
		bits |= (uint64(v) & mask) << have
		have += width
		if have >= 32 {
			b = binary.LittleEndian.AppendUint32(b, uint32(bits))
			bits >>= 32
			have -= 32
		}
	}
	for have > 0 {
		b = append(b, byte(bits))
		bits >>= 8
		have -= 8
	}
	for len(b) < end {
		b = append(b, 0)
	}
	return b
}
