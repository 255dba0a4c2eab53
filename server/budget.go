package server

import (
	"errors"
	"fmt"
	"io"
	"sync/atomic"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/firndb/firn/server/nested"
)

// MemoryLimits bound what one statement holds in memory to sort, group, join or
// tell apart. Zero is no limit.
type MemoryLimits struct {
	// Rows is how many rows, groups or distinct values are held.
	Rows int64
	// Bytes is about how much memory they take.
	Bytes int64
}

// budget is what a statement holds of what it may.
type budget struct {
	limits      MemoryLimits
	rows, bytes atomic.Int64
}

// budgetOf is that of the running statement.
func budgetOf(ctx *sql.Context) *budget { return &statementOf(ctx).budget }

// take adds to what is held, for work that what names. The error wraps
// errMemory.
func (b *budget) take(what string, rows, bytes int64) error {
	if n := b.rows.Add(rows); b.limits.Rows > 0 && n > b.limits.Rows {
		return wireError(fmt.Errorf("%w: %s holds more than %d rows, the limit max-rows-in-memory; narrow the query or raise the limit",
			errMemory, what, b.limits.Rows))
	}
	if n := b.bytes.Add(bytes); b.limits.Bytes > 0 && n > b.limits.Bytes {
		return wireError(fmt.Errorf("%w: %s holds more than %d bytes, the limit max-bytes-in-memory; narrow the query or raise the limit",
			errMemory, what, b.limits.Bytes))
	}
	return nil
}

// give takes back from what is held.
func (b *budget) give(rows, bytes int64) {
	b.rows.Add(-rows)
	b.bytes.Add(-bytes)
}

// sizeOf is about how much memory a row takes.
func sizeOf(row sql.Row) int64 { return nested.SizeOfCells(row) }

// heldRows counts rows that are kept by what reads them, or by what made them.
type heldRows struct {
	sql.RowIter
	budget *budget
	what   string
	// kept says that they are kept for longer than this iterator lives.
	kept bool
	// most is how many are kept at most, 0 if all are.
	most        int64
	rows, bytes int64
	ended       bool
}

// Next implements sql.RowIter.
func (h *heldRows) Next(ctx *sql.Context) (sql.Row, error) {
	row, err := h.RowIter.Next(ctx)
	if err != nil {
		h.ended = errors.Is(err, io.EOF)
		return nil, err
	}
	if h.most > 0 && h.rows >= h.most {
		return row, nil
	}
	size := sizeOf(row)
	h.rows++
	h.bytes += size
	return row, h.budget.take(h.what, 1, size)
}

// Close implements sql.RowIter.
func (h *heldRows) Close(ctx *sql.Context) error {
	if !h.kept || !h.ended {
		h.budget.give(h.rows, h.bytes)
	}
	h.rows, h.bytes = 0, 0
	return h.RowIter.Close(ctx)
}
