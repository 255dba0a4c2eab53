package server

import (
	"errors"
	"slices"
	"strings"

	"github.com/apache/iceberg-go/table"
	"github.com/dolthub/go-mysql-server/sql"

	"github.com/firndb/firn/catalog"
)

// resolver tells the dialect what the dotted names of a statement mean.
type resolver struct{ *provider }

// Table maps a dotted name as typed to the database and table that the engine
// knows it by, in the catalog's spelling. The longest table name that exists
// counts; a last part that names a metadata table or a version is one only if no
// table has that name. A name that nothing has is returned as it was typed, for the
// engine to report.
func (p resolver) Table(ctx *sql.Context, parts []string) (database, table string, err error) {
	last := parts[len(parts)-1]
	if len(parts) == 1 {
		return "", last, nil
	}
	typed := strings.Join(parts[:len(parts)-1], ".")
	if len(parts) == 2 && isEngineDatabase(parts[0]) {
		return parts[0], last, nil
	}
	db, e, err := p.lookupExact(ctx, parts)
	if err == nil && db == nil {
		db, e, err = p.lookup(ctx, parts[:len(parts)-1], last)
	}
	if err != nil {
		return "", "", wireError(err)
	}
	if db == nil {
		if db, e, err = p.lookupMeta(ctx, parts); err != nil {
			return "", "", wireError(err)
		}
	}
	if db != nil {
		return db.Name(), e.name(db), nil
	}
	if n := len(parts) - 2; n > 0 && statementOf(ctx).isPart(last) {
		if of, err := p.database(ctx, parts[:n]); err == nil {
			return of.Name(), parts[n] + "$" + last, nil
		}
	}
	return typed, last, nil
}

// Database maps a dotted name as typed to a database that the engine knows. A
// name that nothing has is returned as it was typed.
func (p resolver) Database(ctx *sql.Context, parts []string) (string, error) {
	typed := strings.Join(parts, ".")
	if len(parts) == 1 && isEngineDatabase(typed) {
		return typed, nil
	}
	db, err := p.database(ctx, parts)
	if errors.Is(err, catalog.ErrNoSuchNamespace) {
		return typed, nil
	}
	if err != nil {
		return "", wireError(err)
	}
	return db.Name(), nil
}

// lookupExact finds the table or the part of one that parts name in the
// spelling of the likeliest catalog, without listing anything; the database is
// nil if there is none.
func (p resolver) lookupExact(ctx *sql.Context, parts []string) (*database, entry, error) {
	stmt := statementOf(ctx)
	try := p.candidates(parts)[0]
	n := len(try.rest)
	if n < 2 {
		return nil, entry{}, nil
	}
	c, err := p.set.Get(ctx, try.catalog)
	if err != nil {
		return nil, entry{}, err
	}
	last := try.rest[n-1]
	if n > 2 && stmt.isPart(last) {
		exact, err := stmt.pins.HasNamespace(ctx, c, try.rest[:n-1])
		if err != nil {
			return nil, entry{}, nil
		}
		if !exact {
			// A namespace that is not there has no table of the part's name.
			return p.exactPart(ctx, stmt, c, try.rest)
		}
	}
	db := newDatabase(stmt, c, try.rest[:n-1], nil)
	e, err := db.findBy(ctx, last, stmt.exactly())
	if errors.Is(err, catalog.ErrNoSuchTable) {
		return p.currentPart(ctx, parts)
	}
	if err != nil {
		return nil, entry{}, err
	}
	return found(stmt, db, e)
}

// exactPart is lookupExact for a part of a table, in the database of the
// table's parts.
func (p resolver) exactPart(ctx *sql.Context, stmt *statement, c *catalog.Catalog, rest table.Identifier) (*database, entry, error) {
	tbl, err := stmt.pins.LoadExact(ctx, c, rest[:len(rest)-1])
	if errors.Is(err, catalog.ErrNoSuchTable) {
		return nil, entry{}, nil
	}
	if err != nil {
		return nil, entry{}, err
	}
	db := tableDatabase(stmt, c, tbl)
	e, err := db.of(db.table, rest[len(rest)-1])
	if err != nil {
		return nil, entry{}, err
	}
	return found(stmt, db, e)
}

// currentPart is lookupExact for two parts that name a part of a table of the
// session's database.
func (p resolver) currentPart(ctx *sql.Context, parts []string) (*database, entry, error) {
	stmt, current := statementOf(ctx), currentDatabase(ctx)
	if len(parts) != 2 || current == "" || !stmt.isPart(parts[1]) {
		return nil, entry{}, nil
	}
	db, err := p.database(ctx, strings.Split(current, "."))
	if errors.Is(err, catalog.ErrNoSuchNamespace) || err == nil && (db.table != nil || db.namespace == nil) {
		return nil, entry{}, nil
	}
	if err != nil {
		return nil, entry{}, err
	}
	tbl, err := stmt.pins.LoadExact(ctx, db.catalog, db.ident(parts[0]))
	if errors.Is(err, catalog.ErrNoSuchTable) {
		return nil, entry{}, nil
	}
	if err != nil {
		return nil, entry{}, err
	}
	e, err := db.of(tbl.Identifier(), parts[1])
	if err != nil {
		return nil, entry{}, err
	}
	return found(stmt, db, e)
}

// found is an entry of a database in the statement's memory.
func found(stmt *statement, db *database, e entry) (*database, entry, error) {
	db = stmt.remember(db)
	db.know(e)
	return db, e, nil
}

// lookup finds the table called name in a database called parts; the database
// is nil if there is none.
func (p resolver) lookup(ctx *sql.Context, parts []string, name string) (*database, entry, error) {
	all, err := p.databases(ctx, parts)
	if errors.Is(err, catalog.ErrNoSuchNamespace) {
		return nil, entry{}, nil
	}
	if err != nil {
		return nil, entry{}, err
	}
	for _, db := range all {
		e, err := db.find(ctx, name)
		if err == nil {
			return db, e, nil
		}
		if !errors.Is(err, catalog.ErrNoSuchTable) {
			return nil, entry{}, err
		}
	}
	return nil, entry{}, nil
}

// lookupMeta finds the metadata table or version that the last of parts names,
// of the table that the others name. Of two parts, the first is a table of the
// session's database.
func (p resolver) lookupMeta(ctx *sql.Context, parts []string) (*database, entry, error) {
	last := parts[len(parts)-1]
	if !statementOf(ctx).isPart(last) {
		return nil, entry{}, nil
	}
	of, base := parts[:len(parts)-2], parts[len(parts)-2]
	if len(of) == 0 {
		current := currentDatabase(ctx)
		if current == "" {
			return nil, entry{}, nil
		}
		of = strings.Split(current, ".")
	}
	return p.lookup(ctx, of, base+"$"+last)
}

// currentDatabase is the database that the session uses, empty if none.
func currentDatabase(ctx *sql.Context) string {
	if ctx == nil || ctx.Session == nil {
		return ""
	}
	return ctx.GetCurrentDatabase()
}

func isEngineDatabase(name string) bool {
	return slices.ContainsFunc([]string{"information_schema", "mysql", "performance_schema", "sys"}, func(s string) bool {
		return strings.EqualFold(s, name)
	})
}
