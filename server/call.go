package server

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/apache/iceberg-go/table"
	sqle "github.com/dolthub/go-mysql-server"
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
	ast "github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/firndb/firn/catalog"
	"github.com/firndb/firn/dialect"
	"github.com/firndb/firn/maintenance"
	"github.com/firndb/firn/procedures"
)

// statements makes the statements that the engine's grammar has no form for.
type statements struct {
	names  *provider
	cfg    Config
	engine *sqle.Engine
}

var _ dialect.Statements = statements{}

// systemNamespace holds the procedures of every catalog.
const systemNamespace = "system"

// procedureName takes the name of a procedure apart: catalog is empty if it is
// not given. Parts may stand together in one pair of back quotes, without which
// MySQL's grammar has no place for a catalog. The error wraps
// procedures.ErrNoSuchProcedure.
func procedureName(parts []string) (catalog, name string, err error) {
	whole := strings.Join(parts, ".")
	in, name := cutLast(whole)
	catalog, namespace := cutLast(in)
	if len(parts) > 3 || !strings.EqualFold(namespace, systemNamespace) {
		return "", "", fmt.Errorf("%w: %q: write %s.%s, or <catalog>.%s.%s",
			procedures.ErrNoSuchProcedure, whole, systemNamespace, name, systemNamespace, name)
	}
	return catalog, name, nil
}

// cutLast cuts s at its last dot.
func cutLast(s string) (before, last string) {
	at := strings.LastIndexByte(s, '.')
	return s[:max(at, 0)], s[at+1:]
}

// Call implements dialect.Statements.
func (s statements) Call(c dialect.Call) ast.Injectable {
	return injected(func(args []sql.Expression) (*node, error) {
		cat, name, err := procedureName(c.Procedure)
		if err != nil {
			return nil, err
		}
		p, err := s.cfg.procedure(name)
		if err != nil {
			return nil, err
		}
		n := &node{text: "CALL " + strings.Join(c.Procedure, "."), args: args, schema: outputSchema(p.Info().Output)}
		if c.Explain {
			n.schema = stepSchema()
		}
		n.run = func(ctx *sql.Context, args []sql.Expression) ([]sql.Row, error) {
			return s.runCall(ctx, procedureCall{catalog: cat, name: name, argNames: c.ArgNames, args: args, explain: c.Explain})
		}
		return n, nil
	})
}

// procedureCall is a call about to run.
type procedureCall struct {
	catalog, name string
	argNames      []string
	args          []sql.Expression
	explain       bool
	// table is the argument that names the table, once it is known.
	table string
}

func (s statements) runCall(ctx *sql.Context, c procedureCall) (rows []sql.Row, err error) {
	p, env, err := s.bindCall(ctx, &c)
	if err != nil {
		s.logRefused(ctx, c, err)
		return nil, err
	}
	end := s.logCall(ctx, c, p.Info(), env)
	defer func() { end(rows, err) }()
	if !c.explain {
		op := s.cfg.operations.begin(ctx, env.Catalog.Name(), c)
		show := env.Progress
		env.Progress = func(u maintenance.Update) {
			op.update(u)
			show(u)
		}
		defer func() { op.end(ctx, rows, err) }()
	}
	return s.execute(ctx, p, env, c.explain)
}

// bindCall finds the procedure of a call, evaluates the arguments and gives
// them to it.
func (s statements) bindCall(ctx *sql.Context, c *procedureCall) (procedures.Procedure, procedures.Env, error) {
	none := procedures.Env{}
	p, err := s.cfg.procedure(c.name)
	if err != nil {
		return nil, none, err
	}
	zone, err := zoneOf(ctx)
	if err != nil {
		return nil, none, err
	}
	cat, err := s.names.sessionCatalog(ctx, c.catalog)
	if err != nil {
		return nil, none, err
	}
	args := make([]procedures.Arg, len(c.args))
	for i, e := range c.args {
		value, err := e.Eval(ctx, nil)
		if err != nil {
			return nil, none, err
		}
		if args[i], err = argument(c.argNames[i], value, e.Type(), zone); err != nil {
			return nil, none, fmt.Errorf("%s: %w: argument %d: %w", p.Info().Name, procedures.ErrArgument, i+1, err)
		}
	}
	adapt(p.Info().Params, args)
	c.table = tableArgument(p.Info().Params, args)
	if err := procedures.BindIn(zone, p, args); err != nil {
		return nil, none, err
	}
	return p, s.env(ctx, cat, zone), nil
}

