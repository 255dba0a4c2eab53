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
	name  string
	ice   icecat.Catalog
	hooks Hooks
}

// New returns a catalog of that name over ice.
func New(name string, ice icecat.Catalog, hooks Hooks) *Catalog {
	return &Catalog{name: name, ice: ice, hooks: hooks}
}

// Name is the catalog's configured name, in its configured spelling.
func (c *Catalog) Name() string { return c.name }

// Iceberg is the catalog as iceberg-go has it, for what this package does not
// wrap: creating and dropping tables, views, namespace properties.
func (c *Catalog) Iceberg() icecat.Catalog { return c.ice }

// Load reads the current metadata of a table. The name is matched exactly, and
// if no table has it, without regard to case. The error wraps ErrNoSuchTable
// when there is no such table.
func (c *Catalog) Load(ctx context.Context, ident table.Identifier) (*table.Table, error) {
	tbl, err := c.ice.LoadTable(ctx, ident)
	if isMissing(err) {
		folded, ferr := c.fold(ctx, ident)
		if ferr != nil {
			return nil, ferr
		}
		tbl, err = c.ice.LoadTable(ctx, folded)
	}
	if isMissing(err) {
		return nil, fmt.Errorf("%w: %q in catalog %q", ErrNoSuchTable, strings.Join(ident, "."), c.name)
	}
	if err != nil {
		return nil, fmt.Errorf("load table %q: %w", strings.Join(ident, "."), err)
	}
	return c.wrap(tbl), nil
}

// wrap returns tbl with the catalog's hooks in place.
func (c *Catalog) wrap(tbl *table.Table) *table.Table {
	if c.hooks.IO == nil {
		return tbl
	}
	open := func(ctx context.Context) (iceio.IO, error) {
		fs, err := tbl.FS(ctx)
		if err != nil {
			return nil, err
		}
		return c.hooks.IO(fs), nil
	}
	return table.New(tbl.Identifier(), tbl.Metadata(), tbl.MetadataLocation(), open, nil)
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
	var all []table.Identifier
	var walk func(parent table.Identifier) error
	walk = func(parent table.Identifier) error {
		children, err := c.ice.ListNamespaces(ctx, parent)
		if err != nil {
			return fmt.Errorf("list namespaces of catalog %q: %w", c.name, err)
		}
		slices.SortFunc(children, func(a, b table.Identifier) int { return slices.Compare(a, b) })
		for _, child := range children {
			if len(child) <= len(parent) {
				continue
			}
			all = append(all, child)
			if err := walk(child); err != nil {
				return err
			}
		}
		return nil
	}
	if err := walk(nil); err != nil {
		return nil, err
	}
	return slices.CompactFunc(all, func(a, b table.Identifier) bool { return slices.Equal(a, b) }), nil
}

// Tables lists the tables of a namespace in the order of their names. The
// error wraps ErrNoSuchNamespace when there is no such namespace.
func (c *Catalog) Tables(ctx context.Context, namespace table.Identifier) ([]table.Identifier, error) {
	var idents []table.Identifier
	for ident, err := range c.ice.ListTables(ctx, namespace) {
		if errors.Is(err, icecat.ErrNoSuchNamespace) {
			return nil, fmt.Errorf("%w: %q in catalog %q", ErrNoSuchNamespace, strings.Join(namespace, "."), c.name)
		}
		if err != nil {
			return nil, fmt.Errorf("list tables of %q: %w", strings.Join(namespace, "."), err)
		}
		idents = append(idents, ident)
	}
	slices.SortFunc(idents, func(a, b table.Identifier) int { return slices.Compare(a, b) })
	return idents, nil
}

// Namespace finds a namespace by its name, exactly or without regard to case,
// and returns it in the catalog's spelling. The error wraps ErrNoSuchNamespace.
func (c *Catalog) Namespace(ctx context.Context, name table.Identifier) (table.Identifier, error) {
	all, err := c.Namespaces(ctx)
	if err != nil {
		return nil, err
	}
	if i := indexFold(all, name); i >= 0 {
		return all[i], nil
	}
	return nil, fmt.Errorf("%w: %q in catalog %q", ErrNoSuchNamespace, strings.Join(name, "."), c.name)
}

// fold finds the catalog's spelling of a table name.
func (c *Catalog) fold(ctx context.Context, ident table.Identifier) (table.Identifier, error) {
	missing := fmt.Errorf("%w: %q in catalog %q", ErrNoSuchTable, strings.Join(ident, "."), c.name)
	if len(ident) < 2 {
		return nil, missing
	}
	namespace, err := c.Namespace(ctx, ident[:len(ident)-1])
	if errors.Is(err, ErrNoSuchNamespace) {
		return nil, missing
	}
	if err != nil {
		return nil, err
	}
	tables, err := c.Tables(ctx, namespace)
	if err != nil {
		return nil, err
	}
	want := append(slices.Clone(namespace), ident[len(ident)-1])
	if i := indexFold(tables, want); i >= 0 {
		return tables[i], nil
	}
	return nil, missing
}

// indexFold finds want among idents: exactly if it is there, else the first
// that differs in case only; -1 if none.
func indexFold(idents []table.Identifier, want table.Identifier) int {
	if i := slices.IndexFunc(idents, func(id table.Identifier) bool { return slices.Equal(id, want) }); i >= 0 {
		return i
	}
	return slices.IndexFunc(idents, func(id table.Identifier) bool { return slices.EqualFunc(id, want, strings.EqualFold) })
}

func isMissing(err error) bool {
	return errors.Is(err, icecat.ErrNoSuchTable) || errors.Is(err, icecat.ErrNoSuchNamespace)
}
