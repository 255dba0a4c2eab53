package server

import (
	"io"
	"slices"
	"sort"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/expression/function/aggregation/window"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/mysql"
)

// framedWindow gives functions over ranges of values frames of our own. The
// engine's know one column to order by, and only from the smallest value on;
// where none is written, its SUM ends at the row, its MIN at the partition.
func framedWindow(n *plan.Window) sql.Node {
	exprs := slices.Clone(n.SelectExprs)
	for i, e := range exprs {
		alias, named := e.(*expression.Alias)
		if named {
			e = alias.Child
		}
		framed, ok := withFrame(e)
		if !ok {
			continue
		}
		exprs[i] = framed
		if named {
			exprs[i] = expression.NewAlias(alias.Name(), framed)
		}
	}
	return plan.NewWindow(exprs, n.Child)
}

// withFrame gives e a frame of ours, false if it needs none.
func withFrame(e sql.Expression) (sql.Expression, bool) {
	switch e.(type) {
	case sql.Aggregation, *window.FirstValue, *window.LastValue:
	default:
		return e, false
	}
	over, ok := e.(sql.WindowAdaptableExpression)
	if !ok || over.Window() == nil || len(over.Window().OrderBy) == 0 {
		return e, false
	}
	definition := *over.Window()
	switch {
	case definition.Frame == nil:
		definition.Frame = plan.NewRangeUnboundedPrecedingToCurrentRowFrame()
	case countsRows(definition.Frame):
		return e, false
	}
	definition.Frame = &rangeFrame{definition.Frame}
	return over.WithWindow(&definition), true
}

// countsRows says whether a frame is one of ROWS.
func countsRows(frame sql.WindowFrame) bool {
	return strings.HasPrefix(strings.ToUpper(frame.String()), "ROWS")
}

// rangeFrame is a frame of RANGE.
type rangeFrame struct{ sql.WindowFrame }

// NewFramer implements sql.WindowFrame.
func (f *rangeFrame) NewFramer(w *sql.WindowDefinition) (sql.WindowFramer, error) {
	r := &rangeFramer{frame: f.WindowFrame, order: w.OrderBy}
	for _, distance := range []sql.Expression{f.StartNPreceding(), f.StartNFollowing(), f.EndNPreceding(), f.EndNFollowing()} {
		if distance == nil {
			continue
		}
		by := orderValues(w.OrderBy)
		if len(by) != 1 {
			return nil, mysql.NewSQLError(3587, "HY000", "a frame of RANGE with a distance requires exactly one ORDER BY expression")
		}
		r.value, r.descending = by[0].Column, by[0].Order == sql.Descending
		if key, ok := r.value.(*floatKey); ok {
			r.value = key.args[0]
		}
		if _, interval := distance.(*expression.Interval); types.IsTime(r.value.Type()) && !interval {
			return nil, mysql.NewSQLError(3588, "HY000", "a frame of RANGE over dates or times has an INTERVAL for its distance, not %s", distance)
		}
	}
	return r, nil
}

// orderValues are fields without those that only say where NULL is.
func orderValues(fields sql.SortFields) sql.SortFields {
	return slices.DeleteFunc(slices.Clone(fields), func(f sql.SortField) bool {
		column := f.Column
		if not, ok := column.(*expression.Not); ok {
			column = not.Child
		}
		_, onlyNull := column.(*expression.IsNull)
		return onlyNull && len(fields) > 1
	})
}

// rangeFramer finds the frames of the rows of a partition, one after another.
type rangeFramer struct {
	frame sql.WindowFrame
	order sql.SortFields
	// value is what distances are counted in, nil if there are none, and
	// descending its order.
	value      sql.Expression
	descending bool

	at, first, end int
	partition      bool
	// peers are the rows that are ordered as row at is.
	peers, found sql.WindowInterval
}

// NewFramer implements sql.WindowFramer.
func (r *rangeFramer) NewFramer(partition sql.WindowInterval) (sql.WindowFramer, error) {
	return &rangeFramer{
		frame: r.frame, order: r.order, value: r.value, descending: r.descending,
		at: partition.Start, first: partition.Start, end: partition.End, partition: true,
		peers: sql.WindowInterval{Start: partition.Start, End: partition.Start},
	}, nil
}

