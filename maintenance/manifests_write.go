package maintenance

import (
	"context"
	"fmt"
	"sync"

	"github.com/apache/iceberg-go"
	"golang.org/x/sync/errgroup"

	"github.com/firndb/firn/guard"
	"github.com/firndb/firn/maintenance/manifest"
)

// mostOpenManifests is how many manifests are written at once at most, and
// manifestBuffers how many times its length one takes in memory meanwhile: a
// store may send a file only when it is complete.
const (
	mostOpenManifests = 64
	manifestBuffers   = 3
)

// writeManifests writes the new manifests of a group, reading the old ones as
// often as it takes to have no more open than memory allows: once, as a rule. wrote
// is told how many more there are.
func (d *snapshotDraft) writeManifests(ctx context.Context, g ManifestGroup, wrote func(int)) ([]iceberg.ManifestFile, error) {
	memory := d.env.Limits.MemoryBytes
	if memory <= 0 {
		memory = DefaultLimits().MemoryBytes
	}
	open := g.Out
	if g.Out > 0 {
		open = min(max(memory/(manifestBuffers*(g.OutBytes/g.Out+1)), 1), mostOpenManifests)
	}
	var all []iceberg.ManifestFile
	for from := int64(0); from < g.Out; from += open {
		w := &manifestFan{draft: d, group: g, from: uint32(from), outs: make([]manifestSlot, min(open, g.Out-from))}
		files, err := w.write(ctx)
		if err != nil {
			return nil, err
		}
		all = append(all, files...)
		wrote(len(files))
	}
	var live int64
	for _, m := range all {
		live += int64(m.ExistingDataFiles())
	}
	if live != g.Entries {
		return nil, fmt.Errorf("%w: %d entries of manifests were planned and %d written", ErrCorrupt, g.Entries, live)
	}
	return all, nil
}

// manifestFan writes the manifests of a group from one number on, side by side.
type manifestFan struct {
	draft *snapshotDraft
	group ManifestGroup
	from  uint32
	outs  []manifestSlot
	// schemas are those that copying has met.
	schemas manifest.Schemas
}

// manifestSlot is one of them, begun with its first entry.
type manifestSlot struct {
	mu sync.Mutex
	// w is written entry by entry, copy of copied ones; one of them at most.
	w    *manifestOut
	copy *entryCopy
}

// finish closes the manifest, nil if none was begun.
func (s *manifestSlot) finish(failed error) (iceberg.ManifestFile, error) {
	switch {
	case s.w != nil:
		return s.w.finish(failed)
	case s.copy != nil:
		return s.copy.finish(failed)
	}
	return nil, failed
}

func (f *manifestFan) write(ctx context.Context) ([]iceberg.ManifestFile, error) {
	reads, readCtx := errgroup.WithContext(ctx)
	reads.SetLimit(f.draft.env.Limits.concurrency())
	read := f.read
	if f.draft.copies(f.group) {
		read = f.copy
	}
	for i, m := range f.group.Manifests {
		if f.wants(f.group.place[i]) {
			guard.Go(reads, func() error { return read(readCtx, m, f.group.place[i]) })
		}
	}
	err := reads.Wait()
	var files []iceberg.ManifestFile
	for i := range f.outs {
		file, failed := f.outs[i].finish(err)
		if err == nil {
			err = failed
		}
		if file != nil {
			files = append(files, file)
		}
	}
	return files, err
}

// wants says whether a manifest has an entry for one of those being written.
func (f *manifestFan) wants(place []uint32) bool {
	for _, at := range place {
		if f.slot(at) != nil {
			return true
		}
	}
	return false
}

func (f *manifestFan) slot(at uint32) *manifestSlot {
	if at < f.from || int(at-f.from) >= len(f.outs) {
		return nil
	}
	return &f.outs[at-f.from]
}

// read passes on the entries of a manifest.
func (f *manifestFan) read(ctx context.Context, m iceberg.ManifestFile, place []uint32) error {
	n := 0
	err := manifestEntries(ctx, f.draft.fs, m, true, func(e iceberg.ManifestEntry) (bool, error) {
		if n++; n > len(place) {
			return true, nil
		}
		slot := f.slot(place[n-1])
		if slot == nil {
			return false, ctx.Err()
		}
		slot.mu.Lock()
		defer slot.mu.Unlock()
		if slot.w == nil {
			var err error
			if slot.w, err = f.draft.copyOf(m); err != nil {
				return true, err
			}
		}
		if err := slot.w.Existing(e); err != nil {
			return true, fmt.Errorf("write manifest %q: entry of %q: %w", slot.w.path, m.FilePath(), err)
		}
		return false, ctx.Err()
	})
	if err == nil && n != len(place) {
		err = fmt.Errorf("%w: manifest %q had %d live entries when it was planned and has others now", ErrCorrupt, m.FilePath(), len(place))
	}
	return err
}
