package server

import (
	"context"
	"errors"
	"strings"
	"sync"

	"github.com/apache/iceberg-go/table"
	"github.com/apache/iceberg-go/view"
	"github.com/dolthub/go-mysql-server/sql"

	"github.com/firndb/firn/catalog"
	"github.com/firndb/firn/metatables"
)

// database is a namespace of a catalog, or with table set, the metadata tables
// of one table. It lives as long as a statement.
type database struct {
	stmt      *statement
	catalog   *catalog.Catalog
	namespace table.Identifier
	table     table.Identifier

	mu sync.Mutex
	// listed are the tables of the namespace by lower-case name, once they have
	// been asked for.
	listed map[string]table.Identifier
	// known are the entries that names of the statement have been found to
	// mean, by their lower-case name.
	known map[string]entry
}

var (
	_ sql.VersionedDatabase = (*database)(nil)
	_ sql.ReadOnlyDatabase  = (*database)(nil)
	_ sql.ViewDatabase      = (*database)(nil)
)

func newDatabase(stmt *statement, c *catalog.Catalog, namespace, tbl table.Identifier) *database {
	return &database{stmt: stmt, catalog: c, namespace: namespace, table: tbl}
}

// tableDatabase is the database of the metadata tables of tbl.
func tableDatabase(stmt *statement, c *catalog.Catalog, tbl *table.Table) *database {
	ident := tbl.Identifier()
	return newDatabase(stmt, c, ident[:len(ident)-1], ident)
}

// know remembers that the database has e.
func (d *database) know(e entry) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.known == nil {
		d.known = map[string]entry{}
	}
	d.known[strings.ToLower(e.name(d))] = e
}

func (d *database) knows(name string) (entry, bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	e, ok := d.known[strings.ToLower(name)]
	return e, ok
}

// Name implements sql.Database: the full name.
func (d *database) Name() string {
	parts := d.namespace
	if d.table != nil {
		parts = d.table
	}
	return strings.Join(append([]string{d.catalog.Name()}, parts...), ".")
}

// IsReadOnly implements sql.ReadOnlyDatabase: tables change through procedures
// only.
func (d *database) IsReadOnly() bool { return true }

