package datafile

import (
	"context"
	"fmt"
	"math"

	"github.com/apache/iceberg-go"
	"github.com/apache/iceberg-go/table/dv"
	"golang.org/x/sync/errgroup"

	"github.com/firndb/firn/guard"
)

// prepare reads the keys of all equality deletes, if their memory is bounded. As
// long as they fit, they stay. Otherwise the rows that they delete are found
// beforehand: for as many keys as fit, the columns that the deletes look at are
// read of every data file, again and again, and what remains are positions.
func (d *deletes) prepare(ctx context.Context) error {
	d.preparing.Lock()
	defer d.preparing.Unlock()
	if d.ready || d.options.KeyBytes == math.MaxInt64 {
		return nil
	}
	d.marked = nil
	p := passes{deletes: d}
	for _, f := range d.equality() {
		if err := p.read(ctx, f); err != nil {
			return fmt.Errorf("delete file %q: %w", f.FilePath(), err)
		}
	}
	if d.marked != nil {
		err := p.mark(ctx)
		d.ready = err == nil
		return err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, set := range p.sets {
		if entry := d.files[set.file]; entry != nil {
			entry.keys, entry.loaded = set.keySet, true
		}
	}
	d.ready = true
	return nil
}

// equality are the equality delete files of all tasks, each once.
func (d *deletes) equality() []iceberg.DataFile {
	var files []iceberg.DataFile
	seen := map[string]bool{}
	for _, task := range d.tasks {
		for _, f := range task.EqualityDeleteFiles {
			if !seen[f.FilePath()] {
				seen[f.FilePath()] = true
				files = append(files, f)
			}
		}
	}
	return files
}

// passes looks for rows with some keys at a time.
type passes struct {
	*deletes
	sets []fileKeys
}

// fileKeys is keys of a delete file, known by its path.
type fileKeys struct {
	file string
	*keySet
}

// read takes in a delete file, and looks for rows whenever there are as many keys
// as there may be.
func (p *passes) read(ctx context.Context, f iceberg.DataFile) error {
	set, err := p.newKeySet(f)
	if err != nil {
		return err
	}
	p.sets = append(p.sets, fileKeys{f.FilePath(), set})
	return p.eachKey(ctx, f, set, func() error {
		if p.bytes() <= p.options.KeyBytes {
			return nil
		}
		if err := p.mark(ctx); err != nil {
			return err
		}
		set.keyTable = keyTable{seed: p.seed}
		p.sets = append(p.sets[:0], fileKeys{f.FilePath(), set})
		return nil
	})
}

func (p *passes) bytes() int64 {
	var n int64
	for _, set := range p.sets {
		n += set.bytes()
	}
	return n
}

// mark looks for rows with the keys at hand in all data files that the deletes
// apply to.
func (p *passes) mark(ctx context.Context) error {
	if p.marked == nil {
		p.marked = map[string]*dv.RoaringPositionBitmap{}
	}
	eg, ctx := errgroup.WithContext(ctx)
	eg.SetLimit(p.options.FilesAtOnce)
	seen := map[string]bool{}
	for _, task := range p.tasks {
		path := task.File.FilePath()
		if seen[path] {
			continue
		}
		seen[path] = true
		gone := newFileDeletes(p.meta, task.File)
		for _, set := range p.sets {
			if set.n > 0 && p.targets[set.file][path] {
				gone.add(set.keySet)
			}
		}
		if len(gone.equal) == 0 {
			continue
		}
		found := p.marked[path]
		if found == nil {
			found = dv.NewRoaringPositionBitmap()
			p.marked[path] = found
		}
		guard.Go(eg, func() error {
			err := safely(task.File, func() error { return p.find(ctx, p.meta, wholeTask(task.File), gone, found) })
			if err != nil {
				return fmt.Errorf("read %q: %w", path, err)
			}
			return nil
		})
	}
	return eg.Wait()
}
