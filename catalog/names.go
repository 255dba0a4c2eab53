package catalog

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	icecat "github.com/apache/iceberg-go/catalog"
	"github.com/apache/iceberg-go/table"
)

// listWorkers is how many listings of a catalog are asked for at a time.
const listWorkers = 8

// memo remembers answers by key, failures too; each is asked for once.
type memo[T any] struct {
	mu      sync.Mutex
	answers map[string]func() (T, error)
}

func (m *memo[T]) get(key string, ask func() (T, error)) (T, error) {
	m.mu.Lock()
	answer, ok := m.answers[key]
	if !ok {
		answer = sync.OnceValues(ask)
		if m.answers == nil {
			m.answers = map[string]func() (T, error){}
		}
		m.answers[key] = answer
	}
	m.mu.Unlock()
	return answer()
}

// names are the names in a catalog, as far as they have been asked for.
type names struct {
	c        *Catalog
	exist    memo[bool]
	children memo[[]table.Identifier]
	tables   memo[[]table.Identifier]
	views    memo[[]table.Identifier]
}

// lister is [names.in] or [names.viewsIn].
type lister func(n *names, ctx context.Context, namespace table.Identifier) ([]table.Identifier, error)

func keyOf(ident table.Identifier) string { return strings.Join(ident, "\x00") }

// has says whether there is a namespace of exactly that name.
func (n *names) has(ctx context.Context, namespace table.Identifier) (bool, error) {
	return n.exist.get(keyOf(namespace), func() (bool, error) { return n.c.ice.CheckNamespaceExists(ctx, namespace) })
}

// below lists the namespaces below parent; a catalog may leave out those that
// are not directly below it. A namespace that has gone has none.
func (n *names) below(ctx context.Context, parent table.Identifier) ([]table.Identifier, error) {
	if t := n.c.ice.CatalogType(); len(parent) > 0 && (t == icecat.Glue || t == icecat.Hive) {
		// These have one level, and it is an error to ask for another.
		return nil, nil
	}
	return n.children.get(keyOf(parent), func() ([]table.Identifier, error) {
		all, err := n.c.ice.ListNamespaces(ctx, parent)
		if errors.Is(err, icecat.ErrNoSuchNamespace) && len(parent) > 0 {
			return nil, nil
		}
		if err != nil {
			return nil, fmt.Errorf("list namespaces of catalog %q: %w", n.c.name, err)
		}
		all = slices.DeleteFunc(all, func(child table.Identifier) bool { return len(child) <= len(parent) })
		slices.SortFunc(all, func(a, b table.Identifier) int { return slices.Compare(a, b) })
		return all, nil
	})
}

// all lists the namespaces of any depth.
func (n *names) all(ctx context.Context) ([]table.Identifier, error) {
	level, err := n.below(ctx, nil)
	if err != nil {
		return nil, err
	}
	seen := map[string]bool{}
	var all []table.Identifier
	for len(level) > 0 {
		var fresh []table.Identifier
		for _, ident := range level {
			if key := keyOf(ident); !seen[key] {
				seen[key] = true
				fresh = append(fresh, ident)
			}
		}
		all = append(all, fresh...)
		if level, err = n.belowAll(ctx, fresh); err != nil {
			return nil, err
		}
	}
	slices.SortFunc(all, func(a, b table.Identifier) int { return slices.Compare(a, b) })
	return all, nil
}

// belowAll lists the namespaces below each of parents.
func (n *names) belowAll(ctx context.Context, parents []table.Identifier) ([]table.Identifier, error) {
	lists := make([][]table.Identifier, len(parents))
	errs := make([]error, len(parents))
	workers := make(chan struct{}, listWorkers)
	if n.c.ice.CatalogType() == icecat.SQL {
		// A database in memory belongs to one connection.
		workers = make(chan struct{}, 1)
	}
	var wg sync.WaitGroup
	for i, parent := range parents {
		workers <- struct{}{}
		wg.Go(func() {
			defer func() { <-workers }()
			lists[i], errs[i] = n.below(ctx, parent)
		})
	}
	wg.Wait()
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	return slices.Concat(lists...), nil
}

