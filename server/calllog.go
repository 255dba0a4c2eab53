package server

import (
	"log/slog"
	"strings"
	"time"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/firndb/firn/procedures"
)

// callLog is the log with what identifies a call.
func (s statements) callLog(ctx *sql.Context, c procedureCall) *slog.Logger {
	log := s.cfg.Log.With("procedure", c.name, "table", c.table, "user", ctx.Session.Client().User, "connection", ctx.Session.ID())
	if c.explain {
		log = log.With("explain", true)
	}
	return log
}

// logRefused logs a call that does not begin because of its arguments.
func (s statements) logRefused(ctx *sql.Context, c procedureCall, err error) {
	s.callLog(ctx, c).InfoContext(ctx, "call refused", "error", err)
}

// logCall logs that a call begins. How it ended is to be told to end: a call
// that returns neither rows nor an error has panicked.
func (s statements) logCall(ctx *sql.Context, c procedureCall, info procedures.Info, env procedures.Env) (end func([]sql.Row, error)) {
	log := s.callLog(ctx, c).With("catalog", env.Catalog.Name())
	log.InfoContext(ctx, "call started")
	// The clock of the procedures may be another than the operator's.
	started := time.Now()
	return func(rows []sql.Row, err error) {
		log := log.With("duration", time.Since(started))
		switch {
		case err != nil && ctx.Err() != nil:
			log.InfoContext(ctx, "call ended", "outcome", "cancelled", "error", err)
		case err != nil:
			log.InfoContext(ctx, "call ended", "outcome", "failed", "error", err)
		case rows == nil:
			log.InfoContext(ctx, "call ended", "outcome", "panicked")
		case len(rows) == 1 && !c.explain:
			log.InfoContext(ctx, "call ended", "outcome", "ok", resultOf(info.Output, rows[0]))
		default:
			log.InfoContext(ctx, "call ended", "outcome", "ok", "rows", len(rows))
		}
	}
}

// resultOf is a row of a procedure's output for the log.
func resultOf(columns []procedures.Column, row sql.Row) slog.Attr {
	attrs := make([]slog.Attr, len(row))
	for i, cell := range row {
		attrs[i] = slog.Any(columns[i].Name, cell)
	}
	return slog.GroupAttrs("result", attrs...)
}

// tableArgument is the argument that names the table, as it was given.
func tableArgument(params []procedures.Param, args []procedures.Arg) string {
	for i, arg := range args {
		if strings.EqualFold(arg.Name, "table") || arg.Name == "" && i < len(params) && params[i].Name == "table" {
			text, _ := arg.Value.(string)
			return text
		}
	}
	return ""
}
