package catalog

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"

	iceio "github.com/apache/iceberg-go/io"
	"golang.org/x/sync/errgroup"

	"github.com/firndb/firn/guard"
)

// entriesAtOnce is how many entries of a folder are read at once.
const entriesAtOnce = 2048

// listLocal reads folders, several at once.
func listLocal(ctx context.Context, store iceio.LocalFS, root string, l Listing, emit func([]Object) error) error {
	top, err := store.Open(root)
	if err != nil {
		return err
	}
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(l.Parallel)
	w := &localWalk{ctx: ctx, group: group, listing: l, emit: emit}
	guard.Go(group, func() error { return w.folder(top.(*os.File), "") })
	return group.Wait()
}

type localWalk struct {
	ctx     context.Context
	group   *errgroup.Group
	listing Listing
	emit    func([]Object) error
}

// folder reads a folder and those in it, which others may take over. below is
// its path with a slash behind, empty for the topmost.
func (w *localWalk) folder(f *os.File, below string) (err error) {
	defer func() { err = errors.Join(err, f.Close()) }()
	for {
		entries, err := f.ReadDir(entriesAtOnce)
		if errors.Is(err, io.EOF) || below != "" && errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err == nil {
			err = w.ctx.Err()
		}
		if err != nil {
			return err
		}
		found := make([]Object, 0, len(entries))
		for _, d := range entries {
			name := d.Name()
			switch {
			case w.listing.hidden(name):
			case d.IsDir():
				if err := w.inner(f.Name()+"/"+name, below+name+"/"); err != nil {
					return err
				}
			case isFile(d.Type()):
				found = append(found, Object{Below: below + name, Stat: statOf(d)})
			}
		}
		if len(found) == 0 {
			continue
		}
		if err := w.emit(found); err != nil {
			return err
		}
	}
}

// inner reads a folder in a folder.
func (w *localWalk) inner(path, below string) error {
	read := func() error {
		f, err := os.Open(path)
		if errors.Is(err, fs.ErrNotExist) {
			return nil // removed meanwhile
		}
		if err != nil {
			return err
		}
		return w.folder(f, below)
	}
	if guard.TryGo(w.group, read) {
		return nil
	}
	return read()
}