// find finds a namespace by its name, exactly or without regard to case. It
// lists the namespaces on the way to it only.
func (n *names) find(ctx context.Context, name table.Identifier) (table.Identifier, error) {
	found, err := n.findBelow(ctx, nil, name)
	if err == nil && found == nil {
		err = fmt.Errorf("%w: %q in catalog %q", ErrNoSuchNamespace, strings.Join(name, "."), n.c.name)
	}
	return found, err
}

// findBelow is find among the namespaces below parent; nil if there is none.
func (n *names) findBelow(ctx context.Context, parent, name table.Identifier) (table.Identifier, error) {
	children, err := n.below(ctx, parent)
	if err != nil {
		return nil, err
	}
	if i := indexFold(children, name); i >= 0 {
		return children[i], nil
	}
	exactly := func(a, b string) bool { return a == b }
	for _, same := range []func(a, b string) bool{exactly, strings.EqualFold} {
		for _, child := range children {
			if len(child) >= len(name) || !slices.EqualFunc(child, name[:len(child)], same) {
				continue
			}
			if found, err := n.findBelow(ctx, child, name); err != nil || found != nil {
				return found, err
			}
		}
	}
	return nil, nil
}

// in lists the tables of a namespace in the order of their names. The error
// wraps ErrNoSuchNamespace when there is no such namespace.
func (n *names) in(ctx context.Context, namespace table.Identifier) ([]table.Identifier, error) {
	return n.tables.get(keyOf(namespace), func() ([]table.Identifier, error) {
		var idents []table.Identifier
		for ident, err := range n.c.ice.ListTables(ctx, namespace) {
			if errors.Is(err, icecat.ErrNoSuchNamespace) {
				return nil, fmt.Errorf("%w: %q in catalog %q", ErrNoSuchNamespace, strings.Join(namespace, "."), n.c.name)
			}
			if err != nil {
				return nil, fmt.Errorf("list tables of %q: %w", strings.Join(namespace, "."), err)
			}
			idents = append(idents, ident)
		}
		slices.SortFunc(idents, func(a, b table.Identifier) int { return slices.Compare(a, b) })
		return idents, nil
	})
}

// viewsIn lists the views of a namespace in the order of their names.
func (n *names) viewsIn(ctx context.Context, namespace table.Identifier) ([]table.Identifier, error) {
	return n.views.get(keyOf(namespace), func() ([]table.Identifier, error) { return n.c.listViews(ctx, namespace) })
}

// fold finds the catalog's spelling of the name of a table, or of a view, among
// those that list lists.
func (n *names) fold(ctx context.Context, ident table.Identifier, list lister) (table.Identifier, error) {
	if len(ident) < 2 {
		return nil, n.c.noTable(ident)
	}
	namespace, err := n.find(ctx, ident[:len(ident)-1])
	if errors.Is(err, ErrNoSuchNamespace) {
		return nil, n.c.noTable(ident)
	}
	if err != nil {
		return nil, err
	}
	tables, err := list(n, ctx, namespace)
	if err != nil {
		return nil, err
	}
	want := append(slices.Clone(namespace), ident[len(ident)-1])
	if i := indexFold(tables, want); i >= 0 {
		return tables[i], nil
	}
	return nil, n.c.noTable(ident)
}

// indexFold finds want among idents: exactly if it is there, else the first
// that differs in case only; -1 if none.
func indexFold(idents []table.Identifier, want table.Identifier) int {
	if i := slices.IndexFunc(idents, func(id table.Identifier) bool { return slices.Equal(id, want) }); i >= 0 {
		return i
	}
	return slices.IndexFunc(idents, func(id table.Identifier) bool { return slices.EqualFunc(id, want, strings.EqualFold) })
}
