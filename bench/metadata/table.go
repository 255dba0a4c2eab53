package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strconv"

	"github.com/apache/iceberg-go"
	"github.com/apache/iceberg-go/table"
	"github.com/google/uuid"
	"golang.org/x/sync/errgroup"
)

// layout says where a table is and of how many pieces.
type layout struct {
	folder                      string
	files, manifests, snapshots int
}

// write makes the table, unless it is there. What an earlier call left
// unfinished is written over.
func (t layout) write(ctx context.Context) (made bool, err error) {
	hint := filepath.Join(t.folder, "metadata", "version-hint.text")
	if _, err := os.Stat(hint); err == nil || !errors.Is(err, fs.ErrNotExist) {
		return false, err
	}
	if err := os.MkdirAll(filepath.Dir(hint), 0o755); err != nil {
		return false, err
	}
	manifests, err := t.writeManifests(ctx)
	if err != nil {
		return false, err
	}
	if err := t.commitAll(manifests); err != nil {
		return false, err
	}
	return true, os.WriteFile(hint, []byte(strconv.Itoa(t.snapshots)), 0o644)
}

func (t layout) writeManifests(ctx context.Context) ([]written, error) {
	manifests := make([]written, t.manifests)
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(runtime.GOMAXPROCS(0))
	for m := range manifests {
		group.Go(func() (err error) {
			manifests[m], err = t.writeManifest(ctx, m, t.snapshotID(t.snapshotOf(m)))
			return err
		})
	}
	return manifests, group.Wait()
}

// snapshotOf is the number of the snapshot, from 0, that adds manifest m.
func (t layout) snapshotOf(m int) int { return m * t.snapshots / t.manifests }

func (t layout) snapshotID(s int) int64 {
	return rand.New(rand.NewPCG(uint64(t.files), 1<<32+uint64(s))).Int64()
}

// commitAll appends the manifests, one snapshot after the other.
func (t layout) commitAll(manifests []written) error {
	base, err := t.newTable()
	if err != nil {
		return err
	}
	var listed []iceberg.ManifestFile
	totals := iceberg.Properties{}
	for s := range t.snapshots {
		var added []written
		for m, manifest := range manifests {
			if t.snapshotOf(m) == s {
				added = append(added, manifest)
				listed = append(listed, manifest.ManifestFile)
			}
		}
		snapshot := t.snapshot(s, added, totals)
		if listed, err = t.writeList(snapshot, listed); err != nil {
			return err
		}
		if err := base.AddSnapshot(&snapshot); err != nil {
			return err
		}
		if err := base.SetSnapshotRef(table.MainBranch, snapshot.SnapshotID, table.BranchRef); err != nil {
			return err
		}
		if base, err = t.writeMetadata(s+1, base); err != nil {
			return err
		}
	}
	return nil
}

func (t layout) newTable() (*table.MetadataBuilder, error) {
	b, err := table.NewMetadataBuilder(2)
	if err != nil {
		return nil, err
	}
	spec, order := tableSpec(), table.UnsortedSortOrder
	return b, errors.Join(
		b.SetUUID(uuidOf(t.files, -1)), b.SetLoc(uri(t.folder)), b.AddSchema(tableSchema()), b.SetCurrentSchemaID(0),
		b.AddPartitionSpec(&spec, true), b.SetDefaultSpecID(0), b.AddSortOrder(&order), b.SetDefaultSortOrderID(0),
	)
}

// snapshot is the append of some manifests. It adds them to the totals.
func (t layout) snapshot(s int, added []written, totals iceberg.Properties) table.Snapshot {
	summary := iceberg.Properties{"total-delete-files": "0", "total-position-deletes": "0", "total-equality-deletes": "0", "changed-partition-count": strconv.Itoa(days / t.snapshots)}
	add := func(what, size string, by int64) {
		before, _ := strconv.ParseInt(totals["total-"+what], 10, 64)
		totals["total-"+what] = strconv.FormatInt(before+by, 10)
		summary["total-"+what], summary["added-"+size] = totals["total-"+what], strconv.FormatInt(by, 10)
	}
	var files, records, bytes int64
	for _, m := range added {
		files += int64(m.AddedDataFiles())
		records += m.records
		bytes += m.bytes
	}
	add("data-files", "data-files", files)
	add("records", "records", records)
	add("files-size", "files-size", bytes)
	schemaID := 0
	id := t.snapshotID(s)
	snapshot := table.Snapshot{
		SnapshotID: id, SequenceNumber: int64(s + 1), TimestampMs: dayStart(firstDay + (s+1)*days/t.snapshots).UnixMilli(), SchemaID: &schemaID,
		ManifestList: uri(filepath.Join(t.folder, "metadata", fmt.Sprintf("snap-%d-1-%s.avro", id, uuidOf(t.files, -2-s)))),
		Summary:      &table.Summary{Operation: table.OpAppend, Properties: summary},
	}
	if s > 0 {
		parent := t.snapshotID(s - 1)
		snapshot.ParentSnapshotID = &parent
	}
	return snapshot
}

// writeList writes the manifest list of a snapshot and returns the manifests as
// the list has them, with sequence numbers.
func (t layout) writeList(snapshot table.Snapshot, manifests []iceberg.ManifestFile) ([]iceberg.ManifestFile, error) {
	path := local(snapshot.ManifestList)
	f, err := os.Create(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if err := iceberg.WriteManifestList(2, f, snapshot.SnapshotID, snapshot.ParentSnapshotID, &snapshot.SequenceNumber, 0, manifests); err != nil {
		return nil, err
	}
	if _, err := f.Seek(0, 0); err != nil {
		return nil, err
	}
	return iceberg.ReadManifestList(f)
}

// writeMetadata writes a version of the table and returns the next one's
// beginning.
func (t layout) writeMetadata(version int, b *table.MetadataBuilder) (*table.MetadataBuilder, error) {
	metadata, err := b.Build()
	if err != nil {
		return nil, err
	}
	content, err := json.Marshal(metadata)
	if err != nil {
		return nil, err
	}
	path := filepath.Join(t.folder, "metadata", fmt.Sprintf("v%d.metadata.json", version))
	if err := os.WriteFile(path, content, 0o644); err != nil {
		return nil, err
	}
	return table.MetadataBuilderFromBase(metadata, uri(path))
}

// uuidOf makes a name out of numbers.
func uuidOf(files, n int) uuid.UUID {
	return uuid.NewSHA1(uuid.NameSpaceURL, fmt.Appendf(nil, "bench/metadata/%d/%d", files, n))
}

func uri(path string) string { return "file://" + filepath.ToSlash(path) }

func local(location string) string { return filepath.FromSlash(location[len("file://"):]) }
