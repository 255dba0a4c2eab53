package metatables

import (
	"context"
	"iter"

	"github.com/apache/iceberg-go/table"
)

func files() Table {
	return define("files", "The data and delete files of a snapshot.", contentFileColumns, fileRows(entryFilter{}))
}

// contentFileColumns are the columns of files and its kin.
func contentFileColumns(tbl *table.Table) ([]column[fileRow], error) {
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

// fileRows streams the entries that a filter takes.
func fileRows(filter entryFilter) rows[fileRow] {
	return func(ctx context.Context, s scan) iter.Seq2[fileRow, error] {
		return func(yield func(fileRow, error) bool) {
			for entry, err := range readEntries(ctx, s, filter) {
				row := fileRow{entry: entry}
				if err == nil {
					row.file = entry.DataFile()
				}
				if !yield(row, err) || err != nil {
					return
				}
			}
		}
	}
}
