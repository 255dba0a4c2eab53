package avrofile

import (
	"bytes"
	"fmt"
	"runtime"
	"strconv"
	"strings"
	"sync"

	"github.com/klauspost/compress/flate"
	"github.com/klauspost/compress/zstd"
	"github.com/twmb/avro/ocf"

	"github.com/firndb/firn/maintenance"
)

// The names of the codecs, as table properties have them.
const (
	Uncompressed = "uncompressed"
	Snappy       = "snappy"
	Gzip         = "gzip"
	Zstd         = "zstd"
)

// Codec is how the blocks of files are compressed. It may be used by several
// files at once.
type Codec struct{ ocf.Codec }

// The levels that Java's Avro takes by default.
const (
	gzipLevel = 9
	zstdLevel = 1
)

// NewCodec is the codec of that name, in any case, with a level, or if that is
// empty with Java's. Codecs without levels take any. The error wraps
// maintenance.ErrUnsupported if there is no such codec, and maintenance.ErrInvalid
// if it has no such level.
func NewCodec(name, level string) (Codec, error) {
	switch strings.ToLower(name) {
	case Uncompressed:
		return Codec{}, nil
	case Snappy:
		return Codec{ocf.SnappyCodec()}, nil
	case Gzip:
		n, err := levelOf(level, gzipLevel)
		if err == nil && (n < flate.DefaultCompression || n > flate.BestCompression) {
			err = fmt.Errorf("%w: it must be 0 to %d for %s, or -1 for its default: got %q", maintenance.ErrInvalid, flate.BestCompression, Gzip, level)
		}
		return Codec{&deflate{Codec: ocf.DeflateCodec(n), level: n, writers: &sync.Pool{}}}, err
	case Zstd:
		n, err := levelOf(level, zstdLevel)
		if err != nil {
			return Codec{}, err
		}
		codec, err := ocf.ZstdCodec([]zstd.EOption{
			zstd.WithEncoderLevel(zstd.EncoderLevelFromZstd(n)), zstd.WithEncoderConcurrency(runtime.GOMAXPROCS(0)), zstd.WithEncoderCRC(false),
		}, nil)
		return Codec{ocf.NopCloser(codec)}, err
	}
	return Codec{}, fmt.Errorf("%w: there is no codec %q; allowed are %s, %s, %s and %s", maintenance.ErrUnsupported, name, Gzip, Zstd, Snappy, Uncompressed)
}

func levelOf(text string, otherwise int) (int, error) {
	if text == "" {
		return otherwise, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		return 0, fmt.Errorf("%w: it must be a whole number: got %q", maintenance.ErrInvalid, text)
	}
	return n, nil
}

// deflate is the library's codec with writers that are used again: one takes a
// megabyte to make, for a block of 64 kB.
type deflate struct {
	ocf.Codec
	level   int
	writers *sync.Pool
}

// Compress implements ocf.Codec.
func (d *deflate) Compress(block []byte) ([]byte, error) {
	var out bytes.Buffer
	w, ok := d.writers.Get().(*flate.Writer)
	if ok {
		w.Reset(&out)
	} else {
		var err error
		if w, err = flate.NewWriter(&out, d.level); err != nil {
			return nil, err
		}
	}
	defer d.writers.Put(w)
	if _, err := w.Write(block); err != nil {
		return nil, err
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}
