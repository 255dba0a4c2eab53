package datafile

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/iceberg-go"
	"github.com/apache/iceberg-go/table"
	"github.com/apache/iceberg-go/table/dv"
)

// fileDeletes is what is deleted of one data file.
type fileDeletes struct {
	meta      table.Metadata
	file      iceberg.DataFile
	positions *dv.RoaringPositionBitmap
	// live has a bit for each row of the file that positions leaves, once that is
	// needed.
	live []byte
	// equal are the keys of equality deletes; those over the same columns stand
	// together.
	equal [][]*keySet
}

// newFileDeletes is one of which nothing is deleted yet.
func newFileDeletes(meta table.Metadata, file iceberg.DataFile) *fileDeletes {
	return &fileDeletes{meta: meta, file: file, positions: dv.NewRoaringPositionBitmap()}
}

func (g *fileDeletes) add(set *keySet) {
	for i, sets := range g.equal {
		if slices.Equal(sets[0].ids, set.ids) {
			g.equal[i] = append(sets, set)
			return
		}
	}
	g.equal = append(g.equal, []*keySet{set})
}

// columns are the columns that equality deletes look at.
func (g *fileDeletes) columns() []iceberg.NestedField {
	var fields []iceberg.NestedField
	for _, sets := range g.equal {
		fields = append(fields, sets[0].fields...)
	}
	return fields
}

// mark returns which rows of a batch are deleted, nil if none is.
func (g *fileDeletes) mark(ctx context.Context, batch arrow.RecordBatch, first int64, schema *iceberg.Schema) ([]bool, error) {
	if g.live == nil && !g.positions.IsEmpty() {
		g.live = g.positions.KeepMaskBytes(min(g.file.Count(), mostMasked))
	}
	if g.live == nil && len(g.equal) == 0 {
		return nil, nil
	}
	dead := make([]bool, batch.NumRows())
	if g.live != nil {
		for i := range dead {
			at := uint64(first) + uint64(i)
			if at < 8*uint64(len(g.live)) {
				dead[i] = g.live[at/8]>>(at%8)&1 == 0
			} else {
				dead[i] = g.positions.Contains(at)
			}
		}
	}
	for _, sets := range g.equal {
		if err := g.markEqual(ctx, sets, batch, schema, dead); err != nil {
			return nil, err
		}
	}
	return dead, nil
}

// mostMasked bounds how many rows have a bit in live: a manifest may say
// anything.
const mostMasked = 1 << 30

// markEqual marks the rows whose key is in one of sets.
func (g *fileDeletes) markEqual(ctx context.Context, sets []*keySet, batch arrow.RecordBatch, schema *iceberg.Schema, dead []bool) error {
	keys, err := g.keys(ctx, sets[0].fields, batch, schema)
	if err != nil {
		return err
	}
	defer keys.Release()
	encode, err := newEncoder(keys)
	if err != nil {
		return err
	}
	var key []byte
	for i := range dead {
		if dead[i] {
			continue
		}
		key = encode(key[:0], i)
		hash := sets[0].hash(key)
		for _, set := range sets {
			if set.has(hash, key) {
				dead[i] = true
				break
			}
		}
	}
	return nil
}

// keys are some columns of a batch in the types of fields. Those that the file lacks
// have the value of its partition if that is one of them, else their default.
func (g *fileDeletes) keys(ctx context.Context, fields []iceberg.NestedField, batch arrow.RecordBatch, schema *iceberg.Schema) (arrow.RecordBatch, error) {
	keys, err := table.ToRequestedSchema(ctx, iceberg.NewSchema(0, fields...), schema, batch, table.SchemaOptions{FormatVersion: g.meta.Version()})
	if err != nil {
		return nil, err
	}
	for i, f := range fields {
		if _, ok := schema.FindFieldByID(f.ID); ok {
			continue
		}
		value, ok := identity(g.meta, g.file, f.ID)
		if !ok {
			continue
		}
		column, err := repeated(f.Type, value, int(keys.NumRows()))
		if err != nil {
			keys.Release()
			return nil, fmt.Errorf("column %q: %w", f.Name, err)
		}
		old := keys
		keys, err = old.SetColumn(i, column)
		column.Release()
		old.Release()
		if err != nil {
			return nil, err
		}
	}
	return keys, nil
}

// find adds to found the positions of the rows of a task that are gone.
func (s *store) find(ctx context.Context, meta table.Metadata, task table.FileScanTask, gone *fileDeletes, found *dv.RoaringPositionBitmap) error {
	wanted := map[int]iceberg.NestedField{}
	for _, f := range gone.columns() {
		wanted[f.ID] = f
	}
	src, err := s.open(ctx, task, wanted, meta.NameMapping())
	if err != nil {
		return err
	}
	defer src.close()
	// Positions tell how many rows there are, where the file has no such column.
	schema := iceberg.NewSchema(0, append(src.fields(), posField())...)
	for {
		batch, first, err := src.next(ctx)
		if err != nil || batch == nil {
			return err
		}
		if len(src.fields()) == 0 {
			batch = withPositions(batch, first)
		}
		dead, err := gone.mark(ctx, batch, first, schema)
		batch.Release()
		if err != nil {
			return err
		}
		for i, is := range dead {
			if is {
				found.Set(uint64(first) + uint64(i))
			}
		}
	}
}

// positionColumns are the columns of a batch of a position delete file.
func positionColumns(batch arrow.RecordBatch) (paths *array.String, positions *array.Int64, err error) {
	paths, okPath := batch.Column(0).(*array.String)
	positions, okPos := batch.Column(1).(*array.Int64)
	if !okPath || !okPos {
		return nil, nil, errors.New("its columns are not file_path and pos")
	}
	return paths, positions, nil
}
