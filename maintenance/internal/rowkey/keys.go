package rowkey

// Keys are the keys of some rows.
type Keys struct {
	// Data is all keys one after the other, and key i ends before Ends[i].
	Data []byte
	Ends []uint32
}

// Len is how many keys there are.
func (k Keys) Len() int { return len(k.Ends) }

// At is key i, which must not be changed.
func (k Keys) At(i int) []byte {
	var from uint32
	if i > 0 {
		from = k.Ends[i-1]
	}
	return k.Data[from:k.Ends[i]:k.Ends[i]]
}

// Size is how many bytes the keys take.
func (k Keys) Size() int64 { return int64(cap(k.Data)) + 4*int64(cap(k.Ends)) }

// Uniform says whether all keys are of a length.
func (k Keys) Uniform(length int) bool {
	for i, end := range k.Ends {
		if int(end) != (i+1)*length {
			return false
		}
	}
	return true
}
