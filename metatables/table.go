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
}

// Request says which rows and columns are wanted.
type Request struct {
	// Snapshot is the snapshot to look at; nil means the current one. Tables
	// that describe the whole history ignore it.
	Snapshot *int64
	// Columns are the names of the top-level columns to return, in this order;
	// nil means all, empty means none (rows are then only counted).
	Columns []string
}
