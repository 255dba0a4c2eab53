package server

import (
	"context"
	"slices"
	"strings"
	"sync"
	"testing"

	icecat "github.com/apache/iceberg-go/catalog"
	"github.com/apache/iceberg-go/table"

	"github.com/firndb/firn/catalog"
	"github.com/firndb/firn/internal/lakefixture"
)

// writer is a catalog in which somebody commits whenever a table has been loaded,
// while it is on.
type writer struct {
	icecat.Catalog

	mu      sync.Mutex
	on      bool
	commits int
	err     error
}

func (w *writer) LoadTable(ctx context.Context, ident table.Identifier) (*table.Table, error) {
	tbl, err := w.Catalog.LoadTable(ctx, ident)
	w.mu.Lock()
	defer w.mu.Unlock()
	if err == nil && w.on {
		w.commits++
		w.err = move(ctx, w.Catalog, tbl)
	}
	return tbl, err
}

// move makes another snapshot the current one of a table.
func move(ctx context.Context, c icecat.Catalog, tbl *table.Table) error {
	current := tbl.CurrentSnapshot().SnapshotID
	for _, s := range tbl.Metadata().Snapshots() {
		if s.SnapshotID != current {
			update := table.NewSetSnapshotRefUpdate("main", s.SnapshotID, table.BranchRef, -1, -1, -1)
			_, _, err := c.CommitTable(ctx, tbl.Identifier(), nil, []table.Update{update})
			return err
		}
	}
	return nil
}

// TestOneStatementSeesOneState: however often a statement names a table, its
// metadata tables and views of it, it sees the state that it found first, while
// another program commits after each load.
func TestOneStatementSeesOneState(t *testing.T) {
	other := &writer{}
	lake := lakefixture.Open(t, catalog.Hooks{Catalog: func(c icecat.Catalog) icecat.Catalog {
		other.Catalog = c
		return other
	}})
	lake.AddView(t, lakefixture.View{
		Name: []string{"ops", "v"}, Columns: [][2]string{{"snapshot_id", "long"}, {"n", "long"}}, Dialect: "spark", Catalog: "lake",
		Text: "SELECT r.snapshot_id, (SELECT COUNT(*) FROM ops.chain) FROM ops.chain.refs r WHERE r.name = 'main'",
	})
	c := serve(t, Config{Catalogs: lake.Set})
	commit := func(on bool) {
		other.mu.Lock()
		defer other.mu.Unlock()
		other.on = on
	}
	for _, query := range []string{
		"SELECT COUNT(*), COUNT(DISTINCT a.id) FROM ops.chain a JOIN ops.chain b ON a.id = b.id",
		"SELECT COUNT(*) = (SELECT COUNT(*) FROM lake.ops.chain) FROM ops.chain",
		"SELECT h.snapshot_id = r.snapshot_id, COUNT(*) FROM ops.chain.refs r JOIN ops.chain.history h ON h.snapshot_id = r.snapshot_id GROUP BY 1",
		"SELECT (SELECT SUM(record_count) FROM ops.chain.files), (SELECT COUNT(*) FROM `lake.ops`.chain), (SELECT SUM(record_count) FROM `lake.ops`.`chain$data_files`), (SELECT SUM(record_count) FROM `lake.ops.chain`.`partitions`)",
		"SELECT v.n = (SELECT COUNT(*) FROM ops.chain), v.snapshot_id = r.snapshot_id FROM ops.v JOIN ops.chain.refs r ON r.name = 'main'",
		"SELECT (SELECT COUNT(*) FROM ops.v a JOIN ops.v b USING (snapshot_id)), (SELECT COUNT(*) FROM ops.chain VERSION AS OF 'main') = (SELECT COUNT(*) FROM ops.chain)",
	} {
		quiet := c.query(query)
		before := other.commits
		commit(true)
		busy := c.query(query)
		commit(false)
		if other.err != nil {
			t.Fatal(other.err)
		}
		if other.commits != before+1 {
			t.Errorf("%s: %d loads, want one", query, other.commits-before)
		}
		if !slices.Equal(quiet, busy) {
			t.Errorf("%s: %q, while somebody commits %q", query, quiet, busy)
		}
	}
	now := strings.Join(c.query("SELECT COUNT(*) FROM ops.chain"), "")
	commit(true)
	c.query("SELECT COUNT(*) FROM ops.chain")
	commit(false)
	if then := strings.Join(c.query("SELECT COUNT(*) FROM ops.chain"), ""); then == now {
		t.Errorf("the commits change nothing: %s rows before and after", now)
	}
}
