package columnar

import (
	"github.com/apache/arrow-go/v18/arrow"
	"github.com/dolthub/go-mysql-server/sql"
)

// Filter finds the rows of batches that meet conditions. It is for one
// goroutine.
type Filter struct {
	conditions []kernel
	selected   []int32
}

// NewFilter returns false if a condition is not known here.
func NewFilter(ctx *sql.Context, src Source, conditions []sql.Expression) (*Filter, bool) {
	return compiler{ctx: ctx, src: src}.filter(conditions)
}

func (c compiler) filter(conditions []sql.Expression) (*Filter, bool) {
	f := &Filter{}
	for _, e := range conditions {
		x, ok := c.condition(e)
		if !ok {
			return nil, false
		}
		f.conditions = append(f.conditions, x.eval)
	}
	return f, true
}

// Rows are the rows that meet all conditions, in order. They are good until the
// next call.
func (f *Filter) Rows(record arrow.RecordBatch) ([]int32, error) {
	return f.rows(&batch{record: record, rows: int(record.NumRows())})
}

func (f *Filter) rows(b *batch) ([]int32, error) {
	f.selected = resized(f.selected, b.rows)
	for i := range f.selected {
		f.selected[i] = int32(i)
	}
	for _, condition := range f.conditions {
		if len(f.selected) == 0 {
			break
		}
		v, err := condition(b)
		if err != nil {
			return nil, err
		}
		kept := f.selected[:0]
		for _, row := range f.selected {
			if v.true(int(row)) {
				kept = append(kept, row)
			}
		}
		f.selected = kept
	}
	return f.selected, nil
}
