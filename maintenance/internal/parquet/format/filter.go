package format

// AppendFilterHeader appends parquet.thrift's BloomFilterHeader of a filter of n
// bytes: in blocks, of xxHash, not compressed.
func AppendFilterHeader(b []byte, n int32) []byte {
	w := &writer{b: b}
	w.i32(1, n)
	for id := int16(2); id <= 4; id++ {
		w.structure(id, func() { w.structure(1, func() {}) })
	}
	return append(w.b, 0)
}
