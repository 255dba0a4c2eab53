package splice

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

const (
	// tailBytes is how much of a file's end is read first: its footer and most
	// often its page index.
	tailBytes = 256 << 10
	// readAhead is how much is read at once of files that are not in memory.
	readAhead = 2 << 20
	// maxFooter bounds the footer.
	maxFooter = 64 << 20
	magic     = "PAR1"
)

// input reads a file in few and large pieces, each a request of an object store.
type input struct {
	r    io.ReaderAt
	size int64
	// tail is the end of the file, or all of it; window some other part.
	tail, window     []byte
	tailAt, windowAt int64
}

// newInput reads the end of a file.
func newInput(ctx context.Context, r io.ReaderAt, size int64) (*input, error) {
	n := min(size, tailBytes)
	in := &input{r: r, size: size, tailAt: size - n, tail: make([]byte, n)}
	return in, in.readFull(ctx, in.tail, in.tailAt)
}

func (in *input) readFull(ctx context.Context, b []byte, at int64) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	n, err := in.r.ReadAt(b, at)
	if n == len(b) {
		return nil
	}
	if err == nil || errors.Is(err, io.EOF) {
		err = fmt.Errorf("%w: %w", ErrUnfit, io.ErrUnexpectedEOF)
	}
	return fmt.Errorf("read %d bytes at %d: %w", len(b), at, err)
}

// bytes is n bytes of the file, valid until the next call. Up to limit more may
// be read ahead, as a next call will ask for what follows.
func (in *input) bytes(ctx context.Context, at, n, limit int64) ([]byte, error) {
	if at < 0 || n < 0 || at > in.size-n {
		return nil, fmt.Errorf("%w: %d bytes at %d are beyond its end", ErrUnfit, n, at)
	}
	if at >= in.tailAt {
		return in.tail[at-in.tailAt:][:n:n], nil
	}
	if at < in.windowAt || at+n > in.windowAt+int64(len(in.window)) {
		size := min(max(n, min(readAhead, limit)), in.size-at)
		if int64(cap(in.window)) < size {
			in.window = make([]byte, max(size, min(readAhead, in.size)))
		}
		in.window, in.windowAt = in.window[:size], at
		if err := in.readFull(ctx, in.window, at); err != nil {
			in.window = in.window[:0]
			return nil, err
		}
	}
	return in.window[at-in.windowAt:][:n:n], nil
}

// footer is the bytes of the footer and where it begins.
func (in *input) footer(ctx context.Context) ([]byte, int64, error) {
	length, err := footerLength(in.tail)
	if err != nil {
		return nil, 0, err
	}
	at := in.size - 8 - length
	if at < int64(len(magic)) {
		return nil, 0, fmt.Errorf("%w: its footer of %d bytes is longer than the file", ErrUnfit, length)
	}
	if at >= in.tailAt {
		return in.tail[at-in.tailAt:][:length], at, nil
	}
	b := make([]byte, length)
	return b, at, in.readFull(ctx, b, at)
}

// footerLength reads the last eight bytes of a file.
func footerLength(tail []byte) (int64, error) {
	if len(tail) < 8+len(magic) {
		return 0, fmt.Errorf("%w: %d bytes are no Parquet file", ErrUnfit, len(tail))
	}
	end := tail[len(tail)-8:]
	if string(end[4:]) != magic {
		return 0, fmt.Errorf("%w: it ends with %q instead of %q", ErrUnfit, end[4:], magic)
	}
	length := int64(binary.LittleEndian.Uint32(end))
	if length > maxFooter {
		return 0, fmt.Errorf("%w: its footer of %d bytes is longer than %d", ErrUnfit, length, maxFooter)
	}
	return length, nil
}

// footerBytes is the footer of a file in memory.
func footerBytes(file []byte) ([]byte, error) {
	length, err := footerLength(file)
	if err != nil {
		return nil, err
	}
	at := int64(len(file)) - 8 - length
	if at < int64(len(magic)) {
		return nil, fmt.Errorf("%w: its footer of %d bytes is longer than the file", ErrUnfit, length)
	}
	return file[at:][:length], nil
}

// indexBytes is n bytes of an index, which may lie anywhere; it does not disturb
// what is read ahead.
func (in *input) indexBytes(ctx context.Context, at, n int64) ([]byte, error) {
	if at < 0 || n < 0 || n > maxFooter || at > in.size-n {
		return nil, fmt.Errorf("%w: an index of %d bytes at %d is beyond its end", ErrUnfit, n, at)
	}
	if at >= in.tailAt {
		return in.tail[at-in.tailAt:][:n:n], nil
	}
	b := make([]byte, n)
	return b, in.readFull(ctx, b, at)
}
