package server

import (
	"errors"
	"fmt"
	"strings"

	"github.com/apache/iceberg-go/table"
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/analyzer"

	"github.com/firndb/firn/catalog"
	"github.com/firndb/firn/server/functions"
)

// provider shows the namespaces of all catalogs as databases. A database is
// called catalog.namespace; in the default catalog namespace alone does too. A
// catalog's name alone is a database without tables, and the full name of a
// table is the database of its metadata tables.
type provider struct {
	set       *catalog.Set
	functions *functions.Set
	system    systemTables
}

func newProvider(set *catalog.Set, system systemTables) *provider {
	return &provider{set: set, functions: functions.NewSet(), system: system}
}

// Database implements sql.DatabaseProvider.
func (p *provider) Database(ctx *sql.Context, name string) (sql.Database, error) {
	parts := strings.Split(name, ".")
	db, err := p.database(ctx, parts)
	if errors.Is(err, catalog.ErrNoSuchNamespace) && p.isSystem(parts) {
		return systemDatabase{name, p.system}, nil
	}
	if errors.Is(err, catalog.ErrNoSuchNamespace) {
		return nil, sql.ErrDatabaseNotFound.New(name)
	}
	if err != nil {
		return nil, wireError(err)
	}
	return db, nil
}

// HasDatabase implements sql.DatabaseProvider.
func (p *provider) HasDatabase(ctx *sql.Context, name string) bool {
	parts := strings.Split(name, ".")
	_, err := p.database(ctx, parts)
	return err == nil || errors.Is(err, catalog.ErrNoSuchNamespace) && p.isSystem(parts)
}

// AllDatabases implements sql.DatabaseProvider: the namespaces of every
// catalog. A catalog that cannot be reached is left out, with a warning.
func (p *provider) AllDatabases(ctx *sql.Context) []sql.Database {
	var all []sql.Database
	for _, name := range p.set.Names() {
		namespaces, err := p.namespaces(ctx, name)
		if err != nil {
			ctx.Session.Warn(&sql.Warning{Level: "Warning", Code: codeOther, Message: err.Error()})
			continue
		}
		for _, db := range namespaces {
			all = append(all, db)
		}
	}
	return all
}

func (p *provider) namespaces(ctx *sql.Context, name string) ([]*database, error) {
	c, err := p.set.Get(ctx, name)
	if err != nil {
		return nil, err
	}
	stmt := statementOf(ctx)
	idents, err := stmt.pins.Namespaces(ctx, c)
	if err != nil {
		return nil, err
	}
	dbs := make([]*database, len(idents))
	for i, ident := range idents {
		dbs[i] = stmt.remember(newDatabase(stmt, c, ident, nil))
	}
	return dbs, nil
}

// database finds the database of that name: first in the spelling of the
// likeliest catalog, which takes no listing. The error wraps
// catalog.ErrNoSuchNamespace if there is none.
func (p *provider) database(ctx *sql.Context, parts []string) (*database, error) {
	stmt := statementOf(ctx)
	name := strings.Join(parts, ".")
	key := strings.ToLower(name)
	if db := stmt.recall(key); db != nil {
		return db, nil
	}
	if key == "" || isEngineDatabase(key) {
		return nil, fmt.Errorf("%w: %q is in no catalog", catalog.ErrNoSuchNamespace, name)
	}
	if db := currentOf(ctx, stmt, key); db != nil {
		return stmt.rememberAs(key, db), nil
	}
	db, err := p.openExact(ctx, stmt, p.candidates(parts)[0])
	if errors.Is(err, catalog.ErrNoSuchNamespace) {
		var all []*database
		if all, err = p.databases(ctx, parts); err == nil {
			db = all[0]
		}
	}
	if err != nil {
		return nil, err
	}
	keepCurrent(ctx, key, db)
	return stmt.rememberAs(key, stmt.remember(db)), nil
}

