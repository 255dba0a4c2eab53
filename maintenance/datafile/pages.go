package datafile

import (
	"context"
	"fmt"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/parquet/metadata"

	"github.com/firndb/firn/maintenance/internal/parquet/flat"
)

// pages reads row groups of a Parquet file page by page, where all columns that
// are read allow that.
type pages struct {
	pool    *flat.Pool
	file    openFile
	schema  *arrow.Schema
	leaves  []int
	readers []*flat.Reader
	// opened is how many row groups of the run have been opened, left how many rows
	// of the last of them have not been read.
	opened int
	left   int64
}

// newPages is nil if Arrow's reader must read the file.
func newPages(pool *flat.Pool, file openFile, src *parquetSource) (*pages, error) {
	if len(src.leaves) == 0 || len(src.legacy) > 0 || len(src.leaves) != src.schema.NumFields() || file.WriterVersion().LessThan(metadata.Parquet816FixedVersion) {
		return nil, nil
	}
	meta := file.MetaData()
	columns := make([]flat.Column, len(src.leaves))
	for i, leaf := range src.leaves {
		var ok bool
		if columns[i], ok = flat.NewColumn(meta.Schema.Column(leaf), src.schema.Field(i).Type); !ok {
			return nil, nil
		}
	}
	for _, run := range src.runs {
		for _, g := range run.groups {
			group := meta.RowGroup(g)
			for i, leaf := range src.leaves {
				chunk, err := group.ColumnChunk(leaf)
				if err != nil {
					return nil, err
				}
				if !columns[i].Fits(chunk, group.NumRows()) {
					return nil, nil
				}
			}
		}
	}
	p := &pages{pool: pool, file: file, schema: src.schema, leaves: src.leaves}
	for _, c := range columns {
		p.readers = append(p.readers, pool.Reader(c))
	}
	return p, nil
}

func (p *pages) close() {
	if p == nil {
		return
	}
	for _, r := range p.readers {
		p.pool.Put(r)
	}
	p.readers = nil
}

// next returns at most most of the next rows of a run's row groups, nil at their
// end.
func (p *pages) next(ctx context.Context, groups []int, most int64) (arrow.RecordBatch, error) {
	for p.left == 0 {
		if p.opened == len(groups) {
			p.opened = 0
			return nil, nil
		}
		if err := p.open(groups[p.opened]); err != nil {
			return nil, err
		}
		p.opened++
	}
	n := int(min(most, p.left))
	for _, r := range p.readers {
		var err error
		if n, err = r.Next(ctx, n); err != nil {
			return nil, err
		}
		if n == 0 {
			return nil, fmt.Errorf("%w: %d rows are missing", flat.ErrUnfit, p.left)
		}
	}
	columns := make([]arrow.Array, len(p.readers))
	for i, r := range p.readers {
		columns[i] = r.Take(n)
		defer columns[i].Release()
	}
	p.left -= int64(n)
	return array.NewRecordBatch(p.schema, columns, int64(n)), nil
}

// open opens a row group.
func (p *pages) open(g int) error {
	group := p.file.MetaData().RowGroup(g)
	p.left = group.NumRows()
	for i, r := range p.readers {
		chunk, err := group.ColumnChunk(p.leaves[i])
		if err != nil {
			return err
		}
		if err := r.Open(p.file.in, p.file.props, chunk, p.left); err != nil {
			return err
		}
	}
	return nil
}
