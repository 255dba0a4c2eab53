package catalog

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	icecat "github.com/apache/iceberg-go/catalog"
	iceio "github.com/apache/iceberg-go/io"
	"github.com/apache/iceberg-go/table"
)

// Hooks let a test stand between a catalog and the world. The zero value
// changes nothing.
type Hooks struct {
	// Catalog wraps the catalog itself.
	Catalog func(icecat.Catalog) icecat.Catalog
	// IO wraps the file system of every table that the catalog loads.
	IO func(iceio.IO) iceio.IO
	// Commit, if set, is called in place of the catalog's own commit, which it
	// may call as next.
	Commit func(ctx context.Context, ident table.Identifier, reqs []table.Requirement, updates []table.Update, next CommitFunc) (table.Metadata, string, error)
}

// CommitFunc is the signature of [Catalog.Commit].
type CommitFunc func(ctx context.Context, ident table.Identifier, reqs []table.Requirement, updates []table.Update) (table.Metadata, string, error)

// Catalog is one named Iceberg catalog. It is safe for concurrent use.
type Catalog struct {
	name    string
	aliases []string
	ice     icecat.Catalog
	// views is nil for a catalog that has none.
	views viewSource
	hooks Hooks
}

// New returns a catalog of that name over ice.
func New(name string, ice icecat.Catalog, hooks Hooks) *Catalog {
	views := viewsOf(ice)
	if hooks.Catalog != nil {
		ice = hooks.Catalog(ice)
	}
	return &Catalog{name: name, ice: ice, views: views, hooks: hooks}
}

// Name is the catalog's configured name, in its configured spelling.
func (c *Catalog) Name() string { return c.name }

// Is says whether name is the catalog's name or an alias of it, in any case.
func (c *Catalog) Is(name string) bool {
	return strings.EqualFold(c.name, name) || slices.ContainsFunc(c.aliases, func(a string) bool { return strings.EqualFold(a, name) })
}

// Iceberg is the catalog as iceberg-go has it, for what this package does not
// wrap: creating and dropping tables, views, namespace properties.
func (c *Catalog) Iceberg() icecat.Catalog { return c.ice }

// Load reads the current metadata of a table. The name is matched exactly, and
// if no table has it, without regard to case. The error wraps ErrNoSuchTable
// when there is no such table.
func (c *Catalog) Load(ctx context.Context, ident table.Identifier) (*table.Table, error) {
	tbl, err := c.loadExact(ctx, ident)
	if !errors.Is(err, ErrNoSuchTable) {
		return tbl, err
	}
	folded, err := (&names{c: c}).fold(ctx, ident, (*names).in)
	if err != nil {
		return nil, err
	}
	return c.loadExact(ctx, folded)
}

// loadExact is Load for the catalog's spelling of the name.
func (c *Catalog) loadExact(ctx context.Context, ident table.Identifier) (*table.Table, error) {
	if len(ident) < 2 {
		return nil, c.noTable(ident)
	}
	tbl, err := c.ice.LoadTable(ctx, ident)
	if isMissing(err) {
		return nil, c.noTable(ident)
	}
	if err != nil {
		return nil, fmt.Errorf("load table %q: %w", strings.Join(ident, "."), ofLocation(err))
	}
	return c.wrap(tbl), nil
}

func (c *Catalog) noTable(ident table.Identifier) error {
	return fmt.Errorf("%w: %q in catalog %q", ErrNoSuchTable, strings.Join(ident, "."), c.name)
}

// wrap returns tbl with the catalog's hooks and errors in place.
func (c *Catalog) wrap(tbl *table.Table) *table.Table {
	open := func(ctx context.Context) (iceio.IO, error) {
		fs, err := tbl.FS(ctx)
		if err != nil {
			return nil, ofLocation(err)
		}
		if c.hooks.IO != nil {
			fs = c.hooks.IO(fs)
		}
		return fs, nil
	}
	commits := table.CatalogIO(c.ice)
	if c.hooks.IO != nil {
		commits = nil // they would pass by the hooks
	}
	return table.New(tbl.Identifier(), tbl.Metadata(), tbl.MetadataLocation(), open, commits)
}

// Commit asks the catalog to apply updates to the table if the requirements
// hold, once: it does not retry. It returns the new metadata and its location.
func (c *Catalog) Commit(ctx context.Context, ident table.Identifier, reqs []table.Requirement, updates []table.Update) (table.Metadata, string, error) {
	if c.hooks.Commit != nil {
		return c.hooks.Commit(ctx, ident, reqs, updates, c.ice.CommitTable)
	}
	return c.ice.CommitTable(ctx, ident, reqs, updates)
}

// Namespaces lists the catalog's namespaces, of any depth, parents before
// children and otherwise in the order of their names.
func (c *Catalog) Namespaces(ctx context.Context) ([]table.Identifier, error) {
	return (&names{c: c}).all(ctx)
}

// Tables lists the tables of a namespace in the order of their names. The
// error wraps ErrNoSuchNamespace when there is no such namespace.
func (c *Catalog) Tables(ctx context.Context, namespace table.Identifier) ([]table.Identifier, error) {
	return (&names{c: c}).in(ctx, namespace)
}

// Namespace finds a namespace by its name, exactly or without regard to case,
// and returns it in the catalog's spelling. The error wraps ErrNoSuchNamespace.
func (c *Catalog) Namespace(ctx context.Context, name table.Identifier) (table.Identifier, error) {
	return (&names{c: c}).find(ctx, name)
}

func isMissing(err error) bool {
	return errors.Is(err, icecat.ErrNoSuchTable) || errors.Is(err, icecat.ErrNoSuchNamespace)
}
