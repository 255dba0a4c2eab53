package server

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestCallArguments(t *testing.T) {
	c := serve(t, Config{procedure: newFakes().find})
	for _, test := range []struct {
		query string
		args  []any
		want  string
	}{
		{query: "CALL lake.system.echo('a.b')", want: "lake UTC a.b [] [] | NULL | NULL | NULL | 0 | NULL"},
		{query: "call LAKE.System.echo(TABLE => 'a.b', yes => true)", want: "lake UTC a.b [] [] | NULL | NULL | NULL | 1 | NULL"},
		{query: "CALL system.echo('t', n => 1 + 2 * 3, small => -1, x => 0.3)", want: "lake UTC t [] [] | 7 | -1 | 0.3 | 0 | NULL"},
		{query: "CALL system.echo('t', n => 1, small => 0, yes => 1)", want: "lake UTC t [] [] | 1 | 0 | NULL | 1 | NULL"},
		{query: "CALL system.echo('t', n => '9223372036854775807', x => 2e10)", want: "lake UTC t [] [] | 9223372036854775807 | NULL | 2e+10 | 0 | NULL"},
		{query: "CALL system.echo('t', labels => map('a', '1', -- one\n 'b', 2), ids => array(3, 4000000000))", want: "lake UTC t [a=1 b=2] [3 4000000000] | NULL | NULL | NULL | 0 | NULL"},
		{query: "CALL system.echo('t', labels => map())", want: "lake UTC t [] [] | NULL | NULL | NULL | 0 | NULL"},
		{query: "CALL system.echo('t', at => TIMESTAMP '2026-01-09 10:00:00.5')", want: "lake UTC t [] [] | NULL | NULL | NULL | 0 | 2026-01-09 10:00:00.500000"},
		{query: "CALL system.echo('t', at => TIMESTAMP '2026-01-09T10:00:00+02:00' - INTERVAL 1 DAYS)", want: "lake UTC t [] [] | NULL | NULL | NULL | 0 | 2026-01-08 08:00:00.000000"},
		{query: "CALL system.echo('t', at => DATE '2026-01-09')", want: "lake UTC t [] [] | NULL | NULL | NULL | 0 | 2026-01-09 00:00:00.000000"},
		{query: "CALL system.echo(concat('a', '.', 'b'), n => NULL)", want: "lake UTC a.b [] [] | NULL | NULL | NULL | 0 | NULL"},
		{query: "CALL `system`.echo(?, ?, ?)", args: []any{"t", 5, int64(6)}, want: "lake UTC t [] [] | 5 | 6 | NULL | 0 | NULL"},
		{query: "CALL `system`.echo(?, ?, ?, ?, ?, ?)", args: []any{"t", nil, nil, 1.5, true, "2026-01-09 10:00:00"}, want: "lake UTC t [] [] | NULL | NULL | 1.5 | 1 | 2026-01-09 10:00:00.000000"},
		{query: "CALL `system`.echo(?, NULL, NULL, NULL, false, NULL, ?, ?)", args: []any{"t", `{"k": "v", "n": 2}`, `[1, 2]`}, want: "lake UTC t [k=v n=2] [1 2] | NULL | NULL | NULL | 0 | NULL"},
		{query: "CALL `system`.echo(?, NULL, NULL, NULL, false, NULL, map('k', ?))", args: []any{"t", "v"}, want: "lake UTC t [k=v] [] | NULL | NULL | NULL | 0 | NULL"},
	} {
		got, err := queryRows(c.db, test.query, test.args...)
		if err != nil {
			t.Errorf("%s: %v", test.query, err)
			continue
		}
		if diff := cmp.Diff([]string{test.want}, got); diff != "" {
			t.Errorf("%s: (-want +got)\n%s", test.query, diff)
		}
	}
}

func TestCallUsesTheSessionsZoneAndVariables(t *testing.T) {
	c := serve(t, Config{procedure: newFakes().find})
	conn, err := c.db.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	for _, set := range []string{"SET time_zone = 'Europe/Berlin'", "SET @t = 'a.b', @n = 4"} {
		if _, err := conn.ExecContext(t.Context(), set); err != nil {
			t.Fatal(err)
		}
	}
	got, err := queryRows(conn, "CALL system.echo(@t, @n, at => TIMESTAMP '2026-07-01T10:00:00Z')")
	want := []string{"lake Europe/Berlin a.b [] [] | 4 | NULL | NULL | 0 | 2026-07-01 12:00:00.000000"}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("err %v, (-want +got)\n%s", err, diff)
	}
}

func TestCallTakesTheSessionsNamespace(t *testing.T) {
	c := serve(t, Config{})
	conn, err := c.db.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	call := "CALL system.expire_snapshots('chain', older_than => TIMESTAMP '2020-01-01 00:00:00')"
	for _, database := range []string{"lake.ops", "`lake.ops`", "ops"} {
		if _, err := conn.ExecContext(t.Context(), "USE "+database); err != nil {
			t.Fatal(err)
		}
		got, err := queryRows(conn, call)
		if diff := cmp.Diff([]string{"0 | 0 | 0 | 0 | 0 | 0"}, got); diff != "" || err != nil {
			t.Errorf("USE %s: err %v, (-want +got)\n%s", database, err, diff)
		}
	}
	if _, err := conn.ExecContext(t.Context(), "USE lake.types"); err != nil {
		t.Fatal(err)
	}
	if _, err := queryRows(conn, call); err == nil {
		t.Error("a table of another namespace was found")
	}
}

// TestPreparedCallNamesTheCatalog calls a procedure of a catalog that is not
// the default through the prepared protocol.
func TestPreparedCallNamesTheCatalog(t *testing.T) {
	c := serve(t, Config{procedure: newFakes().find, Catalogs: twoCatalogs(t)})
	for _, call := range []string{"`Other.system`.echo(?)", "`other.system.echo`(?)", "`OTHER.System`.`echo`(?)"} {
		got, err := queryRows(c.db, "CALL "+call, "t")
		want := []string{"Other UTC t [] [] | NULL | NULL | NULL | 0 | NULL"}
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("CALL %s: err %v, (-want +got)\n%s", call, err, diff)
		}
	}
	for _, call := range []string{"`Other.nope`.echo(?)", "`echo`(?)", "`Other`.echo(?)"} {
		_, err := queryRows(c.db, "CALL "+call, "t")
		if num, _ := errno(t, err); num != codeNoProcedure {
			t.Errorf("CALL %s: got %v, want number %d", call, err, codeNoProcedure)
		}
	}
}

func TestExplainCall(t *testing.T) {
	c := serve(t, Config{procedure: newFakes().find})
	c.want("EXPLAIN CALL system.echo('a.b')",
		"1 | rewrite | a.b | p=1 | 5 | 50 | 1 | 40 | small files",
		"2 | commit | one | NULL | 0 | 0 | 0 | 0 | NULL")
}

func TestRepeatedPreparedCall(t *testing.T) {
	c := serve(t, Config{procedure: newFakes().find})
	stmt, err := c.db.PrepareContext(t.Context(), "CALL `system`.echo(?, ?)")
	if err != nil {
		t.Fatal(err)
	}
	defer stmt.Close()
	for n := range 3 {
		var text string
		var got int
		var small, x, yes, at any
		if err := stmt.QueryRowContext(t.Context(), "t", n).Scan(&text, &got, &small, &x, &yes, &at); err != nil || got != n {
			t.Errorf("execution %d returned %d, %v", n, got, err)
		}
	}
}
