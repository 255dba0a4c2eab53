package rewrite

import (
	"context"
	"fmt"
	"slices"

	"github.com/apache/iceberg-go"
	"github.com/apache/iceberg-go/table"
)

// The library fails on the bounds of files that are older than the promotion of
// a column, as they have another width. Comparisons of such columns are
// therefore decided here for each file, and by the library what is then left of
// the condition.

// matching is a plan of the files that may have a row that meets where, which
// may be nil.
func matching(ctx context.Context, tbl *table.Table, branch string, where iceberg.BooleanExpression) ([]table.FileScanTask, error) {
	if where == nil {
		return scanTasks(ctx, tbl, branch, nil)
	}
	where, err := iceberg.RewriteNotExpr(where)
	if err != nil {
		return nil, fmt.Errorf("plan rewrite: %w", err)
	}
	p := promotions{tbl.Metadata()}
	weak, err := p.reduce(where, nil)
	if err != nil {
		return nil, err
	}
	all, err := scanTasks(ctx, tbl, branch, weak)
	if err != nil || weak.Equals(where) {
		return all, err
	}
	parts, err := p.divide(where, all)
	if err != nil {
		return nil, err
	}
	chosen := map[string]bool{}
	for _, part := range parts {
		tasks, err := scanTasks(ctx, tbl, branch, part.left)
		if err != nil {
			return nil, err
		}
		for _, task := range tasks {
			if path := task.File.FilePath(); part.files[path] {
				chosen[path] = true
			}
		}
	}
	return slices.DeleteFunc(all, func(task table.FileScanTask) bool { return !chosen[task.File.FilePath()] }), nil
}

// remainder are the files for which the same is left of a condition.
type remainder struct {
	left  iceberg.BooleanExpression
	files map[string]bool
}

// promotions decides comparisons of the columns of a table that had a narrower
// type once.
type promotions struct{ meta table.Metadata }

// divide puts files together for which the same is left of where.
func (p promotions) divide(where iceberg.BooleanExpression, tasks []table.FileScanTask) ([]remainder, error) {
	var parts []remainder
	for _, task := range tasks {
		left, err := p.reduce(where, task.File)
		if err != nil {
			return nil, err
		}
		i := slices.IndexFunc(parts, func(p remainder) bool { return p.left.Equals(left) })
		if i < 0 {
			i = len(parts)
			parts = append(parts, remainder{left, map[string]bool{}})
		}
		parts[i].files[task.File.FilePath()] = true
	}
	return parts, nil
}

// reduce decides the comparisons of promoted columns in a condition without
// NOT: for a file, or to be true if file is nil.
func (p promotions) reduce(where iceberg.BooleanExpression, file iceberg.DataFile) (iceberg.BooleanExpression, error) {
	r := &reducer{promotions: p, file: file}
	left, err := iceberg.VisitExpr(where, r)
	if err == nil {
		err = r.err
	}
	if err != nil {
		return nil, fmt.Errorf("plan rewrite: %w", err)
	}
	return left, nil
}

// isPromoted says whether bounds of the column may be of another width than
// those of its type.
func (p promotions) isPromoted(f iceberg.NestedField) bool {
	switch f.Type.(type) {
	case iceberg.Int64Type, iceberg.Float64Type, iceberg.TimestampType, iceberg.TimestampNsType:
	default:
		return false
	}
	return slices.ContainsFunc(p.meta.Schemas(), func(s *iceberg.Schema) bool {
		was, ok := s.FindFieldByID(f.ID)
		return ok && !was.Type.Equals(f.Type)
	})
}

// reducer implements promotions.reduce.
type reducer struct {
	promotions
	file iceberg.DataFile
	err  error
}

var _ iceberg.BooleanExprVisitor[iceberg.BooleanExpression] = (*reducer)(nil)

func (*reducer) VisitTrue() iceberg.BooleanExpression  { return iceberg.AlwaysTrue{} }
func (*reducer) VisitFalse() iceberg.BooleanExpression { return iceberg.AlwaysFalse{} }

func (*reducer) VisitNot(child iceberg.BooleanExpression) iceberg.BooleanExpression {
	return iceberg.NewNot(child)
}

func (*reducer) VisitAnd(left, right iceberg.BooleanExpression) iceberg.BooleanExpression {
	return iceberg.NewAnd(left, right)
}

func (*reducer) VisitOr(left, right iceberg.BooleanExpression) iceberg.BooleanExpression {
	return iceberg.NewOr(left, right)
}

func (*reducer) VisitBound(predicate iceberg.BoundPredicate) iceberg.BooleanExpression {
	return predicate
}

func (r *reducer) VisitUnbound(predicate iceberg.UnboundPredicate) iceberg.BooleanExpression {
	expr, err := predicate.Bind(r.meta.CurrentSchema(), false)
	if err != nil {
		r.err = err
		return predicate
	}
	bound, ok := expr.(iceberg.BoundPredicate)
	if !ok || !r.isPromoted(bound.Ref().Field()) {
		return predicate
	}
	values := valuesOf(bound)
	switch {
	case values == nil:
		// IS NULL and the like look at counts only.
		return predicate
	case r.file == nil || r.mayHold(bound, values):
		return iceberg.AlwaysTrue{}
	}
	return iceberg.AlwaysFalse{}
}

// valuesOf are what a comparison compares with.
func valuesOf(predicate iceberg.BoundPredicate) []iceberg.Literal {
	switch p := predicate.(type) {
	case iceberg.BoundLiteralPredicate:
		return []iceberg.Literal{p.Literal()}
	case iceberg.BoundSetPredicate:
		return p.Literals().Members()
	}
	return nil
}
