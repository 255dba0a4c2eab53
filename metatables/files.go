package metatables

import (
	"context"
	"iter"
	"slices"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/iceberg-go/table"
)

func files() Table {
	return fileTable("files", "The data and delete files of a snapshot.", contentFileColumns, fileTerms, entryFilter{})
}

// contentFileColumns are the columns of files and its kin.
func contentFileColumns(tbl *table.Table) ([]column[fileBatch], error) {
	columns, err := fileColumns(tbl)
	if err != nil {
		return nil, err
	}
	metrics, err := readableMetricsColumn(tbl, highestFieldID(columns))
	if err != nil {
		return nil, err
	}
	return append(columns, metrics), nil
}

// fileTable is a metadata table whose rows are the entries that a filter takes.
func fileTable(name, doc string, columns func(*table.Table) ([]column[fileBatch], error), terms func(*table.Table) (terms, error), filter entryFilter) Table {
	return definition[fileBatch]{name, doc, columns, fileRecords(terms, filter), entryCount(filter)}.table()
}

// fileRecords makes record batches where manifests are read, several at once.
func fileRecords(terms func(*table.Table) (terms, error), filter entryFilter) records[fileBatch] {
	return func(ctx context.Context, s scan, batchers *batchers[fileBatch]) iter.Seq2[arrow.RecordBatch, error] {
		ts, err := terms(s.tbl)
		if err != nil {
			return failed[arrow.RecordBatch](err)
		}
		condition, err := ts.compile(s.filter)
		if err != nil {
			return failed[arrow.RecordBatch](err)
		}
		return func(yield func(arrow.RecordBatch, error) bool) {
			defer batchers.release()
			for batch, err := range readEntries(ctx, s, filter, condition, arrow.RecordBatch.Release,
				func(rows fileBatch, emit func(arrow.RecordBatch) error) error {
					return emitRecords(batchers, rows, emit)
				}) {
				if !yield(batch, err) {
					return
				}
			}
		}
	}
}

// emitRecords makes record batches of the rows of a block.
func emitRecords(batchers *batchers[fileBatch], rows fileBatch, emit func(arrow.RecordBatch) error) error {
	b, done := batchers.take(), false
	defer func() {
		// After an error or a panic there may be values left in it.
		if done {
			batchers.give(b)
		} else {
			b.release()
		}
	}()
	for part := range slices.Chunk(rows.rows, batchRows) {
		chunk := rows
		chunk.rows = part
		batch, err := b.batch(chunk, len(part))
		if err != nil {
			return err
		}
		if err := emit(batch); err != nil {
			return err
		}
	}
	done = true
	return nil
}
