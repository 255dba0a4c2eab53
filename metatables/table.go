package metatables

import (
	"context"
	"iter"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/iceberg-go"
	"github.com/apache/iceberg-go/table"
)

// Table is one kind of metadata table.
type Table struct {
	// Name is the last part of its SQL name.
	Name string
	// Doc says in one sentence what its rows are.
	Doc string
	// Schema is its schema for a given table: partition and readable_metrics
	// depend on the table.
	Schema func(tbl *table.Table) (*iceberg.Schema, error)
	// Read streams its rows. Batches have the columns of Schema in order, or
	// those of Request.Columns. The caller releases every batch.
	Read func(ctx context.Context, tbl *table.Table, req Request) iter.Seq2[arrow.RecordBatch, error]
	// Count is how many rows Read returns, ok if that is known for certain
	// from table metadata and manifest lists. If it is not, nothing has been
	// read that Read would not read.
	Count func(ctx context.Context, tbl *table.Table, req Request) (n int64, ok bool, err error)
}

// Request says which rows and columns are wanted.
type Request struct {
	// Snapshot is the snapshot to look at; nil means the current one. Tables
	// that describe the whole history ignore it.
	Snapshot *int64
	// Columns are the names of the top-level columns to return, in this order;
	// nil means all, empty means none (rows are then only counted).
	Columns []string
	// Fields are the fields inside of struct columns that are looked at, by
	// their names from the column on, joined by dots
	// ("readable_metrics.price.lower_bound", "data_file.file_path"). Of a
	// column that a path begins with, the fields that no path names may be
	// NULL; a path that fits several fields, as names may hold dots, means all
	// of them. A column that no path begins with is wanted whole.
	Fields []string
	// Filter is a condition that every wanted row meets, on columns and fields
	// of structs by such paths; rows that do not meet it may be returned. Text
	// is the same whatever its case and accents. A literal has the type of its
	// field, or is a whole number where the field is one. nil is no condition.
	Filter iceberg.BooleanExpression
	// Limit is the number of rows after which no more are wanted; 0 is none. It
	// is for requests without a filter, and ignored in others: of the rows that
	// come, not all may be wanted.
	Limit int64
	// Cache keeps what has been read for later requests; nil keeps nothing.
	Cache *Cache
}
