package server

import (
	"errors"
	"strings"

	"github.com/apache/iceberg-go/table"
	"github.com/dolthub/go-mysql-server/sql"

	"github.com/firndb/firn/catalog"
)

// provider shows the namespaces of all catalogs as databases. A database is
// called catalog.namespace; in the default catalog namespace alone does too. A
// catalog's name alone is a database without tables, and the full name of a
// table is the database of its metadata tables.
type provider struct {
	set *catalog.Set
}

func newProvider(set *catalog.Set) *provider { return &provider{set: set} }

// Database implements sql.DatabaseProvider.
func (p *provider) Database(ctx *sql.Context, name string) (sql.Database, error) {
	db, err := p.database(ctx, strings.Split(name, "."))
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
	_, err := p.database(ctx, strings.Split(name, "."))
	return err == nil
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
	idents, err := c.Namespaces(ctx)
	if err != nil {
		return nil, err
	}
	stmt := statementOf(ctx)
	dbs := make([]*database, len(idents))
	for i, ident := range idents {
		dbs[i] = stmt.remember(newDatabase(stmt, c, ident, nil))
	}
	return dbs, nil
}

// database finds the database of that name. The error wraps
// catalog.ErrNoSuchNamespace if there is none.
func (p *provider) database(ctx *sql.Context, parts []string) (*database, error) {
	stmt := statementOf(ctx)
	key := strings.ToLower(strings.Join(parts, "."))
	if db := stmt.recall(key); db != nil {
		return db, nil
	}
	all, err := p.databases(ctx, parts)
	if err != nil {
		return nil, err
	}
	return stmt.rememberAs(key, all[0]), nil
}

// databases finds all databases that parts may mean, the likeliest first; at
// least one. The error wraps catalog.ErrNoSuchNamespace if there is none.
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

// open finds the database that a candidate names: the catalog itself, a
// namespace, or a table.
func (p *provider) open(ctx *sql.Context, stmt *statement, try candidate) (*database, error) {
	c, err := p.set.Get(ctx, try.catalog)
	if err != nil {
		return nil, err
	}
	if len(try.rest) == 0 {
		return newDatabase(stmt, c, nil, nil), nil
	}
	exact, err := c.Iceberg().CheckNamespaceExists(ctx, try.rest)
	if err == nil && exact {
		return newDatabase(stmt, c, try.rest, nil), nil
	}
	namespace, missing := c.Namespace(ctx, try.rest)
	if missing == nil {
		return newDatabase(stmt, c, namespace, nil), nil
	}
	if len(try.rest) < 2 || !errors.Is(missing, catalog.ErrNoSuchNamespace) {
		return nil, missing
	}
	tbl, err := stmt.pins.Load(ctx, c, try.rest)
	if errors.Is(err, catalog.ErrNoSuchTable) {
		return nil, missing
	}
	if err != nil {
		return nil, err
	}
	ident := tbl.Identifier()
	return newDatabase(stmt, c, ident[:len(ident)-1], ident), nil
}

// Function implements sql.FunctionProvider: Firn's functions.
func (p *provider) Function(ctx *sql.Context, name string) (sql.Function, bool) {
	return lookupFunction(ctx, name)
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
