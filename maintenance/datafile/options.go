package datafile

import "math"

// Options bound how files are read. Zero fields take the defaults.
type Options struct {
	// BatchRows is how many rows a batch has at most: 8192 by default.
	BatchRows int
	// FilesAtOnce is how many files are read at once: four by default.
	FilesAtOnce int
	// BufferBytes is how much memory the buffers of the columns of one file take:
	// 64 MiB by default.
	BufferBytes int64
	// KeyBytes is how much memory the keys of equality deletes may take; none by
	// default. Beyond it, the files' columns that the deletes look at are read
	// beforehand, once for each part of the keys that fits.
	KeyBytes int64
	// Footers says that the files will be read again: their footers are kept there,
	// and files are read where they are, small ones too.
	Footers *Footers
	// Uncommitted says that the files are not part of the table yet, so that they
	// have no row ids but those that are stored.
	Uncommitted bool
}

const (
	// batchRows is how many rows a batch has at most by default.
	batchRows = 8192
	// filesAtOnce is how many files are read at once by default.
	filesAtOnce = 4
	// wholeFile is up to which size files are read at once.
	wholeFile = 8 << 20
	// bufferBytes is the default of Options.BufferBytes. A chunk's buffer is of a
	// size between these.
	bufferBytes           = 64 << 20
	leastChunk, mostChunk = 32 << 10, 1 << 20
)

func (o Options) withDefaults() Options {
	if o.BatchRows <= 0 {
		o.BatchRows = batchRows
	}
	if o.FilesAtOnce <= 0 {
		o.FilesAtOnce = filesAtOnce
	}
	if o.BufferBytes <= 0 {
		o.BufferBytes = bufferBytes
	}
	if o.KeyBytes <= 0 {
		o.KeyBytes = math.MaxInt64
	}
	return o
}

// chunkBuffer is how much of a column chunk is read at once, of a file of which
// that many columns are read.
func (o Options) chunkBuffer(columns int) int64 {
	return min(max(o.BufferBytes/int64(max(1, columns)), leastChunk), mostChunk)
}
