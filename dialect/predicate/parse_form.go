package predicate

import (
	"fmt"
	"math/big"
	"strconv"
	"strings"
	"time"
)

// cast parses CAST(x AS type).
func (p *parser) cast() (Expr, error) {
	first := p.take()
	p.take()
	if first.is("try_cast") {
		return nil, Unsupported(p.src[first.pos:], "TRY_CAST cannot be used; use CAST")
	}
	arg, err := p.condition()
	if err != nil {
		return nil, err
	}
	if err := p.expect("as"); err != nil {
		return nil, err
	}
	t, err := p.typeName()
	if err != nil {
		return nil, err
	}
	if err := p.expect(")"); err != nil {
		return nil, err
	}
	return p.foldCast(&Cast{p.from(first.pos), arg, t})
}

var typeNames = map[string]string{
	"boolean": "boolean", "tinyint": "tinyint", "byte": "tinyint", "smallint": "smallint", "short": "smallint",
	"int": "int", "integer": "int", "bigint": "bigint", "long": "bigint",
	"float": "float", "real": "float", "double": "double",
	"decimal": "decimal", "dec": "decimal", "numeric": "decimal",
	"string": "string", "varchar": "string", "char": "string", "character": "string", "binary": "binary",
	"date": "date", "timestamp": "timestamp", "timestamp_ltz": "timestamp", "timestamp_ntz": "timestamp_ntz", "time": "time",
}

func (p *parser) typeName() (Type, error) {
	t := p.peek()
	name, ok := typeNames[strings.ToLower(t.value)]
	if t.kind != tokenWord || !ok {
		return Type{}, p.unexpected("a type, such as DATE, TIMESTAMP, BIGINT, DECIMAL(10, 2) or STRING,")
	}
	p.take()
	out := Type{Name: name}
	if name == "decimal" {
		out.Precision = 10
	}
	if !p.accept("(") {
		return out, nil
	}
	var numbers []int
	for {
		n, err := strconv.Atoi(p.peek().value)
		if err != nil {
			return Type{}, p.unexpected("a number")
		}
		p.take()
		numbers = append(numbers, n)
		if p.accept(")") {
			break
		}
		if !p.accept(",") {
			return Type{}, p.unexpected("a comma or )")
		}
	}
	if name == "decimal" {
		out.Precision, out.Scale = numbers[0], 0
		if len(numbers) > 1 {
			out.Scale = numbers[1]
		}
		if len(numbers) > 2 || out.Precision < 1 || out.Precision > maxDigits || out.Scale < 0 || out.Scale > out.Precision {
			return Type{}, Invalid(out.String(), "a decimal has 1 to %d digits, and no more than that behind the point", maxDigits)
		}
	}
	return out, nil
}

// extract parses EXTRACT(field FROM x), which is the function of that name.
func (p *parser) extract() (Expr, error) {
	first := p.take()
	p.take()
	field := strings.ToLower(p.take().value)
	if err := p.expect("from"); err != nil {
		return nil, err
	}
	arg, err := p.condition()
	if err != nil {
		return nil, err
	}
	if err := p.expect(")"); err != nil {
		return nil, err
	}
	if _, ok := partUnits[field]; !ok {
		return nil, Unsupported(string(p.from(first.pos)), "the field %q cannot be extracted; allowed are YEAR, QUARTER, MONTH, DAY, HOUR, MINUTE and SECOND", field)
	}
	return p.call(first.pos, field, []Expr{arg})
}

// interval parses INTERVAL 7 DAYS, INTERVAL '7' DAY, INTERVAL 1 HOUR 30
// MINUTES and INTERVAL '1 hour 30 minutes'.
func (p *parser) interval() (Expr, error) {
	first := p.take()
	sum := Interval{}
	negative := p.accept("-")
	if !negative {
		p.accept("+")
	}
	for n := 0; ; n++ {
		t := p.peek()
		if t.kind != tokenNumber && t.kind != tokenString && !(n > 0 && t.is("-") && p.ahead(1).kind == tokenNumber && isUnit(p.ahead(2).value)) {
			if n == 0 {
				return nil, p.unexpected("a number")
			}
			break
		}
		text := p.take().value
		if t.is("-") {
			text += p.take().value
		}
		unit := p.peek()
		if t.kind == tokenString && (unit.kind != tokenWord || !isUnit(unit.value)) && n == 0 {
			var err error
			if sum, err = intervalText(text); err != nil {
				return nil, Invalid(string(p.from(first.pos)), "%w", err)
			}
			break
		}
		if unit.kind != tokenWord || !isUnit(unit.value) {
			return nil, p.unexpected("a unit, such as DAYS or HOURS,")
		}
		p.take()
		if p.peek().is("to") {
			return nil, Unsupported(p.src[first.pos:], "an interval from one unit to another cannot be used; write INTERVAL 1 DAY 2 HOURS")
		}
		if err := sum.add(text, unit.value); err != nil {
			return nil, Invalid(string(p.from(first.pos)), "%w", err)
		}
	}
	var v Value = sum
	if negative {
		v, _ = negate(sum)
	}
	return &Constant{p.from(first.pos), v}, nil
}

// intervalText reads numbers and units in turn.
func intervalText(s string) (Interval, error) {
	words := strings.Fields(s)
	if len(words) > 0 && strings.EqualFold(words[0], "interval") {
		words = words[1:]
	}
	if len(words) == 0 || len(words)%2 == 1 {
		return Interval{}, fmt.Errorf("%q is not an interval; write it as '1 day 2 hours'", clip(s))
	}
	var sum Interval
	for i := 0; i < len(words); i += 2 {
		if err := sum.add(words[i], words[i+1]); err != nil {
			return Interval{}, err
		}
	}
	return sum, nil
}

func unitName(unit string) string { return strings.TrimSuffix(strings.ToLower(unit), "s") }

func isUnit(unit string) bool {
	_, ok := calendarUnits[unitName(unit)]
	_, ok2 := timeUnits[unitName(unit)]
	return ok || ok2
}

var (
	calendarUnits = map[string]Interval{
		"year": {Months: 12}, "quarter": {Months: 3}, "month": {Months: 1}, "week": {Days: 7}, "day": {Days: 1},
	}
	timeUnits = map[string]time.Duration{
		"hour": time.Hour, "minute": time.Minute, "second": time.Second,
		"millisecond": time.Millisecond, "microsecond": time.Microsecond,
	}
)

// add adds a number of a unit; only seconds may have a fraction.
func (i *Interval) add(number, unit string) error {
	d, err := ParseDecimal(strings.TrimSpace(number))
	if err != nil {
		return err
	}
	var next Value
	if one, ok := timeUnits[unitName(unit)]; ok {
		ns := new(big.Rat).Mul(d.Rat, new(big.Rat).SetInt64(int64(one)))
		if !ns.IsInt() || !d.Rat.IsInt() && one != time.Second {
			return fmt.Errorf("%s %s: only seconds may have a fraction", clip(number), unit)
		}
		if !ns.Num().IsInt64() {
			return errOverflow
		}
		next, err = checked(Interval{Time: time.Duration(ns.Num().Int64())})
	} else {
		one, ok := calendarUnits[unitName(unit)]
		if !ok || !d.Rat.IsInt() || !d.Rat.Num().IsInt64() {
			return fmt.Errorf("%s %s is not an interval; write it as 7 DAYS", clip(number), unit)
		}
		next, err = scaleInterval(one, d.Rat.Num().Int64())
	}
	if err != nil {
		return err
	}
	sum, err := addIntervals("+", *i, next.(Interval))
	if err != nil {
		return err
	}
	*i = sum.(Interval)
	return nil
}
