package rewrite

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/iceberg-go"
	"github.com/apache/iceberg-go/table"
	"golang.org/x/sync/errgroup"

	"github.com/firndb/firn/guard"
	"github.com/firndb/firn/maintenance"
	"github.com/firndb/firn/maintenance/datafile"
	"github.com/firndb/firn/maintenance/internal/extsort"
	"github.com/firndb/firn/maintenance/internal/reorder"
	"github.com/firndb/firn/maintenance/internal/rowkey"
	"github.com/firndb/firn/maintenance/sortorder"
)

// keyer makes the keys of rows: the partition first if rows are partitioned anew,
// then the order.
type keyer struct {
	// fields are the columns that are needed.
	fields []iceberg.NestedField
	// deleted says that a column after them says which rows are deleted.
	deleted bool
	order   *rowkey.Encoder
	// partition makes the key of a row's partition and values the partition; nil if
	// all rows stay in theirs.
	partition *rowkey.Encoder
	values    *partitioner

	mu sync.Mutex
	// found are the partitions by their keys.
	found map[string]map[int]any
}

func (r *runner) newKeyer(g Group) (*keyer, error) {
	k := &keyer{found: map[string]map[int]any{}}
	var partition, fields []rowkey.Field
	ids := slices.Clone(r.order.Columns)
	if g.Repartition {
		for i := range r.out.spec.NumFields() {
			f := r.out.spec.Field(i)
			partition = append(partition, rowkey.Field{ID: f.SourceID(), Transform: f.Transform, Exact: true})
			ids = append(ids, f.SourceID())
		}
	}
	for _, f := range r.order.Fields {
		fields = append(fields, rowkey.Field{
			ID: f.SourceID(), Transform: f.Transform,
			Descending: f.Direction == table.SortDESC, NullsLast: f.NullOrder == table.NullsLast,
		})
		ids = append(ids, f.SourceID())
	}
	var curve *rowkey.Curve
	if r.order.Curve != sortorder.None {
		curve = &rowkey.Curve{
			Columns: r.order.Columns, Hilbert: r.order.Curve == sortorder.Hilbert,
			VarLength: int(r.o.VarLength), MaxBytes: int(r.o.MaxOutputSize),
		}
	}
	k.fields = columnsOf(r.out.rows, ids)
	schema := iceberg.NewSchema(0, k.fields...)
	var err error
	if k.order, err = rowkey.NewEncoder(schema, fields, curve); err != nil {
		return nil, err
	}
	if !g.Repartition {
		return k, nil
	}
	if k.partition, err = rowkey.NewEncoder(schema, partition, nil); err != nil {
		return nil, err
	}
	k.values, err = newPartitioner(r.out.spec, schema)
	return k, err
}

// columnsOf are the top-level columns that some fields are, or are in.
func columnsOf(schema *iceberg.Schema, ids []int) []iceberg.NestedField {
	var out []iceberg.NestedField
	for _, f := range schema.Fields() {
		if slices.ContainsFunc(ids, func(id int) bool { return f.ID == id || contains(f.Type, id) }) {
			out = append(out, f)
		}
	}
	return out
}

func contains(t iceberg.Type, id int) bool {
	return slices.ContainsFunc(inside(t), func(f iceberg.NestedField) bool { return f.ID == id || contains(f.Type, id) })
}

// columns are those to be read.
func (k *keyer) columns() []iceberg.NestedField {
	if !k.deleted {
		return k.fields
	}
	return append(slices.Clone(k.fields), iceberg.NestedField{ID: datafile.DeletedID, Name: datafile.DeletedName, Type: iceberg.PrimitiveTypes.Bool, Required: true})
}

// keys makes the keys of a batch, and says which rows are deleted, nil if none
// is.
func (k *keyer) keys(batch arrow.RecordBatch) (rowkey.Keys, []bool, error) {
	var dead []bool
	if k.deleted {
		column, ok := batch.Column(len(k.fields)).(*array.Boolean)
		if !ok {
			return rowkey.Keys{}, nil, fmt.Errorf("column %q is a %s", datafile.DeletedName, batch.Column(len(k.fields)).DataType())
		}
		dead = deadRows(column)
	}
	keys, err := k.order.Encode(batch)
	if err != nil || k.partition == nil {
		return keys, dead, err
	}
	parts, err := k.partition.Encode(batch)
	if err != nil {
		return keys, dead, err
	}
	if err := k.find(batch, parts, dead); err != nil {
		return keys, dead, err
	}
	joined := rowkey.Keys{Data: make([]byte, 0, len(parts.Data)+len(keys.Data)), Ends: make([]uint32, keys.Len())}
	for i := range joined.Ends {
		joined.Data = append(append(joined.Data, parts.At(i)...), keys.At(i)...)
		joined.Ends[i] = uint32(len(joined.Data))
	}
	return joined, dead, nil
}

func deadRows(column *array.Boolean) []bool {
	var dead []bool
	for i := range column.Len() {
		if !column.Value(i) {
			continue
		}
		if dead == nil {
			dead = make([]bool, column.Len())
		}
		dead[i] = true
	}
	return dead
}

