package server

import (
	"context"
	"iter"
	"strings"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/iceberg-go"
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/plan"

	"github.com/firndb/firn/server/columnar"
	"github.com/firndb/firn/server/functions"
)

// source is a relation that is read as record batches, and the conditions of the
// Filters above it.
type source struct {
	relation   *relation
	loaded     *loaded
	fields     []iceberg.NestedField
	zone       *time.Location
	conditions []sql.Expression
}

// sourceOf is what n reads if that is one of our relations, maybe under another
// name and filtered; nil otherwise, and for what depends on a row around it.
func sourceOf(ctx *sql.Context, n sql.Node, row sql.Row) (*source, error) {
	in, _, err := sourceOfAll(ctx, n, row, nil)
	return in, err
}

// sourceOfAll is sourceOf, also below the projections of derived tables if of,
// expressions on the columns of n, is not nil: these it returns as expressions
// on the relation's.
func sourceOfAll(ctx *sql.Context, n sql.Node, row sql.Row, of []sql.Expression) (*source, []sql.Expression, error) {
	if len(row) > 0 {
		return nil, nil, nil
	}
	var conditions []sql.Expression
	r := relationOf(n)
	for r == nil {
		ok := true
		switch node := n.(type) {
		case *plan.Filter:
			conditions = append(expression.SplitConjunction(node.Expression), conditions...)
			n = node.Child
		case *plan.TableAlias:
			n = node.Child
		case *plan.SubqueryAlias:
			n, ok = node.Child, of != nil && !node.OuterScopeVisibility && !node.IsLateral
		case *plan.Project:
			before := len(conditions) + len(of)
			replace := func(get *expression.GetField) sql.Expression { return columnOf(node, get.Index()) }
			conditions, of = inlined(conditions, replace), inlined(of, replace)
			n, ok = node.Child, of != nil && len(conditions)+len(of) == before
		default:
			ok = false
		}
		if !ok {
			return nil, nil, nil
		}
		r = relationOf(n)
	}
	in, err := newSource(ctx, r)
	if err != nil {
		return nil, nil, wireError(err)
	}
	in.conditions = conditions
	return in, of, nil
}

// columnOf is what a projection computes for a column, nil if it has not so many.
func columnOf(n *plan.Project, column int) sql.Expression {
	if column < 0 || column >= len(n.Projections) {
		return nil
	}
	e := n.Projections[column]
	if alias, ok := e.(*expression.Alias); ok {
		return alias.Child
	}
	return e
}

func newSource(ctx *sql.Context, r *relation) (*source, error) {
	l, err := r.load()
	if err != nil {
		return nil, err
	}
	positions, err := r.selected(l)
	if err != nil {
		return nil, err
	}
	zone, err := zoneOf(ctx)
	if err != nil {
		return nil, err
	}
	in := &source{relation: r, loaded: l, zone: zone, fields: make([]iceberg.NestedField, len(positions))}
	for i, p := range positions {
		in.fields[i] = l.fields[p]
	}
	return in, nil
}

// columnar is the source as the columnar package knows it.
func (s *source) columnar() columnar.Source {
	return columnar.Source{
		Leaf: s.leaf,
		Cells: func(leaf columnar.Leaf, arr arrow.Array) (func(int) any, error) {
			return newCells(leaf.Type, arr, s.zone)
		},
		Zone: s.zone,
	}
}

// leaf is the column, or the field nested in one, that e is.
func (s *source) leaf(e sql.Expression) (columnar.Leaf, bool) {
	switch e := e.(type) {
	case *expression.GetField:
		i := e.Index()
		if i < 0 || i >= len(s.fields) || !strings.EqualFold(s.fields[i].Name, e.Name()) {
			return columnar.Leaf{}, false
		}
		return columnar.Leaf{Path: []string{s.fields[i].Name}, Type: s.fields[i].Type}, true
	case *functions.Call:
		of, index, isField := e.Field()
		if !isField {
			return columnar.Leaf{}, false
		}
		leaf, ok := s.leaf(of)
		st, isStruct := leaf.Type.(*iceberg.StructType)
		if !ok || !isStruct || index >= len(st.FieldList) {
			return columnar.Leaf{}, false
		}
		f := st.FieldList[index]
		return columnar.Leaf{Path: append(leaf.Path, f.Name), Type: f.Type}, true
	}
	return columnar.Leaf{}, false
}

// batches streams the columns of fields.
func (s *source) batches(ctx context.Context) (iter.Seq2[arrow.RecordBatch, error], error) {
	names := make([]string, len(s.fields))
	for i, f := range s.fields {
		names[i] = f.Name
	}
	return s.relation.batches(ctx, s.loaded, names)
}

// filtered are the rows that meet the conditions; nil if a condition must be
// left to the engine.
func (s *source) filtered(ctx *sql.Context) (sql.RowIter, error) {
	filter, ok := columnar.NewFilter(ctx, s.columnar(), s.conditions)
	if !ok {
		return nil, nil
	}
	return &rows{source: s, filter: filter}, nil
}
