package metatables

import (
	"context"
	"iter"

	"github.com/apache/iceberg-go/table"
)

func files() Table {
	return fileTable("files", "The data and delete files of a snapshot.", contentFileColumns, entryFilter{})
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

// fileTable is a metadata table whose rows are the entries that a filter takes.
func fileTable(name, doc string, columns func(*table.Table) ([]column[fileRow], error), filter entryFilter) Table {
	return define(name, doc, columns, fileRows(filter), entryCount(filter))
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
