package filter

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/apache/arrow-go/v18/arrow/decimal128"
	"github.com/apache/iceberg-go"

	"github.com/firndb/firn/dialect/predicate"
)

// row is a row of the generator's schema.
type row []any

func (r row) Size() int          { return len(r) }
func (r row) Get(pos int) any    { return r[pos] }
func (r row) Set(pos int, v any) { r[pos] = v }

// generator makes random conditions and rows.
type generator struct {
	*rand.Rand
	zone *time.Location
}

// columns of the generator: the value of a row, as Iceberg has it and as SQL.
var columns = []struct {
	name  string
	typ   iceberg.Type
	value func(g generator) (any, string)
}{
	{"l", iceberg.PrimitiveTypes.Int64, func(g generator) (any, string) {
		n := g.Int64N(7) - 3
		return n, fmt.Sprint(n)
	}},
	{"i", iceberg.PrimitiveTypes.Int32, func(g generator) (any, string) {
		n := g.Int32N(7) - 3
		return n, fmt.Sprint(n)
	}},
	{"d", iceberg.DecimalTypeOf(10, 2), func(g generator) (any, string) {
		n := g.Int64N(14)*25 - 150
		return iceberg.Decimal{Val: decimal128.FromI64(n), Scale: 2}, fmt.Sprintf("CAST('%s' AS DECIMAL(10, 2))", decimal128.FromI64(n).ToString(2))
	}},
	{"f", iceberg.PrimitiveTypes.Float64, func(g generator) (any, string) {
		f := float64(g.IntN(13))/2 - 3
		return f, fmt.Sprintf("CAST('%g' AS DOUBLE)", f)
	}},
	{"s", iceberg.PrimitiveTypes.String, func(g generator) (any, string) {
		s := []string{"", "a", "ab", "abc", "b", "a%"}[g.IntN(6)]
		return s, "'" + s + "'"
	}},
	{"b", iceberg.PrimitiveTypes.Bool, func(g generator) (any, string) {
		b := g.IntN(2) == 0
		return b, fmt.Sprint(b)
	}},
	{"t", iceberg.PrimitiveTypes.TimestampTz, func(g generator) (any, string) {
		at := g.time()
		return iceberg.Timestamp(at.UnixMicro()), "TIMESTAMP '" + at.Format(time.RFC3339Nano) + "'"
	}},
	{"n", iceberg.PrimitiveTypes.Timestamp, func(g generator) (any, string) {
		at := g.time()
		return iceberg.Timestamp(at.UnixMicro()), "TIMESTAMP_NTZ '" + at.Format("2006-01-02 15:04:05") + "'"
	}},
	{"y", iceberg.PrimitiveTypes.Date, func(g generator) (any, string) {
		at := g.time()
		return iceberg.Date(at.Unix() / 86400), "DATE '" + at.Format(time.DateOnly) + "'"
	}},
}

// time is one of few, so that conditions hit them, in a winter without a
// change of clocks.
func (g generator) time() time.Time {
	return time.Date(2025, 12, 30, 0, 0, 0, 0, time.UTC).Add(time.Duration(g.IntN(30)) * 5 * time.Hour)
}

// constant is a value that can be compared with column c.
func (g generator) constant(c int) string {
	if g.IntN(15) == 0 {
		return "NULL"
	}
	name := columns[c].name
	switch {
	case strings.Contains("lidf", name) && g.IntN(2) == 0:
		return []string{"0.5", "-1.255", "1D", "'2'", "1 + 1", "99999999999", "-99999999999", "1E20", "0.5F", "-3 * 2.5"}[g.IntN(10)]
	case strings.Contains("tny", name):
		other := []int{6, 7, 8}[g.IntN(3)]
		_, sql := columns[other].value(g)
		return []string{sql, sql + " + INTERVAL 1 DAY", "'" + g.time().Format(time.DateOnly) + "'", sql + " - INTERVAL 1 MONTH"}[g.IntN(4)]
	}
	_, sql := columns[c].value(g)
	return sql
}

