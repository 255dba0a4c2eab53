package metatables

import (
	"github.com/apache/iceberg-go"

	"github.com/firndb/firn/maintenance/manifest"
)

// matcher rules out manifests and entries in which no row meets a condition.
// It is sure of those; others may still have no such row.
type matcher struct {
	// leaves are what rows reads.
	leaves []manifest.Leaf
	// mayHold says whether a manifest may have entries that meet the condition,
	// or a snapshot's manifest list, where only that is known.
	mayHold func(m manifestRef) bool
	// may says whether entry i of a block may meet it; nil if all may.
	may func(b fileBatch) func(i int) bool
}

// manifest says whether a manifest has to be read.
func (m matcher) manifest(file iceberg.ManifestFile) bool {
	return m.mayHold(manifestRef{ManifestFile: file})
}

// rows is may, of a batch of which all rows are in question.
func (m matcher) rows(b fileBatch) func(i int) bool {
	if m.may == nil {
		return nil
	}
	return m.may(b)
}

// constant is the matcher of a condition that holds for all or for none.
func constant(holds bool) matcher {
	m := matcher{mayHold: func(manifestRef) bool { return holds }}
	if !holds {
		m.may = func(fileBatch) func(int) bool { return func(int) bool { return false } }
	}
	return m
}

// term is what a condition may be about.
type term struct {
	typ    iceberg.Type
	leaves []manifest.Leaf
	// manifest says whether a manifest may have a value that meets a test; nil
	// if it always may.
	manifest func(m manifestRef, t test) bool
	// rows says the same of an entry of a block; nil if it always may.
	rows func(b fileBatch, t test) func(i int) bool
}

// terms are what conditions on a metadata table may be about, by path. What is
// not among them rules out nothing.
type terms map[string]term

// compile makes the matcher of a filter; nil takes all.
func (ts terms) compile(filter iceberg.BooleanExpression) (matcher, error) {
	if filter == nil {
		return constant(true), nil
	}
	filter, err := iceberg.RewriteNotExpr(filter)
	if err != nil {
		return matcher{}, err
	}
	return iceberg.VisitExpr(filter, matchVisitor{ts})
}

// matchVisitor implements iceberg.BooleanExprVisitor. It sees no NOT.
type matchVisitor struct{ terms terms }

func (matchVisitor) VisitTrue() matcher                          { return constant(true) }
func (matchVisitor) VisitFalse() matcher                         { return constant(false) }
func (matchVisitor) VisitNot(matcher) matcher                    { return constant(true) }
func (v matchVisitor) VisitBound(iceberg.BoundPredicate) matcher { return constant(true) }

func (matchVisitor) VisitAnd(a, b matcher) matcher {
	return matcher{
		leaves:  append(a.leaves[:len(a.leaves):len(a.leaves)], b.leaves...),
		mayHold: func(m manifestRef) bool { return a.mayHold(m) && b.mayHold(m) },
		may: func(batch fileBatch) func(int) bool {
			first, second := a.rows(batch), b.rows(batch)
			switch {
			case first == nil:
				return second
			case second == nil:
				return first
			}
			return func(i int) bool { return first(i) && second(i) }
		},
	}
}

func (matchVisitor) VisitOr(a, b matcher) matcher {
	return matcher{
		leaves:  append(a.leaves[:len(a.leaves):len(a.leaves)], b.leaves...),
		mayHold: func(m manifestRef) bool { return a.mayHold(m) || b.mayHold(m) },
		may: func(batch fileBatch) func(int) bool {
			first, second := a.rows(batch), b.rows(batch)
			if first == nil || second == nil {
				return nil
			}
			return func(i int) bool { return first(i) || second(i) }
		},
	}
}

// VisitUnbound binds a predicate to its term alone, as if that were a column of
// that name, which may have dots.
func (v matchVisitor) VisitUnbound(p iceberg.UnboundPredicate) matcher {
	ref, ok := p.Term().(iceberg.Reference)
	if !ok {
		return constant(true)
	}
	t, ok := v.terms[string(ref)]
	if !ok {
		return constant(true)
	}
	bound, err := p.Bind(iceberg.NewSchema(0, iceberg.NestedField{ID: 1, Name: string(ref), Type: t.typ}), true)
	if err != nil {
		return constant(true) // a literal of a type that cannot be compared
	}
	check, ok := newTest(bound)
	if !ok {
		return constant(bound.Op() != iceberg.OpFalse)
	}
	m := matcher{mayHold: func(m manifestRef) bool { return t.manifest == nil || t.manifest(m, check) }}
	if t.rows != nil {
		m.leaves = t.leaves
		m.may = func(b fileBatch) func(int) bool { return t.rows(b, check) }
	}
	return m
}
