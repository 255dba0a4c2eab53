package server

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/iceberg-go/table"
	"github.com/google/go-cmp/cmp"

	"github.com/firndb/firn/metatables"
)

// spied is a shadow of one row of zeros that notes what it is asked for.
func spied(t *testing.T) (shadow, func() []metatables.Request) {
	schema, err := table.SchemaToArrowSchema(shadowSchema(), nil, true, false)
	if err != nil {
		t.Fatal(err)
	}
	b := array.NewRecordBuilder(memory.DefaultAllocator, schema)
	for _, field := range b.Fields() {
		field.AppendEmptyValue()
	}
	s := newShadow(t, []arrow.RecordBatch{b.NewRecordBatch()})
	var asked []metatables.Request
	read := s.relation.meta.Read
	s.relation.meta.Read = func(ctx context.Context, tbl *table.Table, req metatables.Request) iter.Seq2[arrow.RecordBatch, error] {
		asked = append(asked, req)
		return read(ctx, tbl, req)
	}
	return s, func() []metatables.Request {
		got := asked
		asked = nil
		return got
	}
}

// told is what of requests the tests compare.
func told(requests []metatables.Request) (out []string) {
	for _, r := range requests {
		var parts []string
		if r.Filter != nil {
			parts = append(parts, fmt.Sprint(r.Filter))
		}
		if r.Fields != nil {
			parts = append(parts, "fields "+strings.Join(r.Fields, " "))
		}
		if r.Limit > 0 {
			parts = append(parts, fmt.Sprint("limit ", r.Limit))
		}
		out = append(out, strings.Join(parts, "; "))
	}
	slices.Sort(out)
	return out
}

