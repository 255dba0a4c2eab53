package functions

import (
	"slices"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/expression/function/aggregation"
	"github.com/dolthub/vitess/go/mysql"

	"github.com/firndb/firn/server/nested"
)

// state is what an aggregate has seen of a group.
type state interface {
	// add takes the arguments of a row.
	add(ctx *sql.Context, args []any) error
	// value is the result so far.
	value(ctx *sql.Context) (any, error)
}

// aggregate is a call of an aggregate of Spark's. The engine decides by a
// function's name whether it is an aggregate, and knows no names but its own:
// ANY_VALUE around the call makes it one.
type aggregate struct {
	Call
	start    func() state
	filter   sql.Expression // a row counts if it holds; nil if all do
	distinct bool           // equal arguments count once
}

// aggregate makes the call an aggregate of type t.
func (c call) aggregate(t sql.Type, start func() state) (sql.Expression, error) {
	return &aggregate{Call: Call{call: c, typ: t}, start: start}, nil
}

// Eval implements sql.Expression.
func (a *aggregate) Eval(*sql.Context, sql.Row) (any, error) {
	return nil, mysql.NewSQLError(mysql.ERInvalidGroupFuncUse, "HY000", "%s is an aggregate, which may not stand here; write ANY_VALUE(%s)", a.name, a)
}

// String implements sql.Expression.
func (a *aggregate) String() string {
	s := a.Call.String()
	if a.distinct {
		s = "distinct " + s
	}
	if a.filter != nil {
		s += " filter " + a.filter.String()
	}
	return s
}

// Resolved implements sql.Expression.
func (a *aggregate) Resolved() bool {
	return a.Call.Resolved() && (a.filter == nil || a.filter.Resolved())
}

// Children implements sql.Expression.
func (a *aggregate) Children() []sql.Expression {
	if a.filter == nil {
		return a.args
	}
	return append(slices.Clone(a.args), a.filter)
}

// WithChildren implements sql.Expression.
func (a *aggregate) WithChildren(children ...sql.Expression) (sql.Expression, error) {
	n := len(a.args)
	if len(children) != len(a.Children()) {
		return nil, sql.ErrInvalidChildrenNumber.New(a, len(children), len(a.Children()))
	}
	e, err := a.function.call(a.ctx, a.name, children[:n])
	if err != nil {
		return nil, err
	}
	changed, ok := e.(*aggregate)
	if !ok {
		return e, nil
	}
	changed.distinct = a.distinct
	if a.filter != nil {
		changed.filter = children[n]
	}
	return changed, nil
}

// evaluate gives a row's arguments, false if the row does not count.
func (a *aggregate) evaluate(ctx *sql.Context, row sql.Row) ([]any, bool, error) {
	if a.filter != nil {
		v, err := a.filter.Eval(ctx, row)
		if err != nil || v == nil {
			return nil, false, err
		}
		if holds, err := truth(v); err != nil || !holds {
			return nil, false, err
		}
	}
	args := make([]any, len(a.args))
	for i, arg := range a.args {
		v, err := arg.Eval(ctx, row)
		if err != nil {
			return nil, false, err
		}
		if args[i], err = sql.UnwrapAny(ctx, v); err != nil {
			return nil, false, err
		}
	}
	return args, true, nil
}

// begin is the state of a new group.
func (a *aggregate) begin() state {
	if a.distinct {
		return &distinctState{state: a.start(), types: a.args, seen: map[string]bool{}}
	}
	return a.start()
}

// keeper is a state that keeps values.
type keeper interface {
	// held is how many values are kept, and about how many bytes they take.
	held() (values, bytes int64)
}

// tally counts what a state keeps.
type tally struct{ values, bytes int64 }

// keep counts a value.
func (t *tally) keep(v any) {
	const cell = 16
	t.values++
	t.bytes += cell + nested.SizeOf(v)
}

func (t *tally) held() (values, bytes int64) { return t.values, t.bytes }

// distinctState passes on arguments that it has not seen.
type distinctState struct {
	state
	tally
	types []sql.Expression
	seen  map[string]bool
}

