package maintenance

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/apache/iceberg-go"
	iceio "github.com/apache/iceberg-go/io"
)

// manifestEntries streams the live entries of a manifest to visit until it
// returns an error or stop. Without stats, the entries lack column statistics
// and cost less; they must not be written to another manifest.
func manifestEntries(ctx context.Context, fs iceio.IO, m iceberg.ManifestFile, stats bool, visit func(e iceberg.ManifestEntry) (stop bool, err error)) error {
	return allEntries(ctx, fs, m, stats, func(e iceberg.ManifestEntry) (bool, error) {
		if e.Status() == iceberg.EntryStatusDELETED {
			return false, nil
		}
		return visit(e)
	})
}

// allEntries is manifestEntries with the deleted entries.
func allEntries(ctx context.Context, fs iceio.IO, m iceberg.ManifestFile, stats bool, visit func(e iceberg.ManifestEntry) (stop bool, err error)) (err error) {
	if err := ctx.Err(); err != nil {
		return err
	}
	f, err := fs.Open(m.FilePath())
	if err != nil {
		return fmt.Errorf("open manifest %q: %w", m.FilePath(), err)
	}
	defer f.Close()
	var r *iceberg.ManifestReader
	if stats {
		r, err = iceberg.NewManifestReader(m, bufio.NewReaderSize(f, 1<<16))
	} else {
		r, err = iceberg.NewManifestReaderWithProjection(m, bufio.NewReaderSize(f, 1<<16), iceberg.ManifestEntryProjection{})
	}
	if err != nil {
		return fmt.Errorf("read manifest %q: %w", m.FilePath(), err)
	}
	defer r.Close()
	for {
		e, err := r.ReadEntry()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("read manifest %q: %w", m.FilePath(), err)
		}
		stop, err := visit(e)
		if err != nil || stop {
			return err
		}
	}
}

// LiveEntries streams the live entries of those manifests that have the content
// given, one after another. Without stats, the entries lack column statistics
// and cost less.
func LiveEntries(ctx context.Context, fs iceio.IO, manifests []iceberg.ManifestFile, content iceberg.ManifestContent, stats bool, visit func(iceberg.ManifestEntry) error) error {
	for _, m := range manifests {
		if m.ManifestContent() != content {
			continue
		}
		err := manifestEntries(ctx, fs, m, stats, func(e iceberg.ManifestEntry) (bool, error) { return false, visit(e) })
		if err != nil {
			return err
		}
	}
	return nil
}

// filtered is what became of a manifest of the parent snapshot.
type filtered struct {
	// file is the manifest of the new snapshot: the parent's own when nothing
	// in it was removed.
	file iceberg.ManifestFile
	// removed are the files taken out, without column statistics.
	removed []iceberg.DataFile
}

// filterManifest takes the entries that drop names out of m. A manifest that
// has none stays as it is. In the copy, removed entries are marked deleted by
// the new snapshot and all others keep their snapshot, sequence numbers and,
// in version 3, first row ids (Java's ManifestFilterManager).
func (d *snapshotDraft) filterManifest(ctx context.Context, m iceberg.ManifestFile, drop func(iceberg.ManifestEntry) bool) (filtered, error) {
	found := false
	err := manifestEntries(ctx, d.fs, m, false, func(e iceberg.ManifestEntry) (bool, error) {
		found = drop(e)
		return found, nil
	})
	if err != nil || !found {
		return filtered{file: m}, err
	}
	out := filtered{}
	var w *manifestOut
	err = manifestEntries(ctx, d.fs, m, true, func(e iceberg.ManifestEntry) (bool, error) {
		if w == nil {
			if w, err = d.copyOf(m); err != nil {
				return true, err
			}
		}
		if !drop(e) {
			return false, w.Existing(e)
		}
		out.removed = append(out.removed, iceberg.DataFileWithoutColumnStats(e.DataFile()))
		return false, w.Delete(e)
	})
	if w == nil {
		return filtered{}, err
	}
	out.file, err = w.finish(err)
	return out, err
}

// manifestOut is a manifest being written.
type manifestOut struct {
	*iceberg.ManifestWriter
	path string
	file *countingFile
}

// copyOf starts a manifest of the spec and content of m. The schema is one that
// has all the columns the spec refers to, which the current one may lack.
func (d *snapshotDraft) copyOf(m iceberg.ManifestFile) (*manifestOut, error) {
	spec := d.meta.PartitionSpecByID(int(m.PartitionSpecID()))
	if spec == nil {
		return nil, fmt.Errorf("%w: manifest %q is of partition spec %d, which the table does not have", ErrUnsupported, m.FilePath(), m.PartitionSpecID())
	}
	return d.newManifest(*spec, schemaOfSpec(d.meta, *spec), m.ManifestContent())
}

// newManifest starts a manifest of the table's format version.
func (d *snapshotDraft) newManifest(spec iceberg.PartitionSpec, schema *iceberg.Schema, content iceberg.ManifestContent) (*manifestOut, error) {
	path := d.nextManifestPath()
	f, err := d.create(path)
	if err != nil {
		return nil, err
	}
	w, err := iceberg.NewManifestWriter(d.meta.Version(), f, spec, schema, d.id, iceberg.WithManifestWriterContent(content))
	if err != nil {
		f.closeInto(&err)
		return nil, fmt.Errorf("write manifest %q: %w", path, err)
	}
	return &manifestOut{ManifestWriter: w, path: path, file: f}, nil
}

// finish closes the manifest; failed is the error that ended the writing.
func (w *manifestOut) finish(failed error) (file iceberg.ManifestFile, err error) {
	if cerr := w.Close(); failed == nil {
		failed = cerr
	}
	w.file.closeInto(&failed)
	if failed != nil {
		return nil, fmt.Errorf("write manifest %q: %w", w.path, failed)
	}
	file, err = w.ToManifestFile(w.path, w.file.n)
	if err != nil {
		return nil, fmt.Errorf("write manifest %q: %w", w.path, err)
	}
	return withEmptyBounds(file), nil
}

// newFile is a file that a snapshot adds. Its data sequence number is the
// snapshot's if none is given.
type newFile struct {
	file     iceberg.DataFile
	sequence *int64
}

// addFiles writes manifests of new files, one spec after another, each closed
// when it reaches commit.manifest.target-size-bytes.
func (d *snapshotDraft) addFiles(content iceberg.ManifestContent, files []newFile) ([]iceberg.ManifestFile, error) {
	target := d.meta.Properties().GetInt(manifestTargetSizeKey, mergeTargetBytes)
	var manifests []iceberg.ManifestFile
	var w *manifestOut
	finish := func(failed error) error {
		if w == nil {
			return failed
		}
		m, err := w.finish(failed)
		w = nil
		if err != nil {
			return err
		}
		manifests = append(manifests, m)
		return nil
	}
	spec := int32(-1)
	for _, f := range files {
		if w != nil && (f.file.SpecID() != spec || w.file.n >= int64(target)) {
			if err := finish(nil); err != nil {
				return nil, err
			}
		}
		if w == nil {
			spec = f.file.SpecID()
			s := d.meta.PartitionSpecByID(int(spec))
			if s == nil {
				return nil, fmt.Errorf("%w: partition spec %d is no longer part of the table", ErrConflict, spec)
			}
			var err error
			if w, err = d.newManifest(*s, schemaOfSpec(d.meta, *s), content); err != nil {
				return nil, err
			}
		}
		if err := w.Add(iceberg.NewManifestEntry(iceberg.EntryStatusADDED, &d.id, f.sequence, nil, f.file)); err != nil {
			return nil, finish(err)
		}
	}
	return manifests, finish(nil)
}
