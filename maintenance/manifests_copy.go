package maintenance

import (
	"bytes"
	"context"
	"fmt"
	"io"

	"github.com/apache/iceberg-go"

	"github.com/firndb/firn/maintenance/manifest"
)

// copies says whether the entries of a group can be copied as they are encoded,
// which leaves columns' statistics unread: where all manifests have one schema of
// format version 2, whose entries have nothing to inherit but what is written out,
// and partitions have values of the simple types.
func (d *snapshotDraft) copies(g ManifestGroup) bool {
	if g.schema == nil || d.meta.Version() != 2 || len(g.Manifests) == 0 {
		return false
	}
	spec := d.meta.PartitionSpecByID(int(g.Manifests[0].PartitionSpecID()))
	if spec == nil {
		return false
	}
	for _, f := range spec.PartitionType(schemaOfSpec(d.meta, *spec)).FieldList {
		switch f.Type.(type) {
		case iceberg.Int32Type, iceberg.Int64Type, iceberg.StringType, iceberg.DateType, iceberg.BooleanType:
		default:
			return false
		}
	}
	return true
}

// entryCopy is a manifest being written of copied entries.
type entryCopy struct {
	draft   *snapshotDraft
	content iceberg.ManifestContent
	spec    iceberg.PartitionSpec
	path    string
	file    *countingFile
	w       *manifest.Writer
	// summary is another of one entry for each partition, which tells what the
	// manifest list says of partitions; seen are those.
	summary *iceberg.ManifestWriter
	seen    map[string]bool
	files   int32
	rows    int64
	least   int64
}

// newEntryCopy starts a manifest in place of ones like m.
func (d *snapshotDraft) newEntryCopy(m iceberg.ManifestFile, schema []byte) (c *entryCopy, err error) {
	spec := d.meta.PartitionSpecByID(int(m.PartitionSpecID()))
	c = &entryCopy{draft: d, content: m.ManifestContent(), spec: *spec, path: d.nextManifestPath(), seen: map[string]bool{}, least: -1}
	header := &bytes.Buffer{}
	if _, err := c.writer(header); err != nil {
		return nil, err
	}
	if c.summary, err = c.writer(io.Discard); err != nil {
		return nil, err
	}
	if c.file, err = d.create(c.path); err != nil {
		return nil, err
	}
	if c.w, err = manifest.NewWriter(c.file, header, schema); err != nil {
		c.file.closeInto(&err)
	}
	return c, err
}

func (c *entryCopy) writer(to io.Writer) (*iceberg.ManifestWriter, error) {
	meta := c.draft.meta
	return iceberg.NewManifestWriter(meta.Version(), to, c.spec, schemaOfSpec(meta, c.spec), c.draft.id, iceberg.WithManifestWriterContent(c.content))
}

// meet notes the partition of an entry.
func (c *entryCopy) meet(tuples *manifest.Tuples, place int) error {
	encoded := tuples.Dict.Values.At(place)
	if c.seen[string(encoded)] {
		return nil
	}
	c.seen[string(encoded)] = true
	values, err := tuples.All(place)
	if err != nil {
		return err
	}
	content := iceberg.EntryContentData
	if c.content == iceberg.ManifestContentDeletes {
		content = iceberg.EntryContentPosDeletes
	}
	b, err := iceberg.NewDataFileBuilder(c.spec, content, "summary", iceberg.ParquetFile, values, nil, nil, 1, 1)
	if err != nil {
		return err
	}
	sequence := int64(0)
	return c.summary.Existing(iceberg.NewManifestEntry(iceberg.EntryStatusEXISTING, &c.draft.id, &sequence, &sequence, b.Build()))
}

// finish closes the manifest; failed is the error that ended the writing.
func (c *entryCopy) finish(failed error) (iceberg.ManifestFile, error) {
	if err := c.w.Close(); failed == nil {
		failed = err
	}
	c.file.closeInto(&failed)
	if failed != nil {
		return nil, fmt.Errorf("write manifest %q: %w", c.path, failed)
	}
	summary, err := c.summary.ToManifestFile(c.path, c.file.n)
	if err != nil {
		return nil, fmt.Errorf("write manifest %q: %w", c.path, err)
	}
	return iceberg.NewManifestFile(2, c.path, c.file.n, int32(c.spec.ID()), c.draft.id).Content(c.content).SequenceNum(-1, c.least).
		ExistingFiles(c.files).ExistingRows(c.rows).Partitions(withEmptyBounds(summary).Partitions()).Build(), nil
}

