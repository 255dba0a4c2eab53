package server

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/vitess/go/mysql"
)

func TestErrorNumbers(t *testing.T) {
	c := serve(t, Config{procedure: newFakes().find})
	for _, test := range []struct {
		query string
		num   uint16
		state string
		text  string
	}{
		{"SELEC 1", 1064, "42000", "position 1"},
		{"CALL system.echo(table => 'x'", 1064, "42000", ""},
		{"SELECT * FROM lake.tutorial.nope", 1146, "42S02", "nope"},
		{"SELECT * FROM lake.tutorial.nope.files", 1146, "42S02", ""},
		{"SELECT * FROM lake.nope.t", 1049, "42000", "lake.nope"},
		{"SELECT * FROM t", 1046, "3D000", ""},
		{"USE nope", 1049, "42000", "nope"},
		{"SHOW TABLES IN lake.nope", 1049, "42000", "lake.nope"},
		{"SHOW TBLPROPERTIES lake.tutorial.nope", 1146, "42S02", ""},
		{"SELECT nope FROM lake.ops.chain", 1054, "42S22", "nope"},
		{"SELECT partition.nope FROM lake.tutorial.retail_clickstream_events.files", 1054, "42S22", "event_time_day"},
		{"SELECT id['x'] FROM lake.ops.chain", 1210, "HY000", "bigint"},
		{"SELECT id FROM lake.ops.chain VERSION AS OF 'nope'", 1210, "HY000", "nope"},
		{"SELECT id FROM lake.ops.chain TIMESTAMP AS OF '2001-01-01'", 1210, "HY000", "2001-01-01"},
		{"SELECT id FROM lake.ops.chain TIMESTAMP AS OF 'noon'", 1210, "HY000", "noon"},
		{"SELECT TIMESTAMP '2026-13-01'", 1210, "HY000", "2026-13-01"},
		{"SELECT CAST('maybe' AS BOOLEAN)", 1292, "22007", "maybe"},
		{"SELECT nope(1)", 1305, "42000", "nope"},
		{"SELECT @@nope", 1193, "HY000", "nope"},
		{"CALL system.nope()", 1305, "42000", "nope"},
		{"CALL nope()", 1305, "42000", "system.nope"},
		{"CALL other.system.echo('x')", 1049, "42000", "other"},
		{"CALL system.echo()", 1210, "HY000", "table"},
		{"CALL system.echo('x', tabel => 'y')", 1210, "HY000", "tabel"},
		{"CALL system.echo('x', n => 'many')", 1210, "HY000", "many"},
		{"CALL system.echo('x', labels => map('a', '1', 'a', '2'))", 1210, "HY000", "twice"},
		{"CALL system.conflict()", 1213, "40001", "conflict"},
		{"CALL system.unknown()", codeCommitUnknown, "HY000", ""},
		{"CALL system.corrupt()", codeCorrupt, "HY000", ""},
		{"CALL system.refuse()", codeRefused, "HY000", ""},
		{"CALL system.format()", 1235, "42000", ""},
		{"SELECT * FROM lake.ops.formats_orc", 1235, "42000", "ORC"},
		{"CALL system.no_table()", 1146, "42S02", ""},
		{"CALL system.wrong_time()", 1210, "HY000", ""},
		{"CALL system.other()", codeOther, "HY000", "disk on fire: 100%"},
	} {
		t.Run(test.query, func(t *testing.T) {
			_, err := queryRows(c.db, test.query)
			num, state := errno(t, err)
			if num != test.num || state != test.state || !strings.Contains(err.Error(), test.text) {
				t.Errorf("got %v, want number %d (%s) and %q in the text", err, test.num, test.state, test.text)
			}
			if strings.Contains(err.Error(), "errno") {
				t.Errorf("the text has traces of the number: %v", err)
			}
		})
	}
}

func TestFinalErrorKeepsTheEnginesNumbers(t *testing.T) {
	for _, test := range []struct {
		err error
		num int
	}{
		{sql.ErrTableNotFound.New("t"), mysql.ERNoSuchTable},
		{sql.ErrDatabaseNotFound.New("d"), mysql.ERBadDb},
		{errors.New("table doesn't support INSERT INTO"), mysql.ERUnknownError},
		{fmt.Errorf("more: %w", context.Canceled), mysql.ERUnknownError},
		{context.Canceled, mysql.ERQueryInterrupted},
		{sql.ErrSyntaxError.New(wireError(context.Canceled).Error()), mysql.ERQueryInterrupted},
	} {
		var got *mysql.SQLError
		if !errors.As(finalError(test.err), &got) || got.Num != test.num {
			t.Errorf("%v became %v, want number %d", test.err, got, test.num)
		}
	}
	if finalError(nil) != nil || wireError(nil) != nil {
		t.Error("no error became one")
	}
}
