package extsort

import (
	"context"
	"iter"

	"golang.org/x/sync/errgroup"

	"github.com/firndb/firn/guard"
)

const (
	// manySources is from how many on sources are merged by several goroutines.
	manySources = 4
	// streamed is how many chunks of a stream are under way.
	streamed = 4
)

// stream is what a goroutine merges, on its way to another, which gives chunks
// back when it has read them.
type stream struct{ full, empty chan *Chunk }

// mergeAll merges sources: many by two goroutines, each a half of them, and the
// caller's, which merges what these yield.
func mergeAll(ctx context.Context, sources []*source, most int64) iter.Seq2[Chunk, error] {
	if len(sources) < manySources {
		return newMerger(sources, most).all(ctx)
	}
	return func(yield func(Chunk, error) bool) {
		ctx, cancel := context.WithCancel(ctx)
		eg, ctx := errgroup.WithContext(ctx)
		var halves []*source
		for _, half := range [][]*source{sources[:len(sources)/2], sources[len(sources)/2:]} {
			s := newStream()
			halves = append(halves, &source{digest: half[0].digest, stream: s})
			guard.Go(eg, func() error { return s.fill(ctx, half, most) })
		}
		stopped := false
		for chunk, err := range newMerger(halves, most).all(ctx) {
			if err != nil {
				break
			}
			if !yield(chunk, nil) {
				stopped = true
				break
			}
		}
		cut := ctx.Err()
		cancel()
		// A half that failed has ended early: its error says so.
		if err := eg.Wait(); !stopped && (err != nil || cut != nil) {
			if cut != nil && err == nil {
				err = cut
			}
			yield(Chunk{}, err)
		}
	}
}

func newStream() *stream {
	s := &stream{full: make(chan *Chunk, streamed), empty: make(chan *Chunk, streamed)}
	for range streamed {
		s.empty <- &Chunk{}
	}
	return s
}

// fill merges sources into the stream and closes it.
func (s *stream) fill(ctx context.Context, sources []*source, most int64) error {
	defer close(s.full)
	for c, err := range newMerger(sources, most).all(ctx) {
		if err != nil {
			return err
		}
		select {
		case out := <-s.empty:
			out.keyBytes = c.keyBytes
			out.Rows, out.refs, out.prefixes = append(out.Rows[:0], c.Rows...), append(out.refs[:0], c.refs...), append(out.prefixes[:0], c.prefixes...)
			s.full <- out
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

// receive goes to the next chunk if the open one has been read. It reports
// whether there is a row.
func (s *source) receive() bool {
	if s.chunk != nil && s.at < len(s.chunk.Rows) {
		return true
	}
	if s.chunk != nil {
		s.stream.empty <- s.chunk
	}
	if s.chunk, s.at = <-s.stream.full, 0; s.chunk == nil {
		return false
	}
	s.keyBytes = s.chunk.keyBytes
	return true
}
