package server

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// asker makes random queries of the shadow table.
type asker struct{ *rand.Rand }

func (a asker) one(of ...string) string { return of[a.IntN(len(of))] }

// number is an expression of numbers.
func (a asker) number(depth int) string {
	leaf := a.one("i", "l", "d", "f", "b", "x.i", "field(st, 'a')", "field(field(st, 'in'), 'x')", "0", "-3", "200", "40000", "3000000000", "9007199254740993", "1e3", "NULL", "TRUE", "l", "i")
	if depth == 0 {
		return leaf
	}
	switch a.IntN(12) {
	case 0:
		return fmt.Sprintf("(%s %s %s)", a.number(depth-1), a.one("+", "-", "*"), a.number(depth-1))
	case 5:
		return fmt.Sprintf("%s(%s, %s)", a.one("divide", "divide_whole", "remainder", "plus", "minus", "times", "coalesce", "nvl"), a.number(depth-1), a.number(depth-1))
	case 1:
		return fmt.Sprintf("CASE WHEN %s THEN %s WHEN %s THEN %s ELSE %s END", a.condition(depth-1), a.number(depth-1), a.condition(depth-1), a.number(depth-1), a.number(depth-1))
	case 2:
		return fmt.Sprintf("CASE WHEN %s THEN %s END", a.condition(depth-1), a.number(depth-1))
	case 3:
		return fmt.Sprintf("IF(%s, %s, %s)", a.condition(depth-1), a.number(depth-1), a.number(depth-1))
	case 4:
		return fmt.Sprintf("CASE %s WHEN %s THEN 1 ELSE 0 END", a.number(0), a.number(0))
	}
	return leaf
}

func (a asker) text() string {
	return a.one("s", "s", "field(st, 'b')", "'a'", "'A'", "''", "CASE WHEN "+a.condition(0)+" THEN s ELSE 'x' END", "IF(b, s, 'y')", "x.s")
}

func (a asker) time() string {
	return a.one("day", "ts", "tz", "field(field(st, 'in'), 'day')", "DATE '2024-10-04'", "date_literal('2024-10-04')", "timestamp_literal('2025-10-26 01:30:00')", "'2024-10-04'", "'2024-10-04 00:00:00'", "CAST('2024-10-04' AS DATE)", "tz")
}

func (a asker) condition(depth int) string {
	if depth > 0 {
		switch a.IntN(4) {
		case 0:
			return fmt.Sprintf("(%s AND %s)", a.condition(depth-1), a.condition(depth-1))
		case 1:
			return fmt.Sprintf("(%s OR %s)", a.condition(depth-1), a.condition(depth-1))
		case 2:
			return fmt.Sprintf("(NOT %s)", a.condition(depth-1))
		}
	}
	compare := a.one("=", "<", "<=", ">", ">=", "<>")
	switch a.IntN(9) {
	case 0:
		return fmt.Sprintf("%s %s %s", a.text(), compare, a.text())
	case 1:
		return fmt.Sprintf("%s %s %s", a.time(), compare, a.time())
	case 2:
		return a.one("i", "l", "d", "s", "st", "li", "dec", "bin", "tz", "field(st, 'in')", "field(st, 'a')", a.number(1)) + " IS " + a.one("", "NOT ") + "NULL"
	case 3:
		return fmt.Sprintf("%s %sIN (%s, %s%s)", a.one("i", "l", "d", "field(st, 'a')"), a.one("", "NOT "), a.one("0", "200", "-7"), a.one("1", "40000"), a.one("", ", NULL"))
	case 4:
		return fmt.Sprintf("%s %sIN ('a', %s)", a.one("s", "field(st, 'b')", "day", "ts"), a.one("", "NOT "), a.one("'A'", "''", "NULL"))
	case 5:
		return fmt.Sprintf("%s BETWEEN %s AND %s", a.number(0), a.number(0), a.number(0))
	case 6:
		return fmt.Sprintf("s %sLIKE '%s'", a.one("", "NOT "), a.one("a%", "%", "A_", "abc\\%", "é", "%a%"))
	case 7:
		return fmt.Sprintf("day %sIN (date_literal('2024-10-04'), %s)", a.one("", "NOT "), a.one("'1970-01-01'", "NULL", "CAST('2024-10-05' AS DATE)"))
	}
	return fmt.Sprintf("%s %s %s", a.number(depth), compare, a.number(depth))
}

