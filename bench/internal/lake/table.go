package lake

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"

	"github.com/apache/iceberg-go"
	"github.com/apache/iceberg-go/table"
	"github.com/google/uuid"
)

// Table is a table that is being made.
type Table struct {
	// Folder is where it is, and Seed what its names and values are made from.
	Folder string
	Seed   uint64

	metadata *table.MetadataBuilder
	version  int
}

// Begin starts the table, with properties. It reports whether the table is
// there already; what an earlier attempt left unfinished is written over.
func (t *Table) Begin(properties iceberg.Properties) (there bool, err error) {
	if _, err := os.Stat(t.hint()); err == nil || !errors.Is(err, fs.ErrNotExist) {
		return true, err
	}
	if err := os.MkdirAll(filepath.Dir(t.hint()), 0o755); err != nil {
		return false, err
	}
	if t.metadata, err = table.NewMetadataBuilder(2); err != nil {
		return false, err
	}
	b, spec, order := t.metadata, tableSpec(), table.UnsortedSortOrder
	return false, errors.Join(
		b.SetUUID(t.uuid(-1)), b.SetLoc(uri(t.Folder)), b.AddSchema(tableSchema()), b.SetCurrentSchemaID(0), b.AddPartitionSpec(&spec, true),
		b.SetDefaultSpecID(0), b.AddSortOrder(&order), b.SetDefaultSortOrderID(0), b.SetProperties(properties),
	)
}

// Finish makes the table one that a catalog finds.
func (t *Table) Finish() error {
	return os.WriteFile(t.hint(), []byte(strconv.Itoa(t.version)), 0o644)
}

func (t *Table) hint() string { return filepath.Join(t.Folder, "metadata", "version-hint.text") }

// Commit adds a snapshot to main, writes its manifest list and a version of the
// metadata, which only the last commit needs: the others may be left out. It
// returns the manifests as the list has them, with sequence numbers. The
// snapshot's id, sequence number and list are set here; its time is the
// caller's.
func (t *Table) Commit(s int, snapshot table.Snapshot, manifests []iceberg.ManifestFile, write bool) ([]iceberg.ManifestFile, error) {
	schemaID := 0
	snapshot.SnapshotID, snapshot.SequenceNumber, snapshot.SchemaID = t.SnapshotID(s), int64(s+1), &schemaID
	snapshot.ManifestList = uri(filepath.Join(t.Folder, "metadata", fmt.Sprintf("snap-%d-1-%s.avro", snapshot.SnapshotID, t.uuid(-2-s))))
	if s > 0 {
		parent := t.SnapshotID(s - 1)
		snapshot.ParentSnapshotID = &parent
	}
	listed, err := writeList(snapshot, manifests)
	if err != nil {
		return nil, err
	}
	if err := t.metadata.AddSnapshot(&snapshot); err != nil {
		return nil, err
	}
	if err := t.metadata.SetSnapshotRef(table.MainBranch, snapshot.SnapshotID, table.BranchRef); err != nil {
		return nil, err
	}
	if write {
		err = t.writeMetadata()
	}
	return listed, err
}

// writeList writes the manifest list of a snapshot.
func writeList(snapshot table.Snapshot, manifests []iceberg.ManifestFile) ([]iceberg.ManifestFile, error) {
	f, err := os.Create(Local(snapshot.ManifestList))
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

// writeMetadata writes a version of the table and begins the next one.
func (t *Table) writeMetadata() error {
	metadata, err := t.metadata.Build()
	if err != nil {
		return err
	}
	content, err := json.Marshal(metadata)
	if err != nil {
		return err
	}
	t.version++
	path := filepath.Join(t.Folder, "metadata", fmt.Sprintf("v%d.metadata.json", t.version))
	if err := os.WriteFile(path, content, 0o644); err != nil {
		return err
	}
	t.metadata, err = table.MetadataBuilderFromBase(metadata, uri(path))
	return err
}

// uuid makes a name out of numbers.
func (t *Table) uuid(n int) uuid.UUID {
	return uuid.NewSHA1(uuid.NameSpaceURL, fmt.Appendf(nil, "bench/%d/%d", t.Seed, n))
}

func uri(path string) string { return "file://" + filepath.ToSlash(path) }

// Local is the path of a location.
func Local(location string) string { return filepath.FromSlash(location[len("file://"):]) }
