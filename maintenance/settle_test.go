package maintenance_test

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/apache/iceberg-go"
	icecat "github.com/apache/iceberg-go/catalog"
	"github.com/apache/iceberg-go/table"

	"github.com/firndb/firn/catalog"
	"github.com/firndb/firn/maintenance"
	"github.com/firndb/firn/maintenance/journal"
)

// dead is a world where a rewrite has died, and the journal of the next process.
type dead struct {
	*world
	records string
	journal *journal.Journal
	// left is a file that the rewrite left, name the uuid in its name.
	left, name string
	log        bytes.Buffer
}

// died is a world whose rewrite died before its commit, with one data file
// written.
func died(t *testing.T) *dead {
	t.Helper()
	d := &dead{world: emptyWorld(t, 1), records: t.TempDir()}
	d.create(iceberg.Properties{"format-version": "2"}, iceberg.UnpartitionedSpec)
	d.appendIDs(table.MainBranch, []int64{1, 2})
	process := openJournal(d.records)
	env := d.env
	env.Journal = process
	env = maintenance.Begin(env, d.load(), "rewrite_data_files")
	d.name = env.Run.DataName().String()
	d.left = d.putLeft("data/00000-0-" + d.name + "-00000.parquet")
	env.Run.Try(42, d.load().MetadataLocation())
	process.Close()
	d.journal = journal.Open(d.records, time.Now, slog.New(slog.NewTextHandler(&d.log, nil)))
	t.Cleanup(func() { d.journal.Close() })
	return d
}

// putLeft makes a file below the table's location.
func (w *world) putLeft(name string) string {
	w.t.Helper()
	path := filepath.Join(strings.TrimPrefix(w.load().Location(), "file://"), name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		w.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte("rows"), 0o644); err != nil {
		w.t.Fatal(err)
	}
	return path
}

// settle settles so long after now.
func (d *dead) settle(later time.Duration) journal.Entry {
	d.t.Helper()
	env := d.env
	env.Journal, env.Now = d.journal, func() time.Time { return time.Now().Add(later) }
	maintenance.Settle(context.Background(), env, only{d.c})
	entries := d.journal.Entries()
	if len(entries) != 1 {
		d.t.Fatalf("the journal has %d entries, want 1", len(entries))
	}
	return entries[0]
}

func (d *dead) wants(e journal.Entry, state journal.State, note string, there bool) {
	d.t.Helper()
	if e.State != state || !strings.Contains(e.Note, note) {
		d.t.Errorf("got %q with the note %q, want %q with %q", e.State, e.Note, state, note)
	}
	if _, err := os.Stat(d.left); there != (err == nil) {
		d.t.Errorf("the file of the dead run: %v, want it there: %v", err, there)
	}
}

const day = 25 * time.Hour

func TestSettleWaitsForADay(t *testing.T) {
	d := died(t)
	d.wants(d.settle(23*time.Hour), journal.Interrupted, "not in the table: snapshot 42; files that the table does not refer to are removed after", true)
	d.wants(d.settle(day), journal.Settled, "not in the table: snapshot 42; 1 files removed, 4 bytes", false)
	if again := d.journal.Adopt(); len(again) != 0 {
		t.Errorf("a settled run is still open: %v", again)
	}
}

// TestSettleKeepsYoungFiles is of a run that is old, with a file that is not.
func TestSettleKeepsYoungFiles(t *testing.T) {
	d := died(t)
	soon := time.Now().Add(20 * time.Hour)
	if err := os.Chtimes(d.left, soon, soon); err != nil {
		t.Fatal(err)
	}
	d.wants(d.settle(day), journal.Interrupted, "1 are not a day old", true)
	d.wants(d.settle(2*day), journal.Settled, "1 files removed", false)
}

