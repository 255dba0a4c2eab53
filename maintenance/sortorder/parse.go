package sortorder

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/apache/iceberg-go"
	"github.com/apache/iceberg-go/table"

	"github.com/firndb/firn/maintenance"
)

// Curve names a space-filling order over several columns.
type Curve string

// The curves. None is an order of fields.
const (
	None    Curve = ""
	ZOrder  Curve = "zorder"
	Hilbert Curve = "hilbert"
)

// Order is an order as written: fields, or the columns of a curve.
type Order struct {
	Curve   Curve
	Columns []string
	Fields  []Field
}

// Field is a column, or the transform of one, with its direction. Columns inside
// structs are written with dots.
type Field struct {
	Column    string
	Transform iceberg.Transform
	Direction table.SortDirection
	Nulls     table.NullOrder
}

// Parse reads a sort order. The error wraps maintenance.ErrInvalid, shows the
// text and says what was expected where.
func Parse(text string) (Order, error) {
	tokens, err := scan(text)
	if err != nil {
		return Order{}, err
	}
	p := &parser{text: text, tokens: tokens}
	var o Order
	enclosed := p.take("(")
	for {
		if err := p.term(&o); err != nil {
			return Order{}, err
		}
		if !p.take(",") {
			break
		}
	}
	if enclosed && !p.take(")") {
		return Order{}, p.unexpected(`"," or ")"`)
	}
	if p.peek().kind != kindEnd {
		return Order{}, p.unexpected(`ASC, DESC, NULLS, "," or the end`)
	}
	if len(o.Fields) > 0 && o.Curve != None {
		return Order{}, fmt.Errorf("%w: sort order %q mixes columns to sort by with %s, which orders by all of its columns at once; give either", maintenance.ErrInvalid, text, o.Curve)
	}
	return o, nil
}

// parser reads tokens.
type parser struct {
	text   string
	tokens []token
	at     int
}

func (p *parser) peek() token { return p.tokens[p.at] }

// next takes the next token; the end stays.
func (p *parser) next() token {
	t := p.tokens[p.at]
	if t.kind != kindEnd {
		p.at++
	}
	return t
}

// take takes the next token if it is that keyword or sign.
func (p *parser) take(text string) bool {
	if !p.peek().is(text) {
		return false
	}
	p.at++
	return true
}

func (p *parser) unexpected(expected string) error {
	t := p.peek()
	return syntax(p.text, t.at, "expected %s, got %s", expected, t)
}

// term reads a field or a curve and adds it to the order.
func (p *parser) term(o *Order) error {
	start := p.peek()
	name, err := p.name()
	if err != nil {
		return err
	}
	f := Field{Column: name, Transform: iceberg.IdentityTransform{}}
	if p.take("(") {
		a, err := p.arguments()
		if err != nil {
			return err
		}
		if curve := Curve(strings.ToLower(name)); curve == ZOrder || curve == Hilbert {
			return p.curve(o, curve, start, a)
		}
		if f.Transform, err = p.transform(start, name, a); err != nil {
			return err
		}
		f.Column = a.columns[0]
	}
	if f.Direction, f.Nulls, err = p.direction(); err != nil {
		return err
	}
	o.Fields = append(o.Fields, f)
	return nil
}

// name reads a name of one or more parts.
func (p *parser) name() (string, error) {
	var parts []string
	for {
		if k := p.peek().kind; k != kindWord && k != kindQuoted {
			return "", p.unexpected("a column or a transform of one")
		}
		parts = append(parts, p.next().text)
		if !p.take(".") {
			return strings.Join(parts, "."), nil
		}
	}
}

// direction reads ASC or DESC and the place of nulls: first when ascending and
// last when descending, unless said.
func (p *parser) direction() (table.SortDirection, table.NullOrder, error) {
	direction, nulls := table.SortASC, table.NullsFirst
	if !p.take("ASC") && p.take("DESC") {
		direction, nulls = table.SortDESC, table.NullsLast
	}
	if !p.take("NULLS") {
		return direction, nulls, nil
	}
	switch {
	case p.take("FIRST"):
		return direction, table.NullsFirst, nil
	case p.take("LAST"):
		return direction, table.NullsLast, nil
	}
	return "", "", p.unexpected("FIRST or LAST")
}

// arguments are what stands between the brackets of a transform.
type arguments struct {
	columns []string
	numbers []int
}

func (p *parser) arguments() (arguments, error) {
	var a arguments
	for {
		if t := p.peek(); t.kind == kindNumber {
			n, err := strconv.ParseInt(t.text, 10, 32)
			if err != nil {
				return a, syntax(p.text, t.at, "the number %s is too large", t.text)
			}
			p.next()
			a.numbers = append(a.numbers, int(n))
		} else {
			name, err := p.name()
			if err != nil {
				return a, err
			}
			a.columns = append(a.columns, name)
		}
		if p.take(")") {
			return a, nil
		}
		if !p.take(",") {
			return a, p.unexpected(`"," or ")"`)
		}
	}
}

// curve adds the columns of a curve.
func (p *parser) curve(o *Order, curve Curve, start token, a arguments) error {
	if len(a.numbers) > 0 {
		return syntax(p.text, start.at, "%s takes columns only", curve)
	}
	if p.take("ASC"); p.peek().is("DESC") || p.peek().is("NULLS") {
		return syntax(p.text, p.peek().at, "%s has no direction", curve)
	}
	if o.Curve != None && o.Curve != curve {
		return fmt.Errorf("%w: sort order %q mixes zorder and hilbert; give either", maintenance.ErrInvalid, p.text)
	}
	o.Curve = curve
	o.Columns = append(o.Columns, a.columns...)
	return nil
}

// transform finds a transform by its name in Spark.
func (p *parser) transform(start token, name string, a arguments) (iceberg.Transform, error) {
	var t iceberg.Transform
	wide := false
	switch strings.ToLower(name) {
	case "identity":
		t = iceberg.IdentityTransform{}
	case "bucket", "truncate":
		wide = true
	case "year", "years":
		t = iceberg.YearTransform{}
	case "month", "months":
		t = iceberg.MonthTransform{}
	case "date", "day", "days":
		t = iceberg.DayTransform{}
	case "date_hour", "hour", "hours":
		t = iceberg.HourTransform{}
	default:
		return nil, syntax(p.text, start.at, "there is no transform %q; allowed are bucket, truncate, years, months, days, hours, zorder and hilbert", name)
	}
	switch {
	case wide && (len(a.columns) != 1 || len(a.numbers) != 1 || a.numbers[0] < 1):
		return nil, syntax(p.text, start.at, "%s takes a width of at least 1 and a column", name)
	case !wide && (len(a.columns) != 1 || len(a.numbers) != 0):
		return nil, syntax(p.text, start.at, "%s takes one column", name)
	case wide && strings.EqualFold(name, "bucket"):
		t = iceberg.BucketTransform{NumBuckets: a.numbers[0]}
	case wide:
		t = iceberg.TruncateTransform{Width: a.numbers[0]}
	}
	return t, nil
}
