package catalog

import (
	"context"
	"strings"
	"sync"

	"github.com/apache/iceberg-go/table"
)

// Pins gives one statement one version of each table that it names: the first
// load of a table decides, later ones get the same. It is safe for concurrent
// use and must not outlive the statement.
type Pins struct {
	mu     sync.Mutex
	tables map[string]*pin
}

type pin struct {
	once sync.Once
	tbl  *table.Table
	err  error
}

// NewPins returns an empty Pins.
func NewPins() *Pins { return &Pins{tables: map[string]*pin{}} }

// Load is [Catalog.Load], remembered.
func (p *Pins) Load(ctx context.Context, c *Catalog, ident table.Identifier) (*table.Table, error) {
	key := c.Name() + "\x00" + strings.Join(ident, "\x00")
	p.mu.Lock()
	entry, ok := p.tables[key]
	if !ok {
		entry = &pin{}
		p.tables[key] = entry
	}
	p.mu.Unlock()
	entry.once.Do(func() { entry.tbl, entry.err = c.Load(ctx, ident) })
	return entry.tbl, entry.err
}
