package server

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/information_schema"

	"github.com/firndb/firn/procedures"
)

// infos makes the rows of our tables of information_schema.
type infos struct {
	names  *provider
	tables sql.Catalog
	cfg    Config
}

// reader is a table of the engine's, over the tables that are wanted.
func (i infos) reader(name string) func(*sql.Context, wanted) ([]sql.Row, error) {
	return func(ctx *sql.Context, only wanted) ([]sql.Row, error) {
		table, ok := information_schema.GetInformationSchemaTables()[name].(*information_schema.InformationSchemaTable)
		if !ok {
			return nil, fmt.Errorf("information_schema has no table %q", name)
		}
		rows, err := table.Reader(ctx, narrowed{i.tables, i.names, only, false})
		if err != nil {
			return nil, err
		}
		return sql.RowIterToRows(ctx, rows)
	}
}

// columns are the rows of COLUMNS. The columns of a view are those of its
// metadata: its query need not be readable.
func (i infos) columns(ctx *sql.Context, only wanted) ([]sql.Row, error) {
	narrow := narrowed{i.tables, i.names, only, true}
	table := information_schema.NewColumnsTable()
	table.AssignCatalog(narrow)
	all, err := table.AllColumns(ctx)
	if err != nil {
		return nil, err
	}
	rows, err := table.RowIter(ctx, narrow, all)
	if err != nil {
		return nil, err
	}
	return sql.RowIterToRows(ctx, rows)
}

// views are the rows of VIEWS.
func (i infos) views(ctx *sql.Context, only wanted) ([]sql.Row, error) {
	var rows []sql.Row
	for _, db := range (narrowed{i.tables, i.names, only, false}).databases(ctx) {
		definitions, err := db.AllViews(ctx)
		if err != nil {
			return nil, err
		}
		for _, d := range definitions {
			if only.table != "" && !strings.EqualFold(only.table, d.Name) {
				continue
			}
			v, err := db.stmt.pins.LoadView(ctx, db.catalog, db.ident(d.Name))
			if err != nil {
				return nil, err
			}
			text, err := viewText(v)
			if err != nil {
				return nil, err
			}
			rows = append(rows, sql.Row{
				"def", db.Name(), d.Name, text.Sql, "NONE", "NO", "", "INVOKER",
				sql.Collation_Default.CharacterSet().String(), sql.Collation_Default.String(),
			})
		}
	}
	return rows, nil
}

// each calls visit for the procedures of every catalog.
func (i infos) each(visit func(schema string, info procedures.Info)) {
	for _, catalog := range i.names.set.Names() {
		for _, p := range procedures.All() {
			visit(catalog+"."+systemNamespace, p.Info())
		}
	}
}

// routines are the rows of ROUTINES.
func (i infos) routines(*sql.Context, wanted) ([]sql.Row, error) {
	var rows []sql.Row
	made, charset, collation := time.Date(2000, time.January, 1, 0, 0, 0, 0, time.UTC), sql.Collation_Default.CharacterSet().String(), sql.Collation_Default.String()
	i.each(func(schema string, info procedures.Info) {
		rows = append(rows, sql.Row{
			info.Name, "def", schema, info.Name, "PROCEDURE", "", nil, nil, nil, nil, nil, nil, nil, nil, "SQL", nil,
			nil, "SQL", "SQL", "NO", "MODIFIES SQL DATA", nil, "INVOKER", made, made, "", info.Doc, "", charset, collation, collation,
		})
	})
	return rows, nil
}

// parameters are the rows of PARAMETERS, in the order of a call.
func (i infos) parameters(*sql.Context, wanted) ([]sql.Row, error) {
	var rows []sql.Row
	i.each(func(schema string, info procedures.Info) {
		for n, p := range info.Params {
			rows = append(rows, sql.Row{
				"def", schema, info.Name, uint64(n + 1), "IN", p.Name, string(p.Type), nil, nil, nil, nil, nil, nil, nil,
				string(p.Type), "PROCEDURE",
			})
		}
	})
	return rows, nil
}

// processes are the rows of PROCESSLIST.
func (i infos) processes(ctx *sql.Context, _ wanted) ([]sql.Row, error) { return processRows(ctx), nil }

// narrowed is the engine's catalog with the databases and tables that are wanted.
// With views, a view is a table of the columns of its metadata.
type narrowed struct {
	sql.Catalog
	names *provider
	only  wanted
	views bool
}

// databases are the namespaces that are wanted.
func (n narrowed) databases(ctx *sql.Context) []*database {
	if n.only.schema != "" {
		db, err := n.names.database(ctx, strings.Split(n.only.schema, "."))
		if err != nil || db.Name() == "" {
			return nil
		}
		return []*database{db}
	}
	var all []*database
	for _, db := range n.names.AllDatabases(ctx) {
		if ours, ok := db.(*database); ok {
			all = append(all, ours)
		}
	}
	return all
}

// AllDatabases implements sql.Catalog.
func (n narrowed) AllDatabases(ctx *sql.Context) []sql.Database {
	var all []sql.Database
	if n.only.schema == "" || strings.EqualFold(n.only.schema, sql.InformationSchemaDatabaseName) {
		if db, err := n.Catalog.Database(ctx, sql.InformationSchemaDatabaseName); err == nil {
			all = append(all, db)
		}
	}
	for _, db := range n.databases(ctx) {
		all = append(all, narrowDatabase{db, n})
	}
	return all
}

// narrowDatabase is a database with the tables that are wanted.
type narrowDatabase struct {
	*database
	to narrowed
}

// GetTableNames implements sql.Database.
func (d narrowDatabase) GetTableNames(ctx *sql.Context) ([]string, error) {
	names, err := d.database.GetTableNames(ctx)
	if err != nil {
		return nil, err
	}
	if d.to.views {
		definitions, err := d.database.AllViews(ctx)
		if err != nil {
			return nil, err
		}
		for _, v := range definitions {
			names = append(names, v.Name)
		}
	}
	return slices.DeleteFunc(names, func(name string) bool {
		return d.to.only.table != "" && !strings.EqualFold(name, d.to.only.table)
	}), nil
}

// AllViews implements sql.ViewDatabase.
func (d narrowDatabase) AllViews(ctx *sql.Context) ([]sql.ViewDefinition, error) {
	if d.to.views {
		return nil, nil
	}
	definitions, err := d.database.AllViews(ctx)
	kept := slices.DeleteFunc(definitions, func(v sql.ViewDefinition) bool {
		return d.to.only.table != "" && !strings.EqualFold(v.Name, d.to.only.table)
	})
	return kept, err
}

// GetTableInsensitive implements sql.Database.
func (d narrowDatabase) GetTableInsensitive(ctx *sql.Context, name string) (sql.Table, bool, error) {
	table, ok, err := d.database.GetTableInsensitive(ctx, name)
	if ok || err != nil || !d.to.views {
		return table, ok, err
	}
	v, err := d.stmt.pins.LoadView(ctx, d.catalog, d.ident(name))
	if err != nil {
		return nil, false, wireError(err)
	}
	schema, err := schemaOf(v.CurrentSchema().Fields(), name, d.Name())
	return &infoTable{name: name, schema: schema, rows: none}, err == nil, err
}
