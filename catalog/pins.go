package catalog

import (
	"context"
	"errors"
	"sync"

	"github.com/apache/iceberg-go/table"
	"github.com/apache/iceberg-go/view"
)

// Pins gives one statement one version of each table that it names: the first
// load of a table decides, later ones get the same. What a catalog has and has
// not is remembered too, so that each thing is asked for once. It is safe for
// concurrent use and must not outlive the statement.
type Pins struct {
	tables memo[*table.Table]
	views  memo[*view.View]

	mu    sync.Mutex
	names map[*Catalog]*names
}

// NewPins returns an empty Pins.
func NewPins() *Pins { return &Pins{names: map[*Catalog]*names{}} }

func (p *Pins) of(c *Catalog) *names {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.names[c] == nil {
		p.names[c] = &names{c: c}
	}
	return p.names[c]
}

// Load is [Catalog.Load], remembered.
func (p *Pins) Load(ctx context.Context, c *Catalog, ident table.Identifier) (*table.Table, error) {
	tbl, err := p.LoadExact(ctx, c, ident)
	if !errors.Is(err, ErrNoSuchTable) {
		return tbl, err
	}
	return p.LoadListed(ctx, c, ident)
}

// LoadListed is Load for names that are likely not in the catalog's spelling:
// it looks for the name in the catalog's lists first.
func (p *Pins) LoadListed(ctx context.Context, c *Catalog, ident table.Identifier) (*table.Table, error) {
	folded, err := p.of(c).fold(ctx, ident, (*names).in)
	if err != nil {
		return nil, err
	}
	return p.LoadExact(ctx, c, folded)
}

// LoadExact is Load for names in the catalog's spelling: it lists nothing to
// find a name that differs in case.
func (p *Pins) LoadExact(ctx context.Context, c *Catalog, ident table.Identifier) (*table.Table, error) {
	return p.tables.get(c.name+"\x00"+keyOf(ident), func() (*table.Table, error) { return c.loadExact(ctx, ident) })
}

// LoadView is [Catalog.LoadView], remembered.
func (p *Pins) LoadView(ctx context.Context, c *Catalog, ident table.Identifier) (*view.View, error) {
	return p.views.get(c.name+"\x00"+keyOf(ident), func() (*view.View, error) { return c.LoadView(ctx, ident) })
}

// LoadListedView is LoadView for names that are likely not in the catalog's
// spelling: it looks for the name in the catalog's lists first.
func (p *Pins) LoadListedView(ctx context.Context, c *Catalog, ident table.Identifier) (*view.View, error) {
	folded, err := p.of(c).fold(ctx, ident, (*names).viewsIn)
	if err != nil {
		return nil, err
	}
	return p.LoadView(ctx, c, folded)
}

// Views lists the views of a namespace in the order of their names, remembered.
func (p *Pins) Views(ctx context.Context, c *Catalog, namespace table.Identifier) ([]table.Identifier, error) {
	return p.of(c).viewsIn(ctx, namespace)
}

// HasNamespace says whether there is a namespace of exactly that name.
func (p *Pins) HasNamespace(ctx context.Context, c *Catalog, namespace table.Identifier) (bool, error) {
	return p.of(c).has(ctx, namespace)
}

// Namespace is [Catalog.Namespace], remembered.
func (p *Pins) Namespace(ctx context.Context, c *Catalog, name table.Identifier) (table.Identifier, error) {
	return p.of(c).find(ctx, name)
}

// Namespaces is [Catalog.Namespaces], remembered.
func (p *Pins) Namespaces(ctx context.Context, c *Catalog) ([]table.Identifier, error) {
	return p.of(c).all(ctx)
}

// Tables is [Catalog.Tables], remembered.
func (p *Pins) Tables(ctx context.Context, c *Catalog, namespace table.Identifier) ([]table.Identifier, error) {
	return p.of(c).in(ctx, namespace)
}