// Next implements sql.WindowFramer.
func (r *rangeFramer) Next(ctx *sql.Context, rows sql.WindowBuffer) (sql.WindowInterval, error) {
	const often = 256
	if !r.partition || r.at >= r.end {
		return sql.WindowInterval{}, io.EOF
	}
	if r.at%often == 0 && ctx.Err() != nil {
		return sql.WindowInterval{}, wireError(ctx.Err())
	}
	if err := r.findPeers(ctx, rows); err != nil {
		return sql.WindowInterval{}, err
	}
	start, err := r.bound(ctx, rows, r.frame.UnboundedPreceding(), r.first, r.frame.StartNPreceding(), r.frame.StartNFollowing(), false)
	if err != nil {
		return sql.WindowInterval{}, err
	}
	end, err := r.bound(ctx, rows, r.frame.UnboundedFollowing(), r.end, r.frame.EndNPreceding(), r.frame.EndNFollowing(), true)
	if err != nil {
		return sql.WindowInterval{}, err
	}
	r.at++
	r.found = sql.WindowInterval{Start: min(start, end), End: end}
	return r.found, nil
}

// findPeers moves peers on to row at.
func (r *rangeFramer) findPeers(ctx *sql.Context, rows sql.WindowBuffer) error {
	if r.at < r.peers.End {
		return nil
	}
	pair := &expression.Sorter{SortFields: r.order, Ctx: ctx}
	end := r.at + 1
	for ; end < r.end; end++ {
		pair.Rows = []sql.Row{rows[r.at], rows[end]}
		if pair.Less(0, 1) || pair.Less(1, 0) || pair.LastError != nil {
			break
		}
	}
	r.peers = sql.WindowInterval{Start: r.at, End: end}
	return pair.LastError
}

// bound is the start of the frame, or its end if after is true.
func (r *rangeFramer) bound(ctx *sql.Context, rows sql.WindowBuffer, unbounded bool, limit int, preceding, following sql.Expression, after bool) (int, error) {
	if unbounded {
		return limit, nil
	}
	ofPeers := r.peers.Start
	if after {
		ofPeers = r.peers.End
	}
	distance, forward := following, true
	if preceding != nil {
		distance, forward = preceding, false
	}
	if distance == nil {
		return ofPeers, nil
	}
	value, err := r.value.Eval(ctx, rows[r.at])
	if err != nil || value == nil {
		return ofPeers, err
	}
	sign := "-"
	if forward != r.descending {
		sign = "+"
	}
	border, err := expression.NewArithmetic(r.value, distance, sign).Eval(ctx, rows[r.at])
	if err != nil {
		return 0, err
	}
	var failed error
	found := sort.Search(r.end-r.first, func(i int) bool {
		n, err := r.compare(ctx, rows[r.first+i], rows[r.at], border)
		if err != nil {
			failed = err
		}
		return n > 0 || n == 0 && !after
	})
	return r.first + found, failed
}

// compare says where a row is ordered, compared with a value that is no more NULL
// than the one of row with.
func (r *rangeFramer) compare(ctx *sql.Context, row, with sql.Row, border any) (int, error) {
	value, err := r.value.Eval(ctx, row)
	if err != nil {
		return 0, err
	}
	if value == nil {
		pair := &expression.Sorter{SortFields: r.order, Rows: []sql.Row{row, with}, Ctx: ctx}
		if pair.Less(0, 1) {
			return -1, pair.LastError
		}
		return 1, pair.LastError
	}
	t := r.value.Type()
	switch {
	case types.IsFloat(t):
		t = orderedType{types.Float64}
	case types.IsTime(t):
		t = types.DatetimeMaxPrecision
	default:
		t = exactType{}
	}
	n, err := t.Compare(ctx, value, border)
	if r.descending {
		n = -n
	}
	return n, err
}

// FirstIdx implements sql.WindowFramer.
func (r *rangeFramer) FirstIdx() int { return r.found.Start }

// LastIdx implements sql.WindowFramer.
func (r *rangeFramer) LastIdx() int { return r.found.End }

// Interval implements sql.WindowFramer.
func (r *rangeFramer) Interval() (sql.WindowInterval, error) { return r.found, nil }
