package datafile

import (
	"context"
	"fmt"
	"iter"
	"sync"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/iceberg-go"
	"github.com/apache/iceberg-go/table"

	"github.com/firndb/firn/maintenance"
)

// result is a batch, or the error that ended a file.
type result struct {
	batch arrow.RecordBatch
	err   error
}

// inOrder reads several tasks at once and yields their batches in order. When
// it returns, all reading has ended.
func inOrder(ctx context.Context, atOnce int, tasks []table.FileScanTask, read func(context.Context, table.FileScanTask, func(arrow.RecordBatch) error) error) iter.Seq2[arrow.RecordBatch, error] {
	return func(yield func(arrow.RecordBatch, error) bool) {
		ctx, cancel := context.WithCancel(ctx)
		var running sync.WaitGroup
		queue := make(chan chan result, atOnce-1)
		defer func() {
			cancel()
			running.Wait()
			discard(queue)
		}()
		running.Go(func() {
			defer close(queue)
			for _, task := range tasks {
				results := make(chan result, 1)
				select {
				case queue <- results:
				case <-ctx.Done():
					return
				}
				running.Go(func() { readInto(ctx, task, results, read) })
			}
		})
		for results := range queue {
			for res := range results {
				if !yield(res.batch, res.err) || res.err != nil {
					discardResults(results)
					return
				}
			}
		}
		if err := ctx.Err(); err != nil {
			yield(nil, err)
		}
	}
}

// readInto reads one task into results and closes it.
func readInto(ctx context.Context, task table.FileScanTask, results chan<- result, read func(context.Context, table.FileScanTask, func(arrow.RecordBatch) error) error) {
	defer close(results)
	send := func(res result) error {
		select {
		case results <- res:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	err := safely(task.File, func() error {
		return read(ctx, task, func(batch arrow.RecordBatch) error { return send(result{batch: batch}) })
	})
	if err != nil {
		_ = send(result{err: err})
	}
}

// safely makes an error of a panic, which a damaged file may cause deep in a
// decoder.
func safely(file iceberg.DataFile, read func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%w: %q has unexpected content: %v", maintenance.ErrCorrupt, file.FilePath(), p)
		}
	}()
	return read()
}

// discard releases what nobody has taken, once all readers have ended.
func discard(queue <-chan chan result) {
	for results := range queue {
		discardResults(results)
	}
}

func discardResults(results <-chan result) {
	for {
		select {
		case res, ok := <-results:
			if !ok {
				return
			}
			if res.batch != nil {
				res.batch.Release()
			}
		default:
			return
		}
	}
}