// GetTableNames implements sql.Database. Metadata tables are listed in the
// database of their table only.
func (d *database) GetTableNames(ctx *sql.Context) ([]string, error) {
	var names []string
	if d.table != nil {
		for _, m := range d.stmt.metas {
			names = append(names, m.Name)
		}
		return names, nil
	}
	if d.namespace == nil {
		return nil, nil
	}
	idents, err := d.stmt.pins.Tables(ctx, d.catalog, d.namespace)
	if err != nil {
		return nil, wireError(err)
	}
	listed := make(map[string]table.Identifier, len(idents))
	for _, ident := range idents {
		name := ident[len(ident)-1]
		names = append(names, name)
		if key := strings.ToLower(name); listed[key] == nil {
			listed[key] = ident
		}
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.listed = listed
	return names, nil
}

// GetTableInsensitive implements sql.Database.
func (d *database) GetTableInsensitive(ctx *sql.Context, name string) (sql.Table, bool, error) {
	d.mu.Lock()
	ident, ok := d.listed[strings.ToLower(name)]
	d.mu.Unlock()
	if ok {
		// Whoever lists a database asks for every table; each is loaded when
		// its columns or rows are.
		return newRelation(ctx, d, entry{ident: ident}, version{}), true, nil
	}
	return d.get(ctx, name, version{})
}

// GetTableInsensitiveAsOf implements sql.VersionedDatabase.
func (d *database) GetTableInsensitiveAsOf(ctx *sql.Context, name string, asOf any) (sql.Table, bool, error) {
	zone, err := zoneOf(ctx)
	if err != nil {
		return nil, false, err
	}
	v, err := parseVersion(asOf, zone)
	if err != nil {
		return nil, false, wireError(err)
	}
	return d.get(ctx, name, v)
}

// GetTableNamesAsOf implements sql.VersionedDatabase. Which tables there were
// is not recorded anywhere.
func (d *database) GetTableNamesAsOf(ctx *sql.Context, _ any) ([]string, error) {
	return d.GetTableNames(ctx)
}

func (d *database) get(ctx *sql.Context, name string, v version) (sql.Table, bool, error) {
	found, err := d.find(ctx, name)
	if errors.Is(err, catalog.ErrNoSuchTable) || err == nil && found.view != nil {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, wireError(err)
	}
	if v, err = found.version(v); err != nil {
		return nil, false, wireError(err)
	}
	r := newRelation(ctx, d, found, v)
	if _, err := r.load(); err != nil {
		return nil, false, wireError(err)
	}
	return r, true, nil
}

// entry is a table of a database: a table, one of its metadata tables, the
// table at a version, or a view.
type entry struct {
	ident table.Identifier
	// view is set if the entry is a view and no table.
	view *view.View
	meta *metatables.Table
	// selector is what selects the version, such as branch_main.
	selector string
	// hidden is set if the table is to have its metadata columns, deleted if
	// _deleted is to be one of them.
	hidden, deleted bool
}

// name is what the database calls the entry.
func (e entry) name(d *database) string {
	last, suffix := e.ident[len(e.ident)-1], e.selector
	if e.meta != nil {
		suffix = e.meta.Name
	}
	switch {
	case suffix == "":
		return last
	case d.table != nil:
		return suffix
	}
	return last + "$" + suffix
}

// find looks for a table by name, in any case: a real one first, then the
// metadata table or version t$name. The error wraps catalog.ErrNoSuchTable if there is
// none.
func (d *database) find(ctx *sql.Context, name string) (entry, error) {
	if plain, ok := strings.CutSuffix(name, withDeleted); ok {
		e, err := d.find(ctx, plain+withMetaColumns)
		e.deleted = e.hidden
		return e, err
	}
	if plain, ok := strings.CutSuffix(name, withMetaColumns); ok {
		e, err := d.find(ctx, plain)
		e.hidden = e.meta == nil
		return e, err
	}
	if d.table != nil {
		return d.of(d.table, name)
	}
	if d.namespace == nil {
		return entry{}, catalog.ErrNoSuchTable
	}
	if e, ok := d.knows(name); ok {
		return e, nil
	}
	e, err := d.findBy(ctx, name, d.stmt.exactly())
	if errors.Is(err, catalog.ErrNoSuchTable) {
		e, err = d.findBy(ctx, name, d.stmt.listed())
	}
	return e, err
}

// findBy is find among what load finds.
func (d *database) findBy(ctx *sql.Context, name string, load loader) (entry, error) {
	tbl, err := load.table(ctx, d.catalog, d.ident(name))
	if err == nil {
		return entry{ident: tbl.Identifier()}, nil
	}
	if !errors.Is(err, catalog.ErrNoSuchTable) {
		return entry{}, err
	}
	if at := strings.LastIndexByte(name, '$'); at > 0 && d.stmt.isPart(name[at+1:]) {
		base, err := load.table(ctx, d.catalog, d.ident(name[:at]))
		if err == nil {
			return d.of(base.Identifier(), name[at+1:])
		}
		if !errors.Is(err, catalog.ErrNoSuchTable) {
			return entry{}, err
		}
	}
	v, err := load.view(ctx, d.catalog, d.ident(name))
	if err != nil {
		return entry{}, err
	}
	return entry{ident: v.Identifier(), view: v}, nil
}

// loader loads tables and views by their names.
type loader struct {
	table func(context.Context, *catalog.Catalog, table.Identifier) (*table.Table, error)
	view  func(context.Context, *catalog.Catalog, table.Identifier) (*view.View, error)
}

// exactly loads by names in the catalog's spelling.
func (s *statement) exactly() loader { return loader{s.pins.LoadExact, s.pins.LoadView} }

// listed loads by names in any case.
func (s *statement) listed() loader { return loader{s.pins.Load, s.pins.LoadListedView} }

// of is the part of a table that is called name.
func (d *database) of(ident table.Identifier, name string) (entry, error) {
	if meta := d.stmt.meta(name); meta != nil {
		return entry{ident: ident, meta: meta}, nil
	}
	if _, ok := parseSelector(name); ok {
		return entry{ident: ident, selector: name}, nil
	}
	return entry{}, catalog.ErrNoSuchTable
}

func (d *database) ident(name string) table.Identifier {
	ident := make(table.Identifier, 0, len(d.namespace)+1)
	return append(append(ident, d.namespace...), name)
}

// CreateView implements sql.ViewDatabase.
func (d *database) CreateView(*sql.Context, string, string, string) error {
	return sql.ErrViewsNotSupported.New(d.Name())
}

// DropView implements sql.ViewDatabase.
func (d *database) DropView(*sql.Context, string) error {
	return sql.ErrViewsNotSupported.New(d.Name())
}

// GetViewDefinition implements sql.ViewDatabase: the engine meets no view, because
// the parser has put its query in its place.
func (d *database) GetViewDefinition(*sql.Context, string) (sql.ViewDefinition, bool, error) {
	return sql.ViewDefinition{}, false, nil
}

// AllViews implements sql.ViewDatabase: the names of the views. Their texts are
// not loaded.
func (d *database) AllViews(ctx *sql.Context) ([]sql.ViewDefinition, error) {
	if d.table != nil || d.namespace == nil {
		return nil, nil
	}
	idents, err := d.stmt.pins.Views(ctx, d.catalog, d.namespace)
	if err != nil {
		return nil, wireError(err)
	}
	definitions := make([]sql.ViewDefinition, len(idents))
	for i, ident := range idents {
		definitions[i].Name = ident[len(ident)-1]
	}
	return definitions, nil
}
