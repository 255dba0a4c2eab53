package server

import (
	"fmt"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/types"
	ast "github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/firndb/firn/catalog"
	"github.com/firndb/firn/procedures"
)

// ShowProcedures implements dialect.Statements: the procedures of a catalog,
// one row each, in Spark's columns and a sentence about each. The namespace
// may be given too.
func (s statements) ShowProcedures(in []string, like string) ast.Injectable {
	schema := sql.Schema{
		textColumn("catalog", false), textColumn("namespace", true), textColumn("schema", true),
		textColumn("procedure_name", false), textColumn("comment", true),
	}
	return s.show("SHOW PROCEDURES", schema, func(ctx *sql.Context) ([]sql.Row, error) {
		name := ""
		if len(in) > 0 && !strings.EqualFold(in[0], systemNamespace) {
			name = in[0]
		}
		c, err := s.names.sessionCatalog(ctx, name)
		if err != nil {
			return nil, err
		}
		if len(in) > 0 && name != "" && len(in) > 1 && (len(in) > 2 || !strings.EqualFold(in[1], systemNamespace)) {
			return nil, fmt.Errorf("%w: %q has no procedures; they are in %s.%s", catalog.ErrNoSuchNamespace, strings.Join(in, "."), c.Name(), systemNamespace)
		}
		var rows []sql.Row
		for _, p := range procedures.All() {
			info := p.Info()
			ok, err := matches(ctx, info.Name, like)
			if err != nil {
				return nil, err
			}
			if ok {
				rows = append(rows, sql.Row{c.Name(), systemNamespace, systemNamespace, info.Name, info.Doc})
			}
		}
		return rows, nil
	})
}

// show is a statement without arguments.
func (s statements) show(text string, schema sql.Schema, run func(*sql.Context) ([]sql.Row, error)) ast.Injectable {
	return injected(func([]sql.Expression) (*node, error) {
		return &node{text: text, schema: schema, run: func(ctx *sql.Context, _ []sql.Expression) ([]sql.Row, error) {
			return run(ctx)
		}}, nil
	})
}

// matches says whether name is LIKE the pattern, in MySQL's form or with Spark's
// star. An empty pattern matches all.
func matches(ctx *sql.Context, name, pattern string) (bool, error) {
	if pattern == "" {
		return true, nil
	}
	pattern = strings.ReplaceAll(pattern, "*", "%")
	like := expression.NewLike(
		expression.NewLiteral(strings.ToLower(name), types.LongText),
		expression.NewLiteral(strings.ToLower(pattern), types.LongText), nil)
	v, err := like.Eval(ctx, nil)
	if err != nil {
		return false, err
	}
	return sql.ConvertToBool(ctx, v)
}

// DescribeProcedure implements dialect.Statements: the parameters, options and
// output columns of a procedure.
func (s statements) DescribeProcedure(name []string) ast.Injectable {
	schema := sql.Schema{
		textColumn("kind", false), textColumn("name", false), textColumn("type", false),
		textColumn("required", false), textColumn("default", true), textColumn("comment", true),
	}
	return s.show("DESCRIBE PROCEDURE", schema, func(*sql.Context) ([]sql.Row, error) {
		_, last, err := procedureName(name)
		if len(name) == 1 {
			last, err = name[0], nil
		}
		if err != nil {
			return nil, err
		}
		p, err := s.cfg.procedure(last)
		if err != nil {
			return nil, err
		}
		info := p.Info()
		rows := []sql.Row{{"procedure", info.Name, "", "", nil, info.Doc}}
		rows = append(rows, paramRows("parameter", info.Params)...)
		rows = append(rows, paramRows("option", info.Options)...)
		for _, c := range info.Output {
			rows = append(rows, sql.Row{"output", c.Name, string(c.Type), "", nil, orNull(c.Doc)})
		}
		return rows, nil
	})
}

func paramRows(kind string, params []procedures.Param) []sql.Row {
	rows := make([]sql.Row, len(params))
	for i, p := range params {
		required := "no"
		if p.Required {
			required = "yes"
		}
		rows[i] = sql.Row{kind, p.Name, string(p.Type), required, orNull(p.Default), orNull(p.Doc)}
	}
	return rows
}

// ShowTableProperties implements dialect.Statements, as Spark shows them.
func (s statements) ShowTableProperties(name []string, key string) ast.Injectable {
	schema := sql.Schema{textColumn("key", false), textColumn("value", false)}
	return s.show("SHOW TBLPROPERTIES", schema, func(ctx *sql.Context) ([]sql.Row, error) {
		what, full, props, err := s.properties(ctx, name)
		if err != nil {
			return nil, err
		}
		if key != "" {
			for _, p := range props {
				if p.key == key {
					return []sql.Row{{p.key, p.value}}, nil
				}
			}
			return []sql.Row{{key, fmt.Sprintf("%s %s does not have property: %s", what, full, key)}}, nil
		}
		rows := make([]sql.Row, len(props))
		for i, p := range props {
			rows[i] = sql.Row{p.key, p.value}
		}
		return rows, nil
	})
}

// properties are the properties of a table or view, what it is and its full name.
func (s statements) properties(ctx *sql.Context, name []string) (what, full string, props []property, err error) {
	db, e, err := s.entry(ctx, name)
	if err != nil {
		return "", "", nil, err
	}
	full = strings.Join(append([]string{db.catalog.Name()}, e.ident...), ".")
	if e.view != nil {
		return "View", full, viewProperties(e.view), nil
	}
	l, err := newRelation(ctx, db, e, version{}).load()
	if err != nil {
		return "", "", nil, err
	}
	return "Table", full, sparkProperties(l.tbl), nil
}

// entry finds what a dotted name as typed means. The error wraps
// catalog.ErrNoSuchTable or catalog.ErrNoSuchNamespace.
func (s statements) entry(ctx *sql.Context, name []string) (*database, entry, error) {
	in, last, err := resolver{s.names}.Table(ctx, name)
	if err != nil {
		return nil, entry{}, err
	}
	if in == "" {
		if in = currentDatabase(ctx); in == "" {
			return nil, entry{}, sql.ErrNoDatabaseSelected.New()
		}
	}
	db, err := s.names.database(ctx, strings.Split(in, "."))
	if err != nil {
		return nil, entry{}, err
	}
	e, err := db.find(ctx, last)
	return db, e, err
}