// term is a column, or a function of one, and values for it.
func (g generator) term() (string, func() string) {
	c := g.IntN(len(columns))
	name := "{" + columns[c].name + "}"
	if !strings.Contains("tny", columns[c].name) {
		return name, func() string { return g.constant(c) }
	}
	constant := func() string { return g.constant(c) }
	switch g.IntN(6) {
	case 0:
		return "year(" + name + ")", func() string { return []string{"2025", "2026", "2026.5", "'2026'"}[g.IntN(4)] }
	case 1:
		return "CAST(" + name + " AS DATE)", constant
	case 2:
		unit := []string{"YEAR", "MONTH", "WEEK", "DAY"}[g.IntN(4)]
		return "date_trunc('" + unit + "', " + name + ")", constant
	case 3:
		return "year(date(" + name + "))", func() string { return []string{"2025", "2026"}[g.IntN(2)] }
	}
	return name, constant
}

func (g generator) condition(depth int) string {
	if depth > 0 {
		switch g.IntN(5) {
		case 0, 1:
			return "(" + g.condition(depth-1) + " AND " + g.condition(depth-1) + ")"
		case 2:
			return "(" + g.condition(depth-1) + " OR " + g.condition(depth-1) + ")"
		case 3:
			return "NOT (" + g.condition(depth-1) + ")"
		}
	}
	term, value := g.term()
	not := []string{"", "NOT "}[g.IntN(2)]
	switch g.IntN(9) {
	case 0:
		return term + " " + not + "IN (" + value() + ", " + value() + ", " + value() + ")"
	case 1:
		return term + " " + not + "BETWEEN " + value() + " AND " + value()
	case 2:
		return term + " IS " + not + "NULL"
	case 3:
		return value() + " < " + term
	case 4:
		return "{s} " + not + "LIKE '" + []string{"a%", "ab", "%", "a\\\\%", "b%%"}[g.IntN(5)] + "'"
	case 5:
		return "{b} IS " + not + "TRUE"
	}
	return term + " " + []string{"=", "!=", "<", "<=", ">", ">=", "<=>"}[g.IntN(7)] + " " + value()
}

// TestExpressionMeansCondition compares the value of expressions on random
// rows with the constant that the condition folds to when the row's values are
// put in place of the columns.
func TestExpressionMeansCondition(t *testing.T) {
	var fields []iceberg.NestedField
	for i, c := range columns {
		fields = append(fields, iceberg.NestedField{ID: i + 1, Name: c.name, Type: c.typ})
	}
	s := iceberg.NewSchema(0, fields...)
	outcomes := map[bool]int{}
	for seed := range uint64(4000) {
		opts := options([]string{"UTC", "America/New_York", "Asia/Kolkata"}[seed%3])
		g := generator{rand.New(rand.NewPCG(seed, 1)), opts.Zone}
		text := g.condition(3)
		names, literals := make([]string, 0), make([][]string, 6)
		rows := make([]row, len(literals))
		for _, c := range columns {
			names = append(names, "{"+c.name+"}", c.name)
			for i := range rows {
				v, sql := c.value(g)
				if g.IntN(5) == 0 {
					v, sql = nil, "NULL"
				}
				rows[i] = append(rows[i], v)
				literals[i] = append(literals[i], "{"+c.name+"}", "("+sql+")")
			}
		}
		condition := strings.NewReplacer(names...).Replace(text)
		e, err := Parse(condition, s, opts)
		if err != nil {
			t.Fatalf("seed %d: %s: %v", seed, condition, err)
		}
		eval, err := iceberg.ExpressionEvaluator(s, e, true)
		if err != nil {
			t.Fatalf("seed %d: %s: %v", seed, condition, err)
		}
		for i, r := range rows {
			folded, err := predicate.Parse(strings.NewReplacer(literals[i]...).Replace(text), predicate.Env{Now: opts.Now, Zone: opts.Zone})
			if err != nil {
				t.Fatalf("seed %d: %s: %v", seed, text, err)
			}
			c, ok := folded.(*predicate.Constant)
			if !ok {
				t.Fatalf("seed %d: %s is no constant", seed, folded.Text())
			}
			b, _ := c.Value.(predicate.Bool)
			got, err := eval(r)
			if err != nil || got != bool(b) {
				t.Fatalf("seed %d: %s\nis %s, error %v, for the row %v\nbut %s is %s", seed, condition, fmt.Sprint(got), err, r, folded.Text(), c.Value)
			}
			outcomes[got]++
		}
	}
	if outcomes[true] < 3000 || outcomes[false] < 3000 {
		t.Errorf("the outcomes are one-sided: %v", outcomes)
	}
}

