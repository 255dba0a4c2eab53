package splice

import (
	"bytes"
	"context"
	"runtime"
)

// mostAside is up to which size, compressed, a row group's chunks are made side
// by side: those that are not written yet are in memory.
const mostAside = 64 << 20

// aside is a chunk that is made beside others, in memory.
type aside struct {
	w    *Writer
	out  *bytes.Buffer
	k    *chunk
	err  error
	done chan struct{}
}

// besides says whether chunks may be made side by side: pages are not just
// moved, and the parts' files are in memory, as reading is for one goroutine.
func (g *group) besides() bool {
	var n int64
	for _, p := range g.parts {
		if p.Source.in.tailAt > 0 {
			return false
		}
		n += p.Bytes()
	}
	return len(g.parts) > 1 && n <= mostAside
}

// columnsAside makes the chunks of all columns, as many at once as there are
// processors, and gives them to add in their order.
func (g *group) columnsAside(ctx context.Context, add func(*column, *chunk) error) error {
	ctx, cancel := context.WithCancel(ctx)
	var running []*aside
	defer func() {
		cancel()
		for _, a := range running {
			<-a.done
		}
	}()
	columns := g.target().columns
	for next := 0; len(running) > 0 || next < len(columns); {
		for next < len(columns) && len(running) < runtime.GOMAXPROCS(0) {
			running = append(running, g.startAside(ctx, columns[next]))
			next++
		}
		a := running[0]
		<-a.done
		running = running[1:]
		if a.err != nil {
			return a.err
		}
		if err := a.k.move(g.w, a.out.Bytes()); err != nil {
			return err
		}
		g.w.helpers = append(g.w.helpers, a.w)
		if err := add(a.k.col, a.k); err != nil {
			return err
		}
	}
	return nil
}

// startAside begins to make a chunk.
func (g *group) startAside(ctx context.Context, c *column) *aside {
	a := &aside{done: make(chan struct{}), out: &bytes.Buffer{}}
	if n := len(g.w.helpers); n > 0 {
		a.w, g.w.helpers = g.w.helpers[n-1], g.w.helpers[:n-1]
	} else {
		a.w = &Writer{target: g.w.target}
	}
	a.w.out, a.w.at = a.out, 0
	go func() {
		defer close(a.done)
		if a.err = ctx.Err(); a.err == nil {
			beside := &group{w: a.w, parts: g.parts, copied: g.copied}
			a.k, a.err = beside.column(ctx, c)
		}
	}()
	return a
}

// move writes a chunk that was made elsewhere to its place.
func (k *chunk) move(w *Writer, body []byte) error {
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
	return w.write(body)
}
