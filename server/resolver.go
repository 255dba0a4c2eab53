package server

import (
	"errors"
	"slices"
	"strings"

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
	db, e, err := p.lookup(ctx, parts[:len(parts)-1], last)
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
