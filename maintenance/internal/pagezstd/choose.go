package pagezstd

import (
	"encoding/binary"

	"github.com/apache/arrow-go/v18/parquet/compress"
	"github.com/klauspost/compress/huff0"
)

// leastPage is from how many bytes on it is worth to find out what pays.
const leastPage = 32 << 10

// window is how many bytes make a repetition. Shorter ones, which a sample
// shows, lie close together if they are to pay.
const window = 12

// repeats says whether a page has long repetitions, however far apart. Windows
// are looked at where their own bytes say so, one in sixteen, so that the same
// ones are looked at wherever they are.
func (l *literals) repeats(src []byte) bool {
	clear(l.seen[:])
	looked, found := 1, 0
	for i := 0; i+window <= len(src); i++ {
		h := binary.LittleEndian.Uint64(src[i:]) * 0x9E3779B97F4A7C15
		if h>>60 != 0 {
			continue
		}
		looked++
		at := &l.seen[h>>(60-14)&(1<<14-1)]
		if n := int(*at); n > 0 && string(src[n-1:n-1+window]) == string(src[i:i+window]) {
			found++
		}
		*at = uint32(i) + 1
	}
	return found*64 > looked
}

// sample is a part of a page from its middle.
func sample(src []byte) []byte {
	n := min(max(len(src)/16, 8<<10), 32<<10)
	return src[(len(src)-n)/2:][:n]
}

// suffice says whether Huffman codes alone come close to what the compressor
// makes of a sample: within a twelfth.
func (l *literals) suffice(sample []byte, stock compress.Codec) bool {
	l.huffman.Reuse = huff0.ReusePolicyNone
	table, data, _, err := huff0.EstimateSizes(sample, &l.huffman)
	if err != nil {
		return false
	}
	if n := int(stock.CompressBound(int64(len(sample)))); cap(l.small) < n {
		l.small = make([]byte, n)
	}
	best := len(stock.EncodeLevel(l.small, sample, compress.DefaultCompressionLevel))
	// Random bytes are stored as they are by either, and the compressor is quick
	// to see it.
	return table+data < len(sample)*15/16 && table+data <= best+best/12
}