func TestRequests(t *testing.T) {
	s, asked := spied(t)
	_, engine := engines(t, s)
	for _, test := range []struct {
		zone, query string
		want        []string
	}{
		{"", "SELECT i FROM t WHERE i = 3", []string{"Equal(term=Reference(name='i'), literal=3)"}},
		{"", "SELECT i FROM t x WHERE x.i = 3 AND l > 5", []string{"And(left=Equal(term=Reference(name='i'), literal=3), right=GreaterThan(term=Reference(name='l'), literal=5))"}},
		{"", "SELECT i FROM t WHERE NOT (i = 3 OR l > 5)", []string{"And(left=NotEqual(term=Reference(name='i'), literal=3), right=LessThanEqual(term=Reference(name='l'), literal=5))"}},
		{"", "SELECT i FROM t WHERE i IN (1, 200, NULL)", []string{"Or(left=Equal(term=Reference(name='i'), literal=1), right=Equal(term=Reference(name='i'), literal=200))"}},
		{"", "SELECT i FROM t WHERE i BETWEEN 1 AND 3 OR s LIKE 'ab%c'", []string{"Or(left=And(left=GreaterThanEqual(term=Reference(name='i'), literal=1), right=LessThanEqual(term=Reference(name='i'), literal=3)), right=StartsWith(term=Reference(name='s'), literal=ab))"}},
		{"", "SELECT i FROM t WHERE field(st, 'a') = 1 AND field(field(st, 'in'), 'day') = DATE '2024-10-04'", []string{"And(left=Equal(term=Reference(name='st.a'), literal=1), right=Equal(term=Reference(name='st.in.day'), literal=2024-10-04)); fields st.a st.in.day"}},
		{"", "SELECT st FROM t WHERE field(st, 'a') IS NOT NULL", []string{"NotNull(term=Reference(name='st.a'))"}},
		{"", "SELECT * FROM t WHERE field(st, 'a') = 1", []string{"Equal(term=Reference(name='st.a'), literal=1)"}},
		{"", "SELECT COUNT(*) FROM t WHERE field(st, 'a') = 1", []string{"Equal(term=Reference(name='st.a'), literal=1); fields st.a"}},
		{"", "SELECT i FROM t WHERE s = 'a' AND s < 'b' AND s <> 'c'", []string{"Equal(term=Reference(name='s'), literal=a)"}},
		{"", "SELECT i FROM t WHERE s = 'a' COLLATE utf8mb4_0900_ai_ci", []string{""}},
		{"", "SELECT i FROM t WHERE s COLLATE utf8mb4_0900_ai_ci = 'a'", []string{""}},
		{"", "SELECT i FROM t WHERE d > 1 AND b AND i = '3' AND s = 4 AND i < 1.5", []string{""}},
		{"", "SELECT i FROM t WHERE i = @x OR l = 3", []string{""}},
		{"", "SELECT i FROM t WHERE i = RAND()", []string{""}},
		{"", "SELECT i FROM t WHERE tz = TIMESTAMP '2024-10-04 00:00:00' AND ts < DATE '2024-10-04'", []string{"And(left=Equal(term=Reference(name='tz'), literal=2024-10-04 00:00:00.000000), right=LessThan(term=Reference(name='ts'), literal=2024-10-04 00:00:00.000000))"}},
		{"Europe/Berlin", "SELECT i FROM t WHERE NOT tz = timestamp_literal('2024-10-04 00:00:00') AND NOT tz > timestamp_literal('2024-10-04 00:00:00')", []string{"LessThanEqual(term=Reference(name='tz'), literal=2024-10-04 22:00:00.000000)"}},
		{"", "SELECT n FROM (SELECT i AS n, s FROM t) x WHERE n = 3", []string{"Equal(term=Reference(name='i'), literal=3)"}},
		{"", "WITH c AS (SELECT field(st, 'a') AS a, l FROM t) SELECT l FROM c WHERE a = 3 AND l < 4", []string{"And(left=Equal(term=Reference(name='st.a'), literal=3), right=LessThan(term=Reference(name='l'), literal=4)); fields st.a"}},
		{"", "SELECT i FROM t WHERE i = 1 UNION ALL SELECT i FROM t WHERE l = 2", []string{"Equal(term=Reference(name='i'), literal=1)", "Equal(term=Reference(name='l'), literal=2)"}},
		{"", "SELECT l FROM (SELECT i, l FROM t UNION SELECT l + 1, i FROM t x) u WHERE i = 3 AND l = 4", []string{"", ""}},
		{"", "SELECT i FROM (SELECT i FROM t LIMIT 3) u WHERE i = 3", []string{"limit 3"}},
		{"", "SELECT x.i FROM t x JOIN t y ON x.i = y.i AND y.l = 0 WHERE x.s = ''", []string{"Equal(term=Reference(name='l'), literal=0)", "Equal(term=Reference(name='s'), literal=)"}},
		{"", "SELECT x.i FROM t x LEFT JOIN t y ON x.i = y.i AND y.l = 0 AND x.l = 6 WHERE x.s = ''", []string{"Equal(term=Reference(name='l'), literal=0)", "Equal(term=Reference(name='s'), literal=)"}},
		{"", "SELECT x.i FROM t x LEFT JOIN t y ON x.i = y.i WHERE y.l IS NULL", []string{"", ""}},
		{"", "SELECT x.i FROM t x RIGHT JOIN t y ON x.i = y.i AND y.l = 6 AND x.l = 0 WHERE x.i > -1", []string{"", "Equal(term=Reference(name='l'), literal=0)"}},
		{"", "SELECT i FROM t x WHERE EXISTS (SELECT 1 FROM t y WHERE x.l = 0 AND y.s = '' AND y.i = x.i)", []string{"Equal(term=Reference(name='l'), literal=0)", "Equal(term=Reference(name='s'), literal=)"}},
		{"", "SELECT i FROM t x WHERE i NOT IN (SELECT y.i FROM t y WHERE y.l = 4)", []string{"", "Equal(term=Reference(name='l'), literal=4)"}},
		{"", "SELECT (SELECT MAX(y.l) FROM t y WHERE x.i = 0 AND y.l = 3) FROM t x", []string{"", "Equal(term=Reference(name='l'), literal=3)"}},
		{"", "SELECT i FROM t LIMIT 5", []string{"limit 5"}},
		{"", "SELECT i + 1 FROM t x LIMIT 5 OFFSET 3", []string{"limit 8"}},
		{"", "SELECT i FROM t WHERE i = 1 LIMIT 5", []string{"Equal(term=Reference(name='i'), literal=1)"}},
		{"", "SELECT i FROM t ORDER BY i LIMIT 5", []string{""}},
		{"", "SELECT DISTINCT i FROM t LIMIT 5", []string{""}},
		{"", "SELECT COUNT(*) FROM t LIMIT 5", nil},
		{"", "SELECT SQL_CALC_FOUND_ROWS i FROM t LIMIT 5", []string{""}},
		{"", "SELECT * FROM (SELECT * FROM t LIMIT 7) x LIMIT 5", []string{"limit 7"}},
		{"", "SELECT field(st, 'b'), MAX(field(st, 'a')) FROM t GROUP BY 1", []string{""}},
		{"", "SELECT i FROM t ORDER BY field(st, 'a')", []string{"fields st.a"}},
		{"", "SELECT i FROM t ORDER BY st", []string{""}},
		{"", "SELECT field(field(st, 'in'), 'x'), field(st, 'in') FROM t", []string{"fields st.in st.in.x"}},
		{"", "SELECT field(x.st, 'a') FROM t x JOIN t y ON field(x.st, 'b') = field(y.st, 'b')", []string{"fields st.a st.b", "fields st.b"}},
		{"", "SELECT (SELECT MAX(y.i) FROM t y WHERE y.i = field(x.st, 'a')) FROM t x", []string{"", "fields st.a"}},
		{"", "SELECT a FROM (SELECT field(st, 'a') AS a FROM t) x", []string{"fields st.a"}},
		{"", "SELECT field(st, 'a') FROM (SELECT * FROM t) x", []string{""}},
		{"", "SELECT field(IF(b, st, NULL), 'a') FROM t", []string{""}},
	} {
		zone := test.zone
		if zone == "" {
			zone = "UTC"
		}
		asked()
		if got := shadowAnswer(shadowContext(t, zone), engine, test.query); strings.HasPrefix(got, "error") {
			t.Errorf("%s: %s", test.query, got)
			continue
		}
		if diff := cmp.Diff(test.want, told(asked())); diff != "" {
			t.Errorf("%s: requests (-want +got)\n%s", test.query, diff)
		}
	}
}
