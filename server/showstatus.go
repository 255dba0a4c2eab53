package server

import (
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
	ast "github.com/dolthub/vitess/go/vt/sqlparser"
)

// answered replaces a SHOW of what no catalog has by an empty result in MySQL's
// columns: clients list triggers, events and routines of every database, and
// the engine fails where a database cannot have them.
func answered(stmt ast.Statement) ast.Statement {
	show, ok := stmt.(*ast.Show)
	if !ok {
		return stmt
	}
	kind := strings.ToLower(show.Type)
	schema := nothing(kind)
	if schema == nil {
		return stmt
	}
	return ast.InjectedStatement{Statement: injected(func([]sql.Expression) (*node, error) {
		return &node{text: "SHOW " + strings.ToUpper(kind), schema: schema, run: func(*sql.Context, []sql.Expression) ([]sql.Row, error) {
			return nil, nil
		}}, nil
	})}
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