func (s *distinctState) held() (values, bytes int64) {
	values, bytes = s.tally.held()
	if of, ok := s.state.(keeper); ok {
		_, more := of.held()
		bytes += more
	}
	return values, bytes
}

func (s *distinctState) add(ctx *sql.Context, args []any) error {
	key := ""
	for i, arg := range args {
		if arg == nil {
			return nil
		}
		key += keyText(arg, s.types[i].Type()) + "\x00"
	}
	if s.seen[key] {
		return nil
	}
	s.seen[key] = true
	s.keep(key)
	return s.state.add(ctx, args)
}

// grouped is an aggregate as the engine runs it.
type grouped struct {
	expression.UnaryExpression
	aggregate *aggregate
	id        sql.ColumnId
	window    *sql.WindowDefinition
}

var (
	_ sql.Aggregation        = (*grouped)(nil)
	_ sql.CollationCoercible = (*grouped)(nil)
)

// makeAnyValue is an aggregate of Spark's or the engine's own ANY_VALUE.
func makeAnyValue(c call) (sql.Expression, error) {
	if a, ok := c.args[0].(*aggregate); ok {
		return a.grouped(), nil
	}
	return aggregation.NewAnyValue(c.args[0]), nil
}

// makeMax is an aggregate of Spark's or the engine's own MAX.
func makeMax(c call) (sql.Expression, error) {
	if a, ok := c.args[0].(*aggregate); ok {
		return a.grouped(), nil
	}
	return aggregation.NewMax(c.args[0]), nil
}

// grouped is the aggregate as the engine runs it.
func (a *aggregate) grouped() *grouped {
	return &grouped{UnaryExpression: expression.UnaryExpression{Child: a}, aggregate: a}
}

// grouped makes the call an aggregate of type t that the engine knows as one.
func (c call) grouped(t sql.Type, start func() state) (sql.Expression, error) {
	a := &aggregate{Call: Call{call: c, typ: t}, start: start}
	a.function.make = func(again call) (sql.Expression, error) {
		return &aggregate{Call: Call{call: again, typ: t}, start: start}, nil
	}
	return a.grouped(), nil
}

// Eval implements sql.Expression: the engine runs an aggregate by its buffer.
func (g *grouped) Eval(ctx *sql.Context, row sql.Row) (any, error) { return g.aggregate.Eval(ctx, row) }

// Type implements sql.Expression.
func (g *grouped) Type() sql.Type { return g.aggregate.Type() }

// IsNullable implements sql.Expression.
func (g *grouped) IsNullable() bool { return true }

// String implements sql.Expression.
func (g *grouped) String() string {
	s := g.aggregate.String()
	if g.window != nil {
		s += " over " + g.window.String()
	}
	return s
}

// FunctionName implements sql.FunctionExpression.
func (g *grouped) FunctionName() string { return g.aggregate.name }

// Description implements sql.FunctionExpression.
func (g *grouped) Description() string { return g.aggregate.Description() }

// CollationCoercibility implements sql.CollationCoercible, as a column has it.
func (g *grouped) CollationCoercibility(ctx *sql.Context) (sql.CollationID, byte) {
	return g.aggregate.CollationCoercibility(ctx)
}

// Children implements sql.Expression. Those of the window are too.
func (g *grouped) Children() []sql.Expression {
	children := []sql.Expression{g.Child}
	if g.window != nil {
		children = append(children, g.window.ToExpressions()...)
	}
	return children
}

// WithChildren implements sql.Expression.
func (g *grouped) WithChildren(children ...sql.Expression) (sql.Expression, error) {
	a, ok := children[0].(*aggregate)
	if !ok {
		return nil, sql.ErrInvalidChildType.New(g, children[0], g.aggregate)
	}
	changed := *g
	changed.Child, changed.aggregate = a, a
	if g.window != nil && len(children) > 1 {
		w, err := g.window.FromExpressions(children[1:])
		if err != nil {
			return nil, err
		}
		changed.window = w
	}
	return &changed, nil
}

// Id implements sql.IdExpression.
func (g *grouped) Id() sql.ColumnId { return g.id }