// execute plans the call and shows the plan or does it.
func (s statements) execute(ctx context.Context, p procedures.Procedure, env procedures.Env, explain bool) (_ []sql.Row, err error) {
	plan, err := p.Plan(ctx, env)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", p.Info().Name, err)
	}
	if held, ok := plan.(io.Closer); ok {
		defer func() { err = errors.Join(err, held.Close()) }()
	}
	if explain {
		return stepRows(plan.Steps()), nil
	}
	rows, err := plan.Execute(ctx)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", p.Info().Name, err)
	}
	return outputRows(p.Info().Output, rows, env.Zone)
}

func (s statements) env(ctx *sql.Context, cat *catalog.Catalog, zone *time.Location) procedures.Env {
	return procedures.Env{
		Env:       maintenance.Env{Catalog: cat, Now: s.cfg.Now, Log: s.cfg.Log, Limits: s.cfg.Limits, Journal: s.cfg.Journal, Progress: progressOf(ctx), Warn: warningsOf(ctx)},
		Zone:      zone,
		Namespace: s.names.sessionNamespace(ctx, cat),
		Files:     files(ctx, s.engine, zone),
	}
}

// sessionNamespace is the namespace of cat that the session uses, nil if it
// uses none or one of another catalog.
func (p *provider) sessionNamespace(ctx *sql.Context, cat *catalog.Catalog) table.Identifier {
	current := currentDatabase(ctx)
	if current == "" || isEngineDatabase(current) {
		return nil
	}
	db, err := p.database(ctx, strings.Split(current, "."))
	if err != nil || db.catalog != cat {
		return nil
	}
	return db.namespace
}

// sessionCatalog is the catalog called name, or if name is empty that of the
// session's database, or else the default.
func (p *provider) sessionCatalog(ctx *sql.Context, name string) (*catalog.Catalog, error) {
	if name == "" {
		name = p.set.Default()
		if first, _, _ := strings.Cut(currentDatabase(ctx), "."); first != "" && p.set.Has(first) {
			name = first
		}
	}
	return p.set.Get(ctx, name)
}

// outputSchema is the schema of a procedure's rows.
func outputSchema(columns []procedures.Column) sql.Schema {
	schema := make(sql.Schema, len(columns))
	for i, c := range columns {
		schema[i] = &sql.Column{Name: c.Name, Type: outputType(c.Type), Nullable: c.Nullable}
	}
	return schema
}

func outputType(t procedures.Type) sql.Type {
	switch t {
	case procedures.TypeInt:
		return types.Int32
	case procedures.TypeLong:
		return types.Int64
	case procedures.TypeDouble:
		return types.Float64
	case procedures.TypeBoolean:
		return types.Boolean
	case procedures.TypeTimestamp:
		return types.DatetimeMaxPrecision
	}
	return types.LongText
}

// outputRows turns a procedure's rows into the engine's.
func outputRows(columns []procedures.Column, rows []procedures.Row, zone *time.Location) ([]sql.Row, error) {
	out := make([]sql.Row, len(rows))
	for i, row := range rows {
		if len(row) != len(columns) {
			return nil, fmt.Errorf("a row has %d cells for %d columns", len(row), len(columns))
		}
		out[i] = make(sql.Row, len(row))
		for j, cell := range row {
			if t, ok := cell.(time.Time); ok {
				cell = wall(t, zone)
			}
			out[i][j] = cell
		}
	}
	return out, nil
}

// stepSchema is the schema of EXPLAIN CALL.
func stepSchema() sql.Schema {
	return sql.Schema{
		numberColumn("step"), textColumn("action", false), textColumn("object", false), textColumn("partition", true),
		numberColumn("files_in"), numberColumn("bytes_in"), numberColumn("files_out"), numberColumn("bytes_out"),
		textColumn("reason", true),
	}
}

func stepRows(steps []procedures.Step) []sql.Row {
	rows := make([]sql.Row, len(steps))
	for i, s := range steps {
		rows[i] = sql.Row{
			int64(i + 1), string(s.Action), s.Object, orNull(s.Partition),
			s.FilesIn, s.BytesIn, s.FilesOut, s.BytesOut, orNull(s.Reason),
		}
	}
	return rows
}

func orNull(s string) any {
	if s == "" {
		return nil
	}
	return s
}
