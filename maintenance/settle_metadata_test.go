package maintenance_test

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/iceberg-go"
	"github.com/apache/iceberg-go/table"
	"github.com/google/uuid"

	"github.com/firndb/firn/catalog"
	"github.com/firndb/firn/maintenance"
)

// errNotPublished is what the process that has died does not get to know.
var errNotPublished = errors.New("the metadata file is written and the pointer not moved")

// stageVersion writes the metadata file that a catalog writes for updates, and does not
// publish it.
func (w *world) stageVersion(updates []table.Update) string {
	w.t.Helper()
	base := w.load()
	next, err := table.UpdateTableMetadata(base.Metadata(), updates, base.MetadataLocation())
	if err != nil {
		w.t.Fatal(err)
	}
	content, err := json.Marshal(next)
	if err != nil {
		w.t.Fatal(err)
	}
	dir, _ := filepath.Split(strings.TrimPrefix(base.MetadataLocation(), "file://"))
	path := filepath.Join(dir, "00099-"+uuid.NewString()+".metadata.json")
	if err := os.WriteFile(path, content, 0o644); err != nil {
		w.t.Fatal(err)
	}
	return path
}

// dieUnpublished lets a process die in its first commit, and returns the folder
// of its journal and the metadata file.
func (w *world) dieUnpublished(job func() error) (records, staged string) {
	w.t.Helper()
	records = w.t.TempDir()
	process := openJournal(records)
	w.open(catalog.Hooks{Commit: func(_ context.Context, _ table.Identifier, _ []table.Requirement, updates []table.Update, _ catalog.CommitFunc) (table.Metadata, string, error) {
		staged = w.stageVersion(updates)
		process.Close()
		return nil, "", errNotPublished
	}})
	w.env.Journal = process
	if err := job(); !errors.Is(err, maintenance.ErrCommitUnknown) {
		w.t.Fatalf("got %v", err)
	}
	w.open(catalog.Hooks{})
	return records, staged
}

// TestSettleRemovesUnpublishedMetadata kills a rewrite, and an expiry, between the
// writing of the next version's metadata file and its becoming the table's.
func TestSettleRemovesUnpublishedMetadata(t *testing.T) {
	for name, job := range map[string]func(w *world) error{
		"rewrite": (*world).rewriteAll,
		"expiry":  (*world).expireAllButHeads,
	} {
		t.Run(name, func(t *testing.T) {
			w := deletedFrom(t, "2")
			others := maps.Clone(w.others)
			records, staged := w.dieUnpublished(func() error { return job(w) })
			foreign := w.stageVersion([]table.Update{table.NewSetPropertiesUpdate(iceberg.Properties{"x": "y"})})
			if name == "expiry" { // which has nothing of its own in the file
				_ = os.Remove(foreign)
			}
			w.lost = true
			w.checkAll()
			w.settled(records)
			if _, err := os.Stat(staged); err == nil {
				t.Error("the metadata file is still there")
			}
			if _, err := os.Stat(foreign); name == "rewrite" && err != nil {
				t.Errorf("another writer's metadata file: %v", err)
			}
			_ = os.Remove(foreign)
			w.checkTidy(others)
		})
	}
}

// TestSettleKeepsMetadataThatMayBePublished has a file that has become the table's,
// and one whose base the metadata log does not tell of any more.
func TestSettleKeepsMetadataThatMayBePublished(t *testing.T) {
	t.Run("published late", func(t *testing.T) {
		w := deletedFrom(t, "2")
		records, staged := w.dieUnpublished(w.rewriteAll)
		db, err := sql.Open("sqlite", filepath.Join(w.dir, "catalog.db"))
		if err != nil {
			t.Fatal(err)
		}
		defer db.Close()
		if _, err := db.Exec("UPDATE iceberg_tables SET metadata_location = ?", "file://"+staged); err != nil {
			t.Fatal(err)
		}
		w.remember(true)
		w.settled(records)
		w.checkAll()
	})
	t.Run("out of the log", func(t *testing.T) {
		w := deletedFrom(t, "2")
		records, staged := w.dieUnpublished(w.rewriteAll)
		for id := range int64(5) {
			w.appendIDs(table.MainBranch, []int64{50 + id})
		}
		w.settled(records)
		if _, err := os.Stat(staged); err != nil {
			t.Error(err)
		}
	})
}
