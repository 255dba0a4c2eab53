package splice

import (
	"context"
	"sync"

	"github.com/firndb/firn/guard"
)

// mostAside is how many bytes of chunks, about, are in memory because they were
// made before their turn.
const mostAside = 32 << 20

// aside makes chunks of a row group before it is their turn to be written.
type aside struct {
	g *group

	mu sync.Mutex
	// room is how many more bytes may be in memory; changed says that it grew, or
	// that the end has come.
	room    int64
	changed sync.Cond
	ended   bool
	columns []asideColumn
}

// asideColumn is a column whose chunk is made by a helper, once taken.
type asideColumn struct {
	bytes int64
	taken bool

	k    *chunk
	out  blockBuffer
	err  error
	done chan struct{}
}

// besides says whether chunks may be made side by side: pages are not just
// moved, and the parts' files are in memory, as reading is for one goroutine.
func (g *group) besides() bool {
	for _, p := range g.parts {
		if p.Source.in.tailAt > 0 {
			return false
		}
	}
	return len(g.parts) > 1 && g.w.Helpers > 0
}

// columnsAside makes the chunks of all columns and gives them to add in their
// order. Helpers make those whose turn has not come, the largest first, in
// memory.
func (g *group) columnsAside(ctx context.Context, add func(*column, *chunk) error) error {
	ctx, cancel := context.WithCancel(ctx)
	a := g.newAside()
	var helpers sync.WaitGroup
	defer func() {
		cancel()
		a.end()
		helpers.Wait()
	}()
	for len(g.w.helpers) < g.w.Helpers {
		g.w.helpers = append(g.w.helpers, &Writer{target: g.w.target})
	}
	for _, w := range g.w.helpers[:g.w.Helpers] {
		helpers.Go(func() { a.help(ctx, w) })
	}
	for i, c := range g.target().columns {
		k, err := a.column(ctx, i)
		if err != nil {
			return err
		}
		if err := add(c, k); err != nil {
			return err
		}
	}
	return nil
}

func (g *group) newAside() *aside {
	a := &aside{g: g, room: mostAside, columns: make([]asideColumn, len(g.target().columns))}
	a.changed.L = &a.mu
	for i, c := range g.target().columns {
		a.columns[i].done = make(chan struct{})
		a.columns[i].out.pool = &g.w.blocks
		for _, p := range g.parts {
			if chunk := p.chunk(c); chunk != nil {
				a.columns[i].bytes += chunk.Meta.Compressed
			}
		}
	}
	return a
}

// column makes a chunk whose turn it is, or waits for the helper that does, and
// writes it.
func (a *aside) column(ctx context.Context, i int) (*chunk, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	at := &a.columns[i]
	a.mu.Lock()
	taken := at.taken
	at.taken = true
	a.mu.Unlock()
	if !taken {
		return a.g.column(ctx, a.g.target().columns[i])
	}
	<-at.done
	err := at.err
	if err == nil {
		err = at.k.move(a.g.w, at.out.full)
	}
	at.out.free()
	a.mu.Lock()
	a.room += at.bytes
	a.mu.Unlock()
	a.changed.Broadcast()
	return at.k, err
}

// help makes chunks until there are no more to be made, or one could not be.
func (a *aside) help(ctx context.Context, w *Writer) {
	for {
		i, ok := a.take()
		if !ok {
			return
		}
		at := &a.columns[i]
		w.out, w.at = &at.out, 0
		err := guard.Do(func() (err error) {
			if err = ctx.Err(); err == nil {
				beside := &group{w: w, parts: a.g.parts, copied: a.g.copied}
				at.k, err = beside.column(ctx, a.g.target().columns[i])
			}
			return err
		})
		// From here on it belongs to who waits for it.
		at.err = err
		close(at.done)
		if err != nil {
			return
		}
	}
}

// take chooses the largest column that there is room for, and waits for room.
func (a *aside) take() (int, bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for !a.ended {
		best, left := -1, false
		for i := range a.columns {
			at := &a.columns[i]
			left = left || !at.taken
			if !at.taken && at.bytes <= a.room && (best < 0 || at.bytes > a.columns[best].bytes) {
				best = i
			}
		}
		if best >= 0 {
			a.columns[best].taken = true
			a.room -= a.columns[best].bytes
			return best, true
		}
		if !left {
			return 0, false
		}
		a.changed.Wait()
	}
	return 0, false
}

func (a *aside) end() {
	a.mu.Lock()
	a.ended = true
	a.mu.Unlock()
	a.changed.Broadcast()
}

// move writes a chunk that was made elsewhere to its place.
func (k *chunk) move(w *Writer, body [][]byte) error {
	at := w.at
	k.w, k.start = w, at
	if k.dict.Set {
		k.dict.V += at
	}
	if k.data.Set {
		k.data.V += at
	}
	for i := range k.pages {
		k.pages[i].Offset += at
	}
	return w.write(body...)
}