func (a asker) aggregate() string {
	switch a.IntN(9) {
	case 0:
		return "COUNT(*)"
	case 1:
		return "COUNT(" + a.one("1", "NULL", "st", "li", "dec", "s", a.number(1), a.condition(1)) + ")"
	case 2:
		return "COUNT(DISTINCT " + a.one("s", "l", "d", "f", "day", "b", "st", a.number(1), a.text()) + ")"
	case 3:
		return a.one("MIN", "MAX") + "(" + a.one("s", "day", "ts", "tz", "b", "f", "d", "i", "dec", a.text(), a.time()) + ")"
	case 4:
		return a.one("SUM", "AVG") + "(DISTINCT i)"
	case 5:
		return "SUM(" + a.one("dec", "i", a.condition(1)) + ")"
	case 6:
		return "ANY_VALUE(" + a.one("s", "i", "st", "tz", "li", a.number(1)) + ")"
	}
	return a.one("SUM", "AVG", "MIN", "MAX") + "(" + a.number(2) + ")"
}

// key avoids the double -0.0, which the engine groups apart from 0.0, unlike
// Spark and what is below it.
func (a asker) key() string {
	return a.one("s", "i", "l", "plus(d, 0)", "plus(f, 0)", "b", "day", "ts", "tz", "st", "li", "dec", "bin", "field(st, 'a')", "field(st, 'in')", "field(st, 'b')", "plus("+a.number(1)+", 0)", "coalesce(i, l)", "remainder(l, 7)", "minus(i, 1)", a.text(), a.condition(0))
}

// query is a query of a GROUP BY, or of filtered rows.
func (a asker) query() string {
	from := " FROM " + a.one("t x", "t AS x", "(SELECT * FROM t) x",
		"(SELECT s, l + 1 AS l, i AS i, d, f, b, day, ts, tz, dec, bin, st, li FROM t y WHERE i IS NOT NULL) x")
	if a.IntN(3) > 0 {
		from += " WHERE " + a.condition(2)
	}
	if a.IntN(6) == 0 {
		return "SELECT " + a.one("*", "s, l", "i, st", "1") + from
	}
	var columns, keys []string
	for range a.IntN(3) {
		keys = append(keys, a.key())
	}
	columns = append(columns, keys...)
	for range 1 + a.IntN(4) {
		columns = append(columns, a.aggregate())
	}
	query := "SELECT " + strings.Join(columns, ", ") + from
	if keys != nil {
		query += " GROUP BY " + strings.Join(keys, ", ")
	}
	return query
}

// TestBelowTheEngine compares the rows that are made below the engine with the
// engine's own.
func TestBelowTheEngine(t *testing.T) {
	seed := uint64(1)
	below, answered, asked := 0, 0, 0
	for round := range uint64(20) {
		r := rand.New(rand.NewPCG(seed, round))
		s := newShadow(t, shadowBatches(t, r))
		plain, ours := engines(t, s)
		zone := []string{"UTC", "+02:00", "Europe/Berlin"}[round%3]
		for range 60 {
			query := asker{r}.query()
			want := shadowAnswer(shadowContext(t, zone), plain, query)
			got := shadowAnswer(shadowContext(t, zone), ours, query)
			if got != want {
				t.Errorf("round %d, zone %s: %s\nbelow: %s\nengine: %s", round, zone, query, got, want)
			}
			asked++
			if !strings.HasPrefix(want, "error") {
				answered++
			}
			if isBelow(shadowContext(t, zone), ours, query) {
				below++
			}
		}
		if t.Failed() {
			break
		}
	}
	t.Logf("%d queries, %d have an answer, %d are computed below", asked, answered, below)
	if answered < asked/2 || below < asked/3 {
		t.Errorf("of %d queries %d have an answer and %d are computed below", asked, answered, below)
	}
}

// TestFloatsAreBelow: comparisons of doubles, which go by keys, are made below
// the engine.
func TestFloatsAreBelow(t *testing.T) {
	s := newShadow(t, shadowBatches(t, rand.New(rand.NewPCG(1, 1))))
	_, ours := engines(t, s)
	for _, query := range []string{
		"SELECT i FROM t WHERE d > 1 AND f <> 2.5e0",
		"SELECT COUNT(*) FROM t WHERE d = l OR f IN (0, 1, NULL)",
		"SELECT COUNT(*) FROM t WHERE d BETWEEN 0 AND 'Infinity'",
		"SELECT s, MIN(d), MAX(f) FROM t GROUP BY s",
		"SELECT SUM(CASE d WHEN 1 THEN 1 ELSE 0 END) FROM t",
	} {
		if !isBelow(shadowContext(t, "UTC"), ours, query) {
			t.Errorf("%s is left to the engine", query)
		}
	}
}