func TestSettleKeepsWhatIsReferenced(t *testing.T) {
	d := died(t)
	// The commit arrives after the process died.
	tbl := d.load()
	txn := tbl.NewTransaction()
	content, err := os.ReadFile(d.liveFile())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(d.left, content, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := txn.AddFiles(t.Context(), []string{"file://" + d.left}, nil, false); err != nil {
		t.Fatal(err)
	}
	if _, err := txn.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	d.wants(d.settle(day), journal.Settled, "0 files removed", true)
}

// liveFile is a data file of the table.
func (w *world) liveFile() string {
	w.t.Helper()
	for path := range w.referenced() {
		if strings.HasSuffix(path, ".parquet") {
			return path
		}
	}
	w.t.Fatal("the table has no data file")
	return ""
}

func TestSettleSaysThatTheCommitTookPlace(t *testing.T) {
	d := died(t)
	process := openJournal(d.records)
	env := d.env
	env.Journal = process
	env = maintenance.Begin(env, d.load(), "rewrite_data_files")
	env.Run.Try(d.load().CurrentSnapshot().SnapshotID, "base")
	env.Run.Tried(journal.NotKnown)
	env.Run.End()
	process.Close()
	env.Journal = d.journal
	maintenance.Settle(t.Context(), env, only{d.c})
	entries := d.journal.Entries()
	want := fmt.Sprintf("committed: snapshot %d", d.load().CurrentSnapshot().SnapshotID)
	if e := entries[len(entries)-1]; len(entries) != 2 || !strings.Contains(e.Note, want) || e.Attempts[0].Outcome != journal.Committed {
		t.Errorf("got %+v, want %q", e, want)
	}
}

func TestSettleLeavesAlone(t *testing.T) {
	tests := map[string]struct {
		change func(d *dead)
		note   string
		state  journal.State
	}{
		"a table that is gone": {func(d *dead) {
			if err := d.c.Iceberg().DropTable(context.Background(), d.ident); err != nil {
				d.t.Fatal(err)
			}
		}, "the table is gone", journal.Left},
		"another table of the name": {func(d *dead) {
			if err := d.c.Iceberg().DropTable(context.Background(), d.ident); err != nil {
				d.t.Fatal(err)
			}
			if _, err := d.c.Iceberg().CreateTable(context.Background(), d.ident, iceberg.NewSchema(0)); err != nil {
				d.t.Fatal(err)
			}
		}, "another table", journal.Left},
		"a table without garbage collection": {func(d *dead) {
			d.apply("gc", table.NewSetPropertiesUpdate(iceberg.Properties{"gc.enabled": "false"}))
		}, `"gc.enabled" is false`, journal.Left},
		"a place that another table shares": {func(d *dead) {
			_, err := d.c.Iceberg().CreateTable(context.Background(), table.Identifier{"ns", "u"}, iceberg.NewSchema(0), icecat.WithLocation(d.load().Location()))
			if err != nil {
				d.t.Fatal(err)
			}
		}, "files of table", journal.Left},
		"a table with a manifest list missing": {func(d *dead) {
			if err := os.Remove(strings.TrimPrefix(d.load().CurrentSnapshot().ManifestList, "file://")); err != nil {
				d.t.Fatal(err)
			}
		}, "is missing", journal.Interrupted},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			d := died(t)
			test.change(d)
			d.wants(d.settle(day), test.state, test.note, true)
			if !strings.Contains(d.log.String(), d.name) && !strings.Contains(fmt.Sprint(d.journal.Entries()), d.name) {
				t.Error("the uuid in the names of its files is not said")
			}
		})
	}
}

func TestSettleWithoutItsCatalog(t *testing.T) {
	d := died(t)
	env := d.env
	env.Journal, env.Now = d.journal, func() time.Time { return time.Now().Add(day) }
	maintenance.Settle(t.Context(), env, noCatalogs{})
	d.wants(d.journal.Entries()[0], journal.Interrupted, "cannot be opened", true)
	env.Now = func() time.Time { return time.Now().Add(31 * 24 * time.Hour) }
	maintenance.Settle(t.Context(), env, noCatalogs{})
	d.wants(d.journal.Entries()[0], journal.Left, "given up after 30 days", true)
}

// noCatalogs is a set that cannot open any.
type noCatalogs struct{}

func (noCatalogs) Get(context.Context, string) (*catalog.Catalog, error) {
	return nil, catalog.ErrNoSuchCatalog
}
