package datafile

import (
	"errors"
	"fmt"
	"io"

	"github.com/apache/iceberg-go"
	iceio "github.com/apache/iceberg-go/io"
	"github.com/apache/iceberg-go/table/dv"

	"github.com/firndb/firn/maintenance"
)

const (
	// largestVector is how many bytes a deletion vector may have.
	largestVector = 256 << 20
	// skipped is how many bytes before a vector are rather read than asked for
	// the vector alone, which is another request.
	skipped = 1 << 20
)

// readVector reads a deletion vector: the bytes of its Puffin file that the
// manifest tells, without the file's footer (Java: BaseDeleteLoader.readDV).
func readVector(fs iceio.IO, f iceberg.DataFile) (*dv.RoaringPositionBitmap, error) {
	bitmap, err := vectorOf(fs, f)
	if err != nil {
		return nil, fmt.Errorf("deletion vector in %q: %w", f.FilePath(), err)
	}
	return bitmap, nil
}

func vectorOf(fs iceio.IO, f iceberg.DataFile) (bitmap *dv.RoaringPositionBitmap, err error) {
	offset, size := f.ContentOffset(), f.ContentSizeInBytes()
	if offset == nil || size == nil || *offset < 0 || *size <= 0 || *size > largestVector {
		return nil, fmt.Errorf("%w: its manifest does not say where it is", maintenance.ErrCorrupt)
	}
	file, err := fs.Open(f.FilePath())
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	b := make([]byte, *size)
	if *offset <= skipped {
		if _, err = io.CopyN(io.Discard, file, *offset); err == nil {
			_, err = io.ReadFull(file, b)
		}
	} else {
		_, err = file.ReadAt(b, *offset)
	}
	if err != nil {
		return nil, err
	}
	return dv.DeserializeDV(b, f.Count())
}
