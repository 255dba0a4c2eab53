package maintenance

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"

	"github.com/apache/iceberg-go"
	iceio "github.com/apache/iceberg-go/io"
	"github.com/apache/iceberg-go/table"
	"github.com/google/uuid"

	"github.com/firndb/firn/maintenance/journal"
)

// snapshotDraft is a new snapshot of a branch in the making: it writes the
// manifests and the manifest list of one attempt and remembers their paths. It
// may be used from several goroutines.
type snapshotDraft struct {
	env    Env
	base   *table.Table
	meta   table.Metadata
	branch string
	parent *table.Snapshot
	fs     iceio.WriteFileIO
	places table.LocationProvider
	id     int64
	// commit is in the names of all its files, with attempt in that of its list.
	commit  uuid.UUID
	attempt int

	mu      sync.Mutex
	written []string
}

// newSnapshotDraft starts a snapshot on top of the branch's head in base. The
// error wraps ErrInvalid when there is no such branch.
func newSnapshotDraft(ctx context.Context, env Env, base *table.Table, branch string) (*snapshotDraft, error) {
	meta := base.Metadata()
	parent, err := branchHead(meta, branch)
	if err != nil {
		return nil, err
	}
	store, err := base.FS(ctx)
	if err != nil {
		return nil, fmt.Errorf("open files of table %q: %w", strings.Join(base.Identifier(), "."), err)
	}
	fs, ok := store.(iceio.WriteFileIO)
	if !ok {
		return nil, fmt.Errorf("%w: the file system of table %q is read-only", ErrUnsupported, strings.Join(base.Identifier(), "."))
	}
	places, err := table.LoadLocationProvider(meta.Location(), meta.Properties())
	if err != nil {
		return nil, fmt.Errorf("locate metadata of table %q: %w", strings.Join(base.Identifier(), "."), err)
	}
	id, err := newSnapshotID(meta)
	if err != nil {
		return nil, err
	}
	if env.Run == nil {
		env.Run = (*journal.Journal)(nil).Begin(journal.Subject{})
	}
	d := &snapshotDraft{env: env, base: base, meta: meta, branch: branch, parent: parent, fs: fs, places: places, id: id}
	d.commit, d.attempt = env.Run.MetadataName()
	return d, nil
}

// branchHead finds the snapshot that a branch points to.
func branchHead(meta table.Metadata, branch string) (*table.Snapshot, error) {
	for name, ref := range meta.Refs() {
		if name != branch {
			continue
		}
		if ref.SnapshotRefType != table.BranchRef {
			return nil, fmt.Errorf("%w: %q is a tag; only a branch can get a new snapshot", ErrInvalid, branch)
		}
		if snap := meta.SnapshotByID(ref.SnapshotID); snap != nil {
			return snap, nil
		}
	}
	if branch == table.MainBranch && meta.CurrentSnapshot() != nil {
		return meta.CurrentSnapshot(), nil
	}
	return nil, fmt.Errorf("%w: there is no branch %q", ErrInvalid, branch)
}

// newSnapshotID draws a positive id that no snapshot has.
func newSnapshotID(meta table.Metadata) (int64, error) {
	for {
		var b [8]byte
		if _, err := rand.Read(b[:]); err != nil {
			return 0, fmt.Errorf("draw a snapshot id: %w", err)
		}
		if id := int64(binary.BigEndian.Uint64(b[:]) >> 1); id != 0 && meta.SnapshotByID(id) == nil {
			return id, nil
		}
	}
}

// create opens a file for writing and notes it as the attempt's.
func (d *snapshotDraft) create(path string) (*countingFile, error) {
	d.mu.Lock()
	d.written = append(d.written, path)
	d.mu.Unlock()
	f, err := d.fs.Create(path)
	if err != nil {
		return nil, fmt.Errorf("create %q: %w", path, err)
	}
	return &countingFile{w: f}, nil
}

// nextManifestPath names the attempt's next manifest, as Java's
// SnapshotProducer does.
func (d *snapshotDraft) nextManifestPath() string {
	return d.places.NewMetadataLocation(fmt.Sprintf("%s-m%d.avro", d.commit, d.env.Run.Count()))
}

// discard removes what the attempt has written; it is for attempts that fail
// before they are offered to the catalog.
func (d *snapshotDraft) discard(ctx context.Context) {
	d.mu.Lock()
	paths := d.written
	d.mu.Unlock()
	removal := d.env.removeFiles(context.WithoutCancel(ctx), d.fs, paths, d.env.Limits.removals())
	d.env.warnFailed(removal.Failed, "metadata of an attempt that was not committed, which nothing refers to")
	if len(removal.Failed) > 0 {
		d.env.Run.LeaveBehind()
	}
}

