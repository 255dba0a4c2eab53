package server

import (
	"fmt"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/information_schema"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/sqltypes"

	"github.com/firndb/firn/server/columnar"
)

// infoSchema is the engine's information_schema with some tables of ours: those
// of what the engine has not, and those that would open every table of every
// catalog whatever a statement asks.
type infoSchema struct {
	sql.Database
	tables map[string]*infoTable
}

// newInfoSchema puts our tables before the engine's. The catalog is the engine's.
func newInfoSchema(inner sql.Database, names *provider, tables sql.Catalog, cfg Config) *infoSchema {
	i := infos{names, tables, cfg}
	s := &infoSchema{Database: inner, tables: map[string]*infoTable{}}
	for name, rows := range map[string]func(*sql.Context, wanted) ([]sql.Row, error){
		information_schema.ColumnsTableName:     i.columns,
		information_schema.TablesTableName:      i.reader(information_schema.TablesTableName),
		information_schema.ViewsTableName:       i.views,
		information_schema.RoutinesTableName:    i.routines,
		information_schema.ParametersTableName:  i.parameters,
		information_schema.ProcessListTableName: i.processes,
		information_schema.StatisticsTableName:  none,
	} {
		s.tables[name] = &infoTable{name: name, rows: rows}
	}
	return s
}

// none are the rows of a table that is empty here: no table has an index.
func none(*sql.Context, wanted) ([]sql.Row, error) { return nil, nil }

// GetTableInsensitive implements sql.Database.
func (s *infoSchema) GetTableInsensitive(ctx *sql.Context, name string) (sql.Table, bool, error) {
	inner, ok, err := s.Database.GetTableInsensitive(ctx, name)
	if ours := s.tables[strings.ToLower(name)]; ours != nil && ok && err == nil {
		t := *ours
		t.schema = plainText(inner.Schema())
		return &t, true, nil
	}
	return inner, ok, err
}

// plainText is the schema with text for ENUM and SET: the rows have text, and the
// engine panics where it converts that, as in the CASE of Connector/J's getTables.
func plainText(schema sql.Schema) sql.Schema {
	plain := make(sql.Schema, len(schema))
	for i, c := range schema {
		plain[i] = c
		if types.IsEnum(c.Type) || types.IsSet(c.Type) {
			column := *c
			column.Type, plain[i] = types.MustCreateString(sqltypes.VarChar, 64, sql.Collation_Information_Schema_Default), &column
		}
	}
	return plain
}

// wanted are the names that a condition leaves; empty is any.
type wanted struct{ schema, table string }

// infoTable is a table of information_schema that is ours.
type infoTable struct {
	name   string
	schema sql.Schema
	rows   func(*sql.Context, wanted) ([]sql.Row, error)
	only   wanted
}

var _ sql.Table = (*infoTable)(nil)

// Name implements sql.Table.
func (t *infoTable) Name() string { return t.name }

// String implements fmt.Stringer.
func (t *infoTable) String() string { return t.name }

// Schema implements sql.Table.
func (t *infoTable) Schema() sql.Schema { return t.schema }

// Collation implements sql.Table.
func (t *infoTable) Collation() sql.CollationID { return sql.Collation_Information_Schema_Default }

// Partitions implements sql.Table.
func (t *infoTable) Partitions(*sql.Context) (sql.PartitionIter, error) {
	return sql.PartitionsToPartitionIter(partition{}), nil
}

// PartitionRows implements sql.Table.
func (t *infoTable) PartitionRows(ctx *sql.Context, _ sql.Partition) (sql.RowIter, error) {
	rows, err := t.rows(ctx, t.only)
	if err != nil {
		return nil, wireError(err)
	}
	for _, row := range rows {
		if len(row) != len(t.schema) {
			return nil, wireError(fmt.Errorf("%s has %d columns, not %d", t.name, len(t.schema), len(row)))
		}
	}
	return sql.RowsToRowIter(rows...), nil
}

// limited is the table with the rows that a condition can leave.
func (t *infoTable) limited(ctx *sql.Context, condition sql.Expression) *infoTable {
	limited := *t
	if text, ok := equalText(ctx, condition, "table_schema"); ok {
		limited.only.schema = text
	}
	if text, ok := equalText(ctx, condition, "table_name"); ok {
		limited.only.table = text
	}
	return &limited
}

// equalText is the text that a condition wants a column to be equal to.
func equalText(ctx *sql.Context, condition sql.Expression, column string) (string, bool) {
	switch e := condition.(type) {
	case *expression.And:
		if text, ok := equalText(ctx, e.LeftChild, column); ok {
			return text, true
		}
		return equalText(ctx, e.RightChild, column)
	case *expression.Equals:
		left, right := e.Left(), e.Right()
		if _, ok := left.(*expression.GetField); !ok {
			left, right = right, left
		}
		field, ok := left.(*expression.GetField)
		if !ok || !strings.EqualFold(field.Name(), column) {
			return "", false
		}
		value, ok := columnar.Constant(ctx, right)
		text, isText := value.(string)
		return text, ok && isText && text != ""
	}
	return "", false
}
