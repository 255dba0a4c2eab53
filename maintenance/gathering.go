package maintenance

import "sync"

// gathering holds items back until there are so many, where looking at many
// together is cheaper; none if that is 0.
type gathering[T any] struct {
	most int

	mu    sync.Mutex
	items []T
}

// add passes items on to use, now or with others. It may be called from several
// goroutines; what is left at the end is in g.items.
func (g *gathering[T]) add(items []T, use func([]T) error) error {
	if g.most == 0 {
		return use(items)
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.items = append(g.items, items...); len(g.items) < g.most {
		return nil
	}
	err := use(g.items)
	g.items = g.items[:0]
	return err
}
