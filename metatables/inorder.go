package metatables

import (
	"context"
	"fmt"
	"iter"
	"sync"
)

const (
	// readAhead is how many manifests or manifest lists are read at once.
	readAhead = 8
	// pieceSize is how many values a reader gathers before handing them over:
	// few, as one entry of a table of a thousand columns is 100 kB.
	pieceSize = 64
)

// piece is a run of values read from one item, or the error that ended it.
type piece[O any] struct {
	values []O
	err    error
}

// inOrder is piecesInOrder with pieces of pieceSize values, which need no
// release.
func inOrder[I, O any](ctx context.Context, items []I, read func(ctx context.Context, item I, emit func(O) error) error) iter.Seq2[O, error] {
	return piecesInOrder(ctx, items, pieceSize, func(O) {}, read)
}

// piecesInOrder reads items concurrently and yields what they hold in their order.
// read hands values to emit and stops when emit fails. Readers that are ahead
// of the consumer wait, so that memory stays bounded. When the consumer stops,
// or ctx is done, all readers have ended and values that were not yielded have
// been released before the iteration returns. size is how many values a reader
// gathers before it hands them over.
func piecesInOrder[I, O any](ctx context.Context, items []I, size int, release func(O), read func(ctx context.Context, item I, emit func(O) error) error) iter.Seq2[O, error] {
	return func(yield func(O, error) bool) {
		ctx, cancel := context.WithCancel(ctx)
		var readers sync.WaitGroup
		queue := make(chan chan piece[O], readAhead-1)
		var current chan piece[O]
		defer func() {
			cancel()
			discard(current, release)
			for pieces := range queue {
				discard(pieces, release)
			}
			readers.Wait()
		}()
		readers.Go(func() {
			defer close(queue)
			for _, item := range items {
				pieces := make(chan piece[O], 1)
				select {
				case queue <- pieces:
				case <-ctx.Done():
					return
				}
				readers.Go(func() { readPieces(ctx, item, pieces, size, release, read) })
			}
		})
		var none O
		for current = range queue {
			for p := range current {
				for i, v := range p.values {
					if !yield(v, nil) {
						releaseAll(p.values[i+1:], release)
						return
					}
				}
				if p.err != nil {
					yield(none, p.err)
					return
				}
			}
		}
		if err := ctx.Err(); err != nil {
			yield(none, err)
		}
	}
}

// discard releases what a reader still hands over until it ends; nil is none.
func discard[O any](pieces <-chan piece[O], release func(O)) {
	if pieces == nil {
		return
	}
	for p := range pieces {
		releaseAll(p.values, release)
	}
}

func releaseAll[O any](values []O, release func(O)) {
	for _, v := range values {
		release(v)
	}
}

// readPieces reads one item into pieces and closes it. A panic of the reader,
// which a damaged file may cause deep in a decoder, becomes an error.
func readPieces[I, O any](ctx context.Context, item I, pieces chan<- piece[O], size int, release func(O), read func(context.Context, I, func(O) error) error) {
	defer close(pieces)
	send := func(p piece[O]) error {
		select {
		case pieces <- p:
			return nil
		case <-ctx.Done():
			releaseAll(p.values, release)
			return ctx.Err()
		}
	}
	var values []O
	emit := func(v O) error {
		values = append(values, v)
		if len(values) < size {
			return nil
		}
		full := values
		values = nil
		return send(piece[O]{values: full})
	}
	err := recovered(func() error { return read(ctx, item, emit) })
	if len(values) > 0 || err != nil {
		_ = send(piece[O]{values: values, err: err})
	}
}

// recovered runs f and returns its panic as an error.
func recovered(f func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("unexpected content: %v", p)
		}
	}()
	return f()
}
