package server

import (
	"fmt"
	"io"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
)

// node is a statement of ours in the engine's plan. It runs when its first row
// is asked for, not before: a statement that is only planned does nothing, and
// one that runs can be killed.
type node struct {
	text   string
	schema sql.Schema
	args   []sql.Expression
	run    func(ctx *sql.Context, args []sql.Expression) ([]sql.Row, error)
}

var (
	_ sql.ExecSourceRel = (*node)(nil)
	_ sql.Expressioner  = (*node)(nil)
)

// Resolved implements sql.Node.
func (n *node) Resolved() bool { return true }

// String implements sql.Node.
func (n *node) String() string { return n.text }

// Schema implements sql.Node.
func (n *node) Schema() sql.Schema { return n.schema }

// Children implements sql.Node.
func (n *node) Children() []sql.Node { return nil }

// WithChildren implements sql.Node.
func (n *node) WithChildren(children ...sql.Node) (sql.Node, error) {
	if len(children) != 0 {
		return nil, sql.ErrInvalidChildrenNumber.New(n, len(children), 0)
	}
	return n, nil
}

// IsReadOnly implements sql.Node.
func (n *node) IsReadOnly() bool { return false }

// Expressions implements sql.Expressioner.
func (n *node) Expressions() []sql.Expression { return n.args }

// WithExpressions implements sql.Expressioner.
func (n *node) WithExpressions(args ...sql.Expression) (sql.Node, error) {
	if len(args) != len(n.args) {
		return nil, sql.ErrInvalidChildrenNumber.New(n, len(args), len(n.args))
	}
	changed := *n
	changed.args = args
	return &changed, nil
}

// RowIter implements sql.ExecSourceRel.
func (n *node) RowIter(*sql.Context, sql.Row) (sql.RowIter, error) {
	return &nodeRows{node: n}, nil
}

// nodeRows runs a node and returns its rows.
type nodeRows struct {
	node *node
	ran  bool
	rows []sql.Row
}

// Next implements sql.RowIter.
func (r *nodeRows) Next(ctx *sql.Context) (sql.Row, error) {
	if !r.ran {
		r.ran = true
		rows, err := r.node.run(ctx, r.node.args)
		if err != nil {
			return nil, wireError(err)
		}
		r.rows = rows
	}
	if len(r.rows) == 0 {
		return nil, io.EOF
	}
	row := r.rows[0]
	r.rows = r.rows[1:]
	return row, nil
}

// Close implements sql.RowIter.
func (r *nodeRows) Close(*sql.Context) error { return nil }

// injected makes a node for the dialect from the resolved children.
type injected func(args []sql.Expression) (*node, error)

// WithResolvedChildren implements the parser's Injectable. It may be called
// several times: once per execution of a prepared statement.
func (i injected) WithResolvedChildren(children []any) (any, error) {
	args := make([]sql.Expression, len(children))
	for k, child := range children {
		e, ok := child.(sql.Expression)
		if !ok {
			return nil, fmt.Errorf("argument %d is no expression: %T", k+1, child)
		}
		args[k] = e
	}
	n, err := i(args)
	if err != nil {
		return nil, wireError(err)
	}
	return n, nil
}

// textColumn is a column of text of a node's schema.
func textColumn(name string, nullable bool) *sql.Column {
	return &sql.Column{Name: name, Type: types.LongText, Nullable: nullable}
}

// numberColumn is a column of whole numbers of a node's schema.
func numberColumn(name string) *sql.Column {
	return &sql.Column{Name: name, Type: types.Int64}
}