// drop removes a file of the attempt that is not needed after all.
func (d *snapshotDraft) drop(path string) {
	d.mu.Lock()
	d.written = slices.DeleteFunc(d.written, func(p string) bool { return p == path })
	d.mu.Unlock()
	if err := d.fs.Remove(path); err != nil {
		d.env.Run.LeaveBehind()
		d.env.Logger().Warn("metadata file could not be removed", "path", path, "error", err)
	}
}

// finish writes the manifest list and returns the change that adds the
// snapshot and moves the branch to it, keeping the branch's retention.
func (d *snapshotDraft) finish(ctx context.Context, op table.Operation, manifests []iceberg.ManifestFile, summary iceberg.Properties) (*Change, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	snap := &table.Snapshot{
		SnapshotID:       d.id,
		ParentSnapshotID: &d.parent.SnapshotID,
		SequenceNumber:   d.sequenceNumber(),
		TimestampMs:      max(d.env.now().UnixMilli(), d.meta.LastUpdatedMillis()),
		ManifestList:     d.places.NewMetadataLocation(fmt.Sprintf("snap-%d-%d-%s.avro", d.id, d.attempt, d.commit)),
		Summary:          &table.Summary{Operation: op, Properties: summary},
		SchemaID:         &d.meta.CurrentSchema().ID,
	}
	if err := d.writeList(snap, manifests); err != nil {
		return nil, err
	}
	ref := table.SnapshotRef{SnapshotRefType: table.BranchRef}
	for name, r := range d.meta.Refs() {
		if name == d.branch {
			ref = r
		}
	}
	return &Change{
		Requirements: []table.Requirement{
			table.AssertRefSnapshotID(d.branch, &d.parent.SnapshotID),
			stillHas{
				Requirement: table.AssertTableUUID(d.meta.TableUUID()), schema: *snap.SchemaID, specs: specsOf(manifests),
				version: d.meta.Version(), sequence: d.meta.LastSequenceNumber(), rows: d.meta.NextRowID(),
			},
		},
		Updates: []table.Update{
			table.NewAddSnapshotUpdate(snap),
			table.NewSetSnapshotRefUpdate(d.branch, d.id, table.BranchRef, orZero(ref.MaxRefAgeMs), orZero(ref.MaxSnapshotAgeMs), orZero(ref.MinSnapshotsToKeep)),
		},
		SnapshotID: d.id,
		Written:    d.written,
	}, nil
}

// sequenceNumber is that of the new snapshot; tables of version 1 have none.
func (d *snapshotDraft) sequenceNumber() int64 {
	if d.meta.Version() < 2 {
		return 0
	}
	return d.meta.LastSequenceNumber() + 1
}

// writeList writes the manifest list of snap. In version 3 it assigns first row
// ids to manifests that have none, as Java's ManifestListWriter does, and
// records in snap how many ids that took.
func (d *snapshotDraft) writeList(snap *table.Snapshot, manifests []iceberg.ManifestFile) (err error) {
	f, err := d.create(snap.ManifestList)
	if err != nil {
		return err
	}
	defer f.closeInto(&err)
	var w *iceberg.ManifestListWriter
	switch d.meta.Version() {
	case 1:
		w, err = iceberg.NewManifestListWriterV1(f, d.id, snap.ParentSnapshotID)
	case 2:
		w, err = iceberg.NewManifestListWriterV2(f, d.id, snap.SequenceNumber, snap.ParentSnapshotID)
	default:
		w, err = iceberg.NewManifestListWriterV3(f, d.id, snap.SequenceNumber, d.meta.NextRowID(), snap.ParentSnapshotID)
	}
	if err != nil {
		return fmt.Errorf("write manifest list %q: %w", snap.ManifestList, err)
	}
	if err := w.AddManifests(manifests); err != nil {
		return fmt.Errorf("write manifest list %q: %w", snap.ManifestList, err)
	}
	if next := w.NextRowID(); next != nil {
		first := d.meta.NextRowID()
		added := *next - first
		snap.FirstRowID, snap.AddedRows = &first, &added
	}
	return w.Close()
}

// countingFile is a file being written that knows its length.
type countingFile struct {
	w      io.WriteCloser
	n      int64
	closed bool
}

func (f *countingFile) Write(p []byte) (int, error) {
	n, err := f.w.Write(p)
	f.n += int64(n)
	return n, err
}

// closeInto closes the file once and keeps the first error.
func (f *countingFile) closeInto(err *error) {
	if f.closed {
		return
	}
	f.closed = true
	if cerr := f.w.Close(); cerr != nil && *err == nil {
		*err = fmt.Errorf("close a metadata file: %w", cerr)
	}
}

func orZero[T any](p *T) T {
	if p == nil {
		var zero T
		return zero
	}
	return *p
}