// databases finds all databases that parts may mean, in any case, the likeliest
// first; at least one. The error wraps catalog.ErrNoSuchNamespace if there is
// none.
func (p *provider) databases(ctx *sql.Context, parts []string) ([]*database, error) {
	stmt := statementOf(ctx)
	var all []*database
	var first error
	for _, try := range p.candidates(parts) {
		db, err := p.open(ctx, stmt, try)
		switch {
		case err == nil:
			all = append(all, stmt.remember(db))
		case !errors.Is(err, catalog.ErrNoSuchNamespace):
			return nil, err
		case first == nil:
			first = err
		}
	}
	if all == nil {
		return nil, first
	}
	return all, nil
}

// candidate is one way to read a dotted name: a catalog and the rest.
type candidate struct {
	catalog string
	rest    table.Identifier
}

// candidates lists the ways in which parts may be read, in order: a first part
// that names a catalog is one, else the default catalog has the name.
func (p *provider) candidates(parts []string) []candidate {
	whole := candidate{p.set.Default(), parts}
	if p.set.Has(parts[0]) {
		return []candidate{{parts[0], parts[1:]}, whole}
	}
	return []candidate{whole}
}

// openExact finds the database that a candidate names, in its spelling: the
// catalog itself, a namespace, or a table.
func (p *provider) openExact(ctx *sql.Context, stmt *statement, try candidate) (*database, error) {
	c, err := p.set.Get(ctx, try.catalog)
	if err != nil {
		return nil, err
	}
	if len(try.rest) == 0 {
		return newDatabase(stmt, c, nil, nil), nil
	}
	missing := fmt.Errorf("%w: %q in catalog %q", catalog.ErrNoSuchNamespace, strings.Join(try.rest, "."), c.Name())
	// Whether a catalog refuses a name or has nothing of that name is the same
	// here: what is wrong with the catalog itself, listing it will show.
	if exact, err := stmt.pins.HasNamespace(ctx, c, try.rest); err == nil && exact {
		return newDatabase(stmt, c, try.rest, nil), nil
	}
	tbl, err := stmt.pins.LoadExact(ctx, c, try.rest)
	if errors.Is(err, catalog.ErrNoSuchTable) {
		return nil, missing
	}
	if err != nil {
		return nil, err
	}
	return tableDatabase(stmt, c, tbl), nil
}

// open is openExact in any case, by the catalog's lists.
func (p *provider) open(ctx *sql.Context, stmt *statement, try candidate) (*database, error) {
	c, err := p.set.Get(ctx, try.catalog)
	if err != nil {
		return nil, err
	}
	if len(try.rest) == 0 {
		return newDatabase(stmt, c, nil, nil), nil
	}
	namespace, missing := stmt.pins.Namespace(ctx, c, try.rest)
	if missing == nil {
		return newDatabase(stmt, c, namespace, nil), nil
	}
	if len(try.rest) < 2 || !errors.Is(missing, catalog.ErrNoSuchNamespace) {
		return nil, missing
	}
	tbl, err := stmt.pins.LoadListed(ctx, c, try.rest)
	if errors.Is(err, catalog.ErrNoSuchTable) {
		return nil, missing
	}
	if err != nil {
		return nil, err
	}
	return tableDatabase(stmt, c, tbl), nil
}

// withoutRoutines leaves out the engine's rule that lists the databases for
// every table of a query, in search of stored procedures: there are none.
func withoutRoutines(b *analyzer.Builder) *analyzer.Builder {
	for id := range analyzer.RuleId(256) {
		if id.String() == "assignRoutines" {
			b = b.RemoveOnceAfterRule(id)
		}
	}
	return b
}

// Function implements sql.FunctionProvider: Firn's functions.
func (p *provider) Function(ctx *sql.Context, name string) (sql.Function, bool) {
	if strings.EqualFold(name, decimalLiteralName) {
		return sql.FunctionN{Name: decimalLiteralName, Fn: newDecimalLiteral}, true
	}
	return p.functions.Lookup(ctx, name)
}

func (s *statement) recall(key string) *database {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.databases[key]
}

// remember keeps db under its own name and returns what is kept.
func (s *statement) remember(db *database) *database {
	return s.rememberAs(strings.ToLower(db.Name()), db)
}

func (s *statement) rememberAs(key string, db *database) *database {
	s.mu.Lock()
	defer s.mu.Unlock()
	if kept := s.databases[key]; kept != nil {
		return kept
	}
	s.databases[key] = db
	return db
}
