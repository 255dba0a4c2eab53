package catalog

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	_ "github.com/apache/iceberg-go/catalog/glue"
	_ "github.com/apache/iceberg-go/catalog/hadoop"
	_ "github.com/apache/iceberg-go/catalog/hive"
	_ "github.com/apache/iceberg-go/catalog/rest"
	_ "github.com/apache/iceberg-go/catalog/sql"
	_ "github.com/apache/iceberg-go/io/gocloud/s3"
	_ "modernc.org/sqlite"
)

// Config describes one catalog.
type Config struct {
	// Name is how statements call the catalog.
	Name string
	// Aliases are further names of it.
	Aliases []string
	// Properties are those of PyIceberg and iceberg-go: type, uri, warehouse,
	// s3.endpoint and so on.
	Properties map[string]string
	// MustExist refuses a catalog of type sql whose database is not there, unless
	// its uri has SQLite's mode=rwc.
	MustExist bool
}

// Set is the configured catalogs. It is safe for concurrent use.
type Set struct {
	defaultName string
	hooks       Hooks
	entries     []*entry
}

type entry struct {
	config Config

	mu     sync.Mutex
	opened *Catalog
}

// NewSet returns the set of the configured catalogs; none is opened yet.
// defaultName may be empty when there is one catalog only. The error wraps
// ErrConfig when names clash or the default is not among them.
func NewSet(configs []Config, defaultName string, hooks Hooks) (*Set, error) {
	s := &Set{hooks: hooks}
	seen := map[string]string{}
	for _, c := range configs {
		for _, name := range append([]string{c.Name}, c.Aliases...) {
			key := strings.ToLower(name)
			if other, ok := seen[key]; ok {
				return nil, fmt.Errorf("%w: the name %q belongs to catalogs %q and %q", ErrConfig, name, other, c.Name)
			}
			seen[key] = c.Name
		}
		s.entries = append(s.entries, &entry{config: c})
	}
	if len(configs) == 0 {
		return nil, fmt.Errorf("%w: no catalog is configured", ErrConfig)
	}
	switch {
	case defaultName != "":
		e := s.find(defaultName)
		if e == nil {
			return nil, fmt.Errorf("%w: default-catalog %q is not configured; there are %q", ErrConfig, defaultName, s.Names())
		}
		s.defaultName = e.config.Name
	default:
		s.defaultName = configs[0].Name
	}
	return s, nil
}

// Default is the name of the catalog that unqualified names refer to.
func (s *Set) Default() string { return s.defaultName }

// Names lists the catalogs' names, without aliases, in the configured order.
func (s *Set) Names() []string {
	names := make([]string, len(s.entries))
	for i, e := range s.entries {
		names[i] = e.config.Name
	}
	return names
}

// Has says whether name is a catalog or an alias, without regard to case.
func (s *Set) Has(name string) bool { return s.find(name) != nil }

// Get returns the catalog of that name or alias, in any case, and opens it at
// its first use. The error wraps ErrNoSuchCatalog when there is none.
func (s *Set) Get(ctx context.Context, name string) (*Catalog, error) {
	e := s.find(name)
	if e == nil {
		return nil, fmt.Errorf("%w: %q; there are %q", ErrNoSuchCatalog, name, s.Names())
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.opened != nil {
		return e.opened, nil
	}
	c, err := Open(ctx, e.config, s.hooks)
	if err != nil {
		return nil, err
	}
	e.opened = c
	return c, nil
}

func (s *Set) find(name string) *entry {
	for _, e := range s.entries {
		if strings.EqualFold(e.config.Name, name) || slices.ContainsFunc(e.config.Aliases, func(a string) bool { return strings.EqualFold(a, name) }) {
			return e
		}
	}
	return nil
}