// find notes partitions that are seen for the first time.
func (k *keyer) find(batch arrow.RecordBatch, parts rowkey.Keys, dead []bool) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	for i := range parts.Len() {
		if dead != nil && dead[i] || i > 0 && string(parts.At(i)) == string(parts.At(i-1)) && (dead == nil || !dead[i-1]) {
			continue
		}
		if _, ok := k.found[string(parts.At(i))]; ok {
			continue
		}
		values, err := k.values.valuesAt(batch, i)
		if err != nil {
			return err
		}
		k.found[string(parts.At(i))] = values
	}
	return nil
}

// partitions are the partitions in the order of their keys: the group's own, with
// the empty key, if rows stay in it.
func (k *keyer) partitions(g Group) []keyedPartition {
	if k.partition == nil {
		return []keyedPartition{{values: g.Files[0].Task.File.Partition()}}
	}
	var out []keyedPartition
	for _, key := range slices.Sorted(maps.Keys(k.found)) {
		out = append(out, keyedPartition{[]byte(key), k.found[key]})
	}
	return out
}

// keyedPartition is a partition and what the keys of its rows begin with.
type keyedPartition struct {
	key    []byte
	values map[int]any
}

// order reads the keys of the group's rows and finds where these go and how they
// make files. The caller closes the order.
func (s *sorting) order(ctx context.Context) (_ *reorder.Order, _ *cuts, err error) {
	k, err := s.r.newKeyer(s.g)
	if err != nil {
		return nil, nil, err
	}
	k.deleted = slices.ContainsFunc(s.g.Files, func(f File) bool { return f.deletes() > 0 })
	parts := shares(s.tasks, s.g.Bytes, s.r.sorts.limits.Concurrency)
	sorter := extsort.New(extsort.Config{Scratch: s.r.sorts.space, Collectors: len(parts), Memory: s.share(keysShare)})
	defer func() {
		if closed := sorter.Close(); err == nil {
			err = closed
		}
	}()
	s.all = s.g.Rows * int64(1+2*len(s.r.out.columns))
	if err := s.collect(ctx, k, parts, sorter); err != nil {
		return nil, nil, err
	}
	builder := reorder.NewBuilder(sorter.Rows(), s.share(orderShare), s.r.sorts.space)
	defer func() { err = errors.Join(err, builder.Close()) }()
	cuts := s.newCuts(k.partitions(s.g), sorter.Rows(), sorter.Live())
	for chunk, err := range sorter.Merge(ctx) {
		if err != nil {
			return nil, nil, err
		}
		if err := cuts.add(chunk); err != nil {
			return nil, nil, err
		}
		if err := builder.Add(chunk.Rows); err != nil {
			return nil, nil, err
		}
	}
	if err := sorter.Close(); err != nil {
		return nil, nil, err
	}
	cuts.finish()
	order, err := builder.Order(ctx, s.valueBytes(), s.share(columnsShare)/int64(max(1, s.r.sorts.limits.Concurrency)))
	return order, cuts, err
}

// shares cuts a group's files into parts of about the same size, each of which
// one goroutine reads.
func shares(tasks []table.FileScanTask, bytes int64, n int) [][]table.FileScanTask {
	var out [][]table.FileScanTask
	var done int64
	for i := range n {
		var part []table.FileScanTask
		for len(tasks) > 0 && (i == n-1 || done < bytes*int64(i+1)/int64(n)) {
			part = append(part, tasks[0])
			done += tasks[0].Length
			tasks = tasks[1:]
		}
		if len(part) > 0 {
			out = append(out, part)
		}
	}
	return out
}

// collect reads the key columns.
func (s *sorting) collect(ctx context.Context, k *keyer, parts [][]table.FileScanTask, sorter *extsort.Sorter) error {
	options := s.options(k.fields)
	options.KeyBytes = s.r.keyBytes
	reader := datafile.NewReader(s.fs, s.r.table.Metadata(), k.columns(), s.tasks, options)
	reads := make([]*datafile.Rows, len(parts))
	eg, gctx := errgroup.WithContext(ctx)
	for i, tasks := range parts {
		reads[i] = reader.Rows(tasks)
		guard.Go(eg, func() error {
			done, err := s.r.working(gctx)
			if err != nil {
				return err
			}
			defer done()
			for batch, err := range reads[i].All(gctx) {
				if err != nil {
					return err
				}
				keys, dead, err := k.keys(batch)
				batch.Release()
				if err != nil {
					return err
				}
				if err := sorter.Collector(i).Add(gctx, keys, dead); err != nil {
					return err
				}
				s.did(int64(keys.Len()))
			}
			return nil
		})
	}
	if err := eg.Wait(); err != nil {
		return err
	}
	for _, read := range reads {
		s.deleted += read.Deleted()
	}
	if live := sorter.Rows() - s.deleted; live != sorter.Live() {
		return fmt.Errorf("%w: %d rows less %d deleted ones are %d", maintenance.ErrCorrupt, sorter.Rows(), s.deleted, sorter.Live())
	}
	return nil
}
