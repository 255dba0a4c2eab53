package server

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/types"
	ast "github.com/dolthub/vitess/go/vt/sqlparser"
)

// answered replaces a SHOW of what no catalog has by an empty result in MySQL's
// columns: clients list triggers, events and routines of every database, and
// the engine fails where a database cannot have them. SHOW PROCESSLIST and,
// without users, SHOW GRANTS are answered too.
func answered(stmt ast.Statement, users []User) ast.Statement {
	switch show := stmt.(type) {
	case *ast.Show:
		kind := strings.ToLower(show.Type)
		if kind == "processlist" {
			return answeredBy("SHOW PROCESSLIST", processSchema(), processRows)
		}
		if schema := nothing(kind); schema != nil {
			return answeredBy("SHOW "+strings.ToUpper(kind), schema, func(*sql.Context) []sql.Row { return nil })
		}
	case *ast.ShowGrants:
		if len(users) == 0 && show.For == nil {
			return answeredBy("SHOW GRANTS", sql.Schema{textColumn("Grants", false)}, func(ctx *sql.Context) []sql.Row {
				return []sql.Row{{"GRANT ALL PRIVILEGES ON *.* TO " + quoteBack(ctx.Session.Client().User) + "@`%`"}}
			})
		}
	}
	return stmt
}

// answeredBy is a statement that has these rows.
func answeredBy(text string, schema sql.Schema, rows func(*sql.Context) []sql.Row) ast.Statement {
	return ast.InjectedStatement{Statement: injected(func([]sql.Expression) (*node, error) {
		return &node{text: text, schema: schema, run: func(ctx *sql.Context, _ []sql.Expression) ([]sql.Row, error) {
			return rows(ctx), nil
		}}, nil
	})}
}

func quoteBack(name string) string { return "`" + strings.ReplaceAll(name, "`", "``") + "`" }

// processSchema are the columns of SHOW PROCESSLIST.
func processSchema() sql.Schema {
	return sql.Schema{
		{Name: "Id", Type: types.Uint64},
		textColumn("User", false), textColumn("Host", false), textColumn("db", true),
		textColumn("Command", false),
		{Name: "Time", Type: types.Int32},
		textColumn("State", true), textColumn("Info", true),
	}
}

// processRows are the connections and what each does.
func processRows(ctx *sql.Context) []sql.Row {
	processes := ctx.ProcessList.Processes()
	rows := make([]sql.Row, len(processes))
	for i, p := range processes {
		rows[i] = sql.Row{
			uint64(p.Connection), p.User, p.Host, orNull(p.Database), string(p.Command), int32(p.Seconds()),
			stateOf(p), orNull(p.Query),
		}
	}
	slices.SortFunc(rows, func(a, b sql.Row) int { return cmp.Compare(a[0].(uint64), b[0].(uint64)) })
	return rows
}

// stateOf is what a process is at: a job's progress, or the tables that it reads.
func stateOf(p sql.Process) string {
	var states []string
	for name := range p.Progress {
		if !strings.Contains(name, " of ") {
			name = "reading " + name
		}
		states = append(states, name)
	}
	if len(states) == 0 && p.Command == sql.ProcessCommandQuery {
		return "running"
	}
	slices.Sort(states)
	return strings.Join(states, ", ")
}

// nothing is the schema of a SHOW that has no rows, nil if it may have some.
func nothing(kind string) sql.Schema {
	var names string
	switch kind {
	case "triggers":
		names = "Trigger,Event,Table,Statement,Timing,Created,sql_mode,Definer,character_set_client,collation_connection,Database Collation"
	case "events":
		names = "Db,Name,Definer,Time zone,Type,Execute at,Interval value,Interval field,Starts,Ends,Status,Originator,character_set_client,collation_connection,Database Collation"
	case ast.ProcedureStatusStr, ast.FunctionStatusStr:
		names = "Db,Name,Type,Definer,Modified,Created,Security_type,Comment,character_set_client,collation_connection,Database Collation"
	default:
		return nil
	}
	var schema sql.Schema
	for name := range strings.SplitSeq(names, ",") {
		column := textColumn(name, true)
		switch name {
		case "Created", "Modified", "Execute at", "Starts", "Ends":
			column.Type = types.Datetime
		case "Originator":
			column.Type = types.Int64
		}
		schema = append(schema, column)
	}
	return schema
}

// showStatus is SHOW STATUS with the counters of the manifest cache.
func showStatus(ctx *sql.Context, n *plan.ShowStatus, row sql.Row) (sql.RowIter, error) {
	engine, err := n.RowIter(ctx, row)
	if err != nil {
		return nil, err
	}
	rows, err := sql.RowIterToRows(ctx, engine)
	if err != nil {
		return nil, err
	}
	stats := statementOf(ctx).cache.Stats()
	for name, value := range map[string]int64{
		"hits": stats.Hits, "misses": stats.Misses, "evictions": stats.Evictions, "bytes": stats.Bytes, "limit": stats.Limit,
	} {
		rows = append(rows, sql.Row{"Firn_manifest_cache_" + name, value})
	}
	slices.SortFunc(rows, func(a, b sql.Row) int { return strings.Compare(fmt.Sprint(a[0]), fmt.Sprint(b[0])) })
	return sql.RowsToRowIter(rows...), nil
}