// WithId implements sql.IdExpression.
func (g *grouped) WithId(id sql.ColumnId) sql.IdExpression {
	changed := *g
	changed.id = id
	return &changed
}

// Window implements sql.WindowAdaptableExpression.
func (g *grouped) Window() *sql.WindowDefinition { return g.window }

// WithWindow implements sql.WindowAdaptableExpression.
func (g *grouped) WithWindow(w *sql.WindowDefinition) sql.WindowAdaptableExpression {
	changed := *g
	changed.window = w
	return &changed
}

// Keeps says whether the aggregate keeps values of each group.
func (g *grouped) Keeps() bool {
	_, ok := g.aggregate.begin().(keeper)
	return ok
}

// NewBuffer implements sql.Aggregation.
func (g *grouped) NewBuffer() (sql.AggregationBuffer, error) {
	return &groupBuffer{g.aggregate, g.aggregate.begin()}, nil
}

// groupBuffer is one group.
type groupBuffer struct {
	aggregate *aggregate
	state     state
}

// Update implements sql.AggregationBuffer.
func (b *groupBuffer) Update(ctx *sql.Context, row sql.Row) error {
	args, counts, err := b.aggregate.evaluate(ctx, row)
	if err != nil || !counts {
		return err
	}
	return b.state.add(ctx, args)
}

// Held is how many values the group keeps, and about how many bytes they take.
func (b *groupBuffer) Held() (values, bytes int64) {
	if k, ok := b.state.(keeper); ok {
		return k.held()
	}
	return 0, 0
}

// Eval implements sql.AggregationBuffer.
func (b *groupBuffer) Eval(ctx *sql.Context) (any, error) { return b.state.value(ctx) }

// Dispose implements sql.Disposable.
func (b *groupBuffer) Dispose() {}

// NewWindowFunction implements sql.WindowAdaptableExpression.
func (g *grouped) NewWindowFunction() (sql.WindowFunction, error) {
	w := &groupWindow{aggregate: g.aggregate}
	if g.window != nil && g.window.Frame != nil {
		framer, err := g.window.Frame.NewFramer(g.window)
		if err != nil {
			return nil, err
		}
		w.framer = framer
	}
	return w, nil
}

// groupWindow aggregates the rows of a frame anew for each row.
type groupWindow struct {
	aggregate *aggregate
	framer    sql.WindowFramer
	first     int     // where the partition begins
	rows      [][]any // its arguments; nil for a row that does not count
}

// StartPartition implements sql.WindowFunction.
func (w *groupWindow) StartPartition(ctx *sql.Context, interval sql.WindowInterval, rows sql.WindowBuffer) error {
	w.first, w.rows = interval.Start, nil
	for _, row := range rows[interval.Start:interval.End] {
		args, counts, err := w.aggregate.evaluate(ctx, row)
		if err != nil {
			return err
		}
		if !counts {
			args = nil
		}
		w.rows = append(w.rows, args)
	}
	// An argument that cannot be aggregated is found here: Compute has no
	// way to say so.
	_, err := w.aggregated(ctx, w.rows)
	return err
}

func (w *groupWindow) aggregated(ctx *sql.Context, rows [][]any) (any, error) {
	s := w.aggregate.begin()
	for _, args := range rows {
		if args == nil {
			continue
		}
		if err := s.add(ctx, args); err != nil {
			return nil, err
		}
	}
	return s.value(ctx)
}

// DefaultFramer implements sql.WindowFunction.
func (w *groupWindow) DefaultFramer() sql.WindowFramer {
	if w.framer != nil {
		return w.framer
	}
	return aggregation.NewUnboundedPrecedingToCurrentRowFramer()
}

// Compute implements sql.WindowFunction.
func (w *groupWindow) Compute(ctx *sql.Context, interval sql.WindowInterval, _ sql.WindowBuffer) any {
	from, to := interval.Start-w.first, interval.End-w.first
	if from >= to {
		return nil
	}
	v, err := w.aggregated(ctx, w.rows[from:to])
	if err != nil {
		return nil
	}
	return v
}

// Dispose implements sql.Disposable.
func (w *groupWindow) Dispose() {}
