package metatables

import (
	"fmt"
	"slices"
	"sync"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/iceberg-go"
	"github.com/apache/iceberg-go/table"
)

// batchers lends batchers to those who make record batches at the same time.
type batchers[B any] struct {
	alloc   memory.Allocator
	schema  *arrow.Schema
	columns []column[B]

	mu   sync.Mutex
	idle []*batcher[B]
}

func newBatchers[B any](alloc memory.Allocator, columns []column[B]) (*batchers[B], error) {
	schema, err := arrowSchema(columns)
	return &batchers[B]{alloc: alloc, schema: schema, columns: columns}, err
}

// arrowSchema is built column by column: a projection may name a column twice,
// which an Iceberg schema does not allow.
func arrowSchema[B any](columns []column[B]) (*arrow.Schema, error) {
	fields := make([]arrow.Field, len(columns))
	for i, c := range columns {
		one, err := table.SchemaToArrowSchema(iceberg.NewSchema(0, c.field), nil, true, false)
		if err != nil {
			return nil, fmt.Errorf("column %q: %w", c.field.Name, err)
		}
		fields[i] = one.Field(0)
	}
	return arrow.NewSchema(fields, nil), nil
}

// take returns a batcher, which goes back by give or is released.
func (p *batchers[B]) take() *batcher[B] {
	p.mu.Lock()
	if last := len(p.idle) - 1; last >= 0 {
		b := p.idle[last]
		p.idle = p.idle[:last]
		p.mu.Unlock()
		return b
	}
	p.mu.Unlock()
	b := &batcher[B]{schema: p.schema}
	for i, c := range p.columns {
		b.writers = append(b.writers, newWriter(p.alloc, c, p.schema.Field(i).Type))
	}
	return b
}

func (p *batchers[B]) give(b *batcher[B]) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.idle = append(p.idle, b)
}

// release ends the batchers that are not lent.
func (p *batchers[B]) release() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, b := range p.idle {
		b.release()
	}
	p.idle = nil
}

// batcher makes record batches, one at a time.
type batcher[B any] struct {
	schema  *arrow.Schema
	writers []*writer[B]
}

// batch makes a record batch of n rows.
func (b *batcher[B]) batch(rows B, n int) (arrow.RecordBatch, error) {
	arrays := make([]arrow.Array, 0, len(b.writers))
	defer func() {
		for _, a := range arrays {
			a.Release()
		}
	}()
	for _, w := range b.writers {
		a, err := w.array(rows, n)
		if err != nil {
			return nil, fmt.Errorf("column %q: %w", w.column.field.Name, err)
		}
		arrays = append(arrays, a)
	}
	return array.NewRecordBatch(b.schema, arrays, int64(n)), nil
}

func (b *batcher[B]) release() {
	for _, w := range b.writers {
		w.release()
	}
}

// writer makes the arrays of one column. A struct's are put together from
// those of its fields, so that fields that are not wanted cost nothing.
type writer[B any] struct {
	alloc  memory.Allocator
	column column[B]
	typ    arrow.DataType
	// builder is nil for a struct that has fields.
	builder array.Builder
	fields  []*writer[B]
	// nulls are what fields that are left out have, batchRows each; nil where
	// a field is there.
	nulls []arrow.Array
}

func newWriter[B any](alloc memory.Allocator, c column[B], typ arrow.DataType) *writer[B] {
	w := &writer[B]{alloc: alloc, column: c, typ: typ}
	if c.write != nil {
		w.builder = array.NewBuilder(alloc, typ)
		return w
	}
	all := typ.(*arrow.StructType).Fields()
	w.nulls = make([]arrow.Array, len(all))
	for i, f := range all {
		place := i
		if c.kept != nil {
			if place = slices.Index(c.kept, i); place < 0 {
				w.nulls[i] = array.MakeArrayOfNull(alloc, f.Type, batchRows)
				continue
			}
		}
		w.fields = append(w.fields, newWriter(alloc, c.fields[place], f.Type))
	}
	return w
}

func (w *writer[B]) array(rows B, n int) (arrow.Array, error) {
	if w.builder != nil {
		w.builder.Reserve(n)
		if err := w.column.write(w.builder, rows); err != nil {
			w.builder.NewArray().Release() // what was written before
			return nil, err
		}
		return w.builder.NewArray(), nil
	}
	children := make([]arrow.ArrayData, len(w.nulls))
	made := make([]arrow.Array, 0, len(w.nulls))
	defer func() {
		for _, a := range made {
			a.Release()
		}
	}()
	next := w.fields
	for i, null := range w.nulls {
		var a arrow.Array
		if null != nil {
			a = array.NewSlice(null, 0, int64(n))
		} else {
			var err error
			if a, err = next[0].array(rows, n); err != nil {
				return nil, fmt.Errorf("field %q: %w", next[0].column.field.Name, err)
			}
			next = next[1:]
		}
		made = append(made, a)
		children[i] = a.Data()
	}
	data := array.NewData(w.typ, n, []*memory.Buffer{nil}, children, 0, 0)
	defer data.Release()
	return array.MakeFromData(data), nil
}

func (w *writer[B]) release() {
	if w.builder != nil {
		w.builder.Release()
	}
	for _, f := range w.fields {
		f.release()
	}
	for _, null := range w.nulls {
		if null != nil {
			null.Release()
		}
	}
}