// TestTransforms compares conditions on partition transforms with what the
// transforms give for random values.
func TestTransforms(t *testing.T) {
	p := iceberg.PrimitiveTypes
	s := iceberg.NewSchema(0,
		iceberg.NestedField{ID: 1, Name: "t", Type: p.TimestampTz},
		iceberg.NestedField{ID: 2, Name: "l", Type: p.Int64},
		iceberg.NestedField{ID: 3, Name: "d", Type: iceberg.DecimalTypeOf(10, 2)},
		iceberg.NestedField{ID: 4, Name: "y", Type: p.Date})
	cases := []struct {
		call      string
		transform iceberg.Transform
		column    int
		result    int // of a value that is often hit
		unordered bool
	}{
		{"years(t)", iceberg.YearTransform{}, 0, 56, false},
		{"months(t)", iceberg.MonthTransform{}, 0, 672, false},
		{"days(t)", iceberg.DayTransform{}, 0, 20454, false},
		{"hours(t)", iceberg.HourTransform{}, 0, 490900, false},
		{"months(y)", iceberg.MonthTransform{}, 3, -1, false},
		{"days(y)", iceberg.DayTransform{}, 3, -10, false},
		{"truncate(10, l)", iceberg.TruncateTransform{Width: 10}, 1, -10, false},
		{"bucket(4, l)", iceberg.BucketTransform{NumBuckets: 4}, 1, 2, true},
	}
	g := rand.New(rand.NewPCG(1, 2))
	for _, tc := range cases {
		hits := map[bool]int{}
		for range 600 {
			op := []string{"=", "!=", "<", "<=", ">", ">="}[g.IntN(6)]
			if tc.unordered {
				op = []string{"=", "!="}[g.IntN(2)]
			}
			n := tc.result + g.IntN(5) - 2
			text := fmt.Sprintf("%s %s %d", tc.call, op, n)
			e, err := Parse(text, s, options("Asia/Kolkata"))
			if err != nil {
				t.Fatal(err)
			}
			eval, err := iceberg.ExpressionEvaluator(s, e, true)
			if err != nil {
				t.Fatal(err)
			}
			at := time.Date(2025, 12, 31, 0, 0, 0, 0, time.UTC).Add(time.Duration(g.Int64N(int64(96 * time.Hour))))
			r := row{
				iceberg.Timestamp(at.UnixMicro()), g.Int64N(60) - 30,
				iceberg.Decimal{Val: decimal128.FromI64(g.Int64N(100) - 50), Scale: 2},
				iceberg.Date(g.IntN(100) - 50),
			}
			got, err := eval(r)
			if err != nil {
				t.Fatal(err)
			}
			result := transformed(t, tc.transform, r[tc.column])
			want := map[string]bool{
				"=": result == n, "!=": result != n, "<": result < n, "<=": result <= n, ">": result > n, ">=": result >= n,
			}[op]
			if got != want {
				t.Fatalf("%s is %t for %v, whose transform is %d", text, got, r[tc.column], result)
			}
			hits[got]++
		}
		if hits[true] < 20 || hits[false] < 20 {
			t.Errorf("%s: the outcomes are one-sided: %v", tc.call, hits)
		}
	}
}

func transformed(t *testing.T, transform iceberg.Transform, v any) int {
	t.Helper()
	var lit iceberg.Literal
	switch v := v.(type) {
	case int64:
		lit = iceberg.NewLiteral(v)
	case iceberg.Timestamp:
		lit = iceberg.NewLiteral(v)
	case iceberg.Date:
		lit = iceberg.NewLiteral(v)
	}
	switch v := transform.Apply(iceberg.Optional[iceberg.Literal]{Val: lit, Valid: true}).Val.Any().(type) {
	case int32:
		return int(v)
	case int64:
		return int(v)
	case iceberg.Date:
		return int(v)
	default:
		t.Fatalf("a transform gives %T", v)
		return 0
	}
}
