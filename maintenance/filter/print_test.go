package filter

import (
	"fmt"
	"slices"
	"strings"

	"github.com/apache/iceberg-go"
)

// show prints a bound expression with sorted sets, which iceberg's own String
// does not do.
func show(bound iceberg.BooleanExpression) (string, error) {
	return iceberg.VisitExpr(bound, printer{})
}

type printer struct{}

func (printer) VisitTrue() string                  { return "true" }
func (printer) VisitFalse() string                 { return "false" }
func (printer) VisitNot(child string) string       { return "not(" + child + ")" }
func (printer) VisitAnd(left, right string) string { return left + " and " + right }
func (printer) VisitOr(left, right string) string  { return "(" + left + " or " + right + ")" }
func (printer) VisitUnbound(p iceberg.UnboundPredicate) string {
	panic(fmt.Errorf("unbound: %s", p))
}

func (printer) VisitBound(p iceberg.BoundPredicate) string {
	name := p.Ref().Field().Name
	if t, ok := p.Term().(*iceberg.BoundTransform); ok {
		name = strings.TrimPrefix(t.String(), "BoundTransform(transform=")
		name = name[:strings.Index(name, ",")] + "(" + p.Ref().Field().Name + ")"
	}
	switch p := p.(type) {
	case iceberg.BoundLiteralPredicate:
		return fmt.Sprintf("%s %s %s", name, p.Op(), literal(p.Literal()))
	case iceberg.BoundSetPredicate:
		var items []string
		for _, l := range p.Literals().Members() {
			items = append(items, literal(l))
		}
		slices.Sort(items)
		return fmt.Sprintf("%s %s {%s}", name, p.Op(), strings.Join(items, ", "))
	}
	return fmt.Sprintf("%s %s", name, p.Op())
}

func literal(l iceberg.Literal) string {
	switch l := l.(type) {
	case iceberg.BinaryLiteral, iceberg.FixedLiteral:
		return fmt.Sprintf("X'%X'", l.Any())
	case iceberg.StringLiteral:
		return fmt.Sprintf("%q", string(l))
	}
	return l.String()
}