// copied are the columns that copying an entry needs.
type copied struct {
	of                                                   iceberg.ManifestFile
	status, snapshots, sequences, fileSequences, records *manifest.Longs
	tuples                                               *manifest.Tuples
	files                                                *manifest.Bytes
}

func copiedLeaves() []manifest.Leaf {
	var leaves []manifest.Leaf
	for _, kind := range []manifest.Kind{manifest.SnapshotID, manifest.SequenceNumber, manifest.FileSequenceNumber, manifest.Partition, manifest.RecordCount, manifest.DataFile} {
		leaves = append(leaves, manifest.Whole(kind))
	}
	return leaves
}

func newCopied(m iceberg.ManifestFile, b *manifest.Block) copied {
	longs := func(kind manifest.Kind) *manifest.Longs { return b.Columns[manifest.Whole(kind)].(*manifest.Longs) }
	return copied{
		of: m, status: longs(manifest.Status), snapshots: longs(manifest.SnapshotID), sequences: longs(manifest.SequenceNumber),
		fileSequences: longs(manifest.FileSequenceNumber), records: longs(manifest.RecordCount),
		tuples: b.Columns[manifest.Whole(manifest.Partition)].(*manifest.Tuples), files: b.Columns[manifest.Whole(manifest.DataFile)].(*manifest.Bytes),
	}
}

// addTo copies entry i, with what it inherits written out (specification,
// "Sequence Number Inheritance").
func (e copied) addTo(c *entryCopy, i int) error {
	status, _ := e.status.At(i)
	snapshot, ok := e.snapshots.At(i)
	if !ok {
		snapshot = e.of.SnapshotID()
	}
	inherits := status == int64(iceberg.EntryStatusADDED) || e.of.SequenceNum() == 0
	sequence, hasSequence := e.sequences.At(i)
	fileSequence, hasFileSequence := e.fileSequences.At(i)
	if !inherits && !(hasSequence && hasFileSequence) {
		return fmt.Errorf("%w: an entry that was not added by the manifest's snapshot has no sequence number", ErrCorrupt)
	}
	if !hasSequence {
		sequence = e.of.SequenceNum()
	}
	if !hasFileSequence {
		fileSequence = e.of.SequenceNum()
	}
	records, _ := e.records.At(i)
	place, ok := e.tuples.Index.At(i)
	if !ok {
		return fmt.Errorf("%w: an entry has no partition", ErrCorrupt)
	}
	if err := c.meet(e.tuples, int(place)); err != nil {
		return err
	}
	c.files++
	c.rows += records
	if c.least < 0 || sequence < c.least {
		c.least = sequence
	}
	return c.w.Existing(snapshot, sequence, fileSequence, e.files.At(i))
}

// copy passes on the entries of a manifest as they are encoded.
func (f *manifestFan) copy(ctx context.Context, m iceberg.ManifestFile, place []uint32) error {
	n := 0
	err := readBlocks(ctx, f.draft.fs, m, &f.schemas, copiedLeaves(), func(b *manifest.Block) error {
		entries := newCopied(m, b)
		for i := range b.Rows {
			if s, _ := entries.status.At(i); s == int64(iceberg.EntryStatusDELETED) {
				continue
			}
			if n++; n > len(place) {
				continue
			}
			if err := f.copyEntry(m, entries, i, place[n-1]); err != nil {
				return err
			}
		}
		return ctx.Err()
	})
	if err != nil {
		return fmt.Errorf("copy manifest %q: %w", m.FilePath(), err)
	}
	if schema, ok := f.schemas.Copyable(); n != len(place) || !ok || !bytes.Equal(schema, f.group.schema) {
		return fmt.Errorf("%w: manifest %q had %d live entries when it was planned and has others now", ErrCorrupt, m.FilePath(), len(place))
	}
	return nil
}

// copyEntry puts an entry into the manifest with a number, if that is being
// written.
func (f *manifestFan) copyEntry(m iceberg.ManifestFile, entries copied, i int, at uint32) error {
	slot := f.slot(at)
	if slot == nil {
		return nil
	}
	slot.mu.Lock()
	defer slot.mu.Unlock()
	if slot.copy == nil {
		var err error
		if slot.copy, err = f.draft.newEntryCopy(m, f.group.schema); err != nil {
			slot.copy = nil
			return err
		}
	}
	return entries.addTo(slot.copy, i)
}
