package rewrite_test

import (
	"testing"

	"github.com/apache/iceberg-go"
	"github.com/apache/iceberg-go/table"
)

// TestTablesWithoutRows plans and executes where there is nothing to rewrite: a
// table without snapshots, one whose files are all gone, one whose rows are all
// deleted by equality, and a condition that selects nothing.
func TestTablesWithoutRows(t *testing.T) {
	nothing := iceberg.EqualTo(iceberg.Reference("id"), int64(-1))
	for name, tc := range map[string]struct {
		fill  func(g *ground)
		where iceberg.BooleanExpression
		want  string
	}{
		"no snapshots":        {func(*ground) {}, nil, "0 → 0"},
		"no snapshots, where": {func(*ground) {}, nothing, "0 → 0"},
		"no files": {func(g *ground) {
			g.append(1)
			g.change(func(tx *table.Transaction) error { return tx.Delete(t.Context(), iceberg.AlwaysTrue{}, nil) })
		}, nil, "0 → 0"},
		"all rows deleted": {func(g *ground) {
			g.append(1)
			g.append(2)
			g.deleteEqual(1, 2)
		}, nil, "2 → 0"},
		"condition without rows": {func(g *ground) {
			g.append(1)
			g.deleteEqual(1)
		}, nothing, "0 → 0"},
	} {
		t.Run(name, func(t *testing.T) {
			g := newGround(t, "2", nil, nil)
			tc.fill(g)
			options := all()
			options["remove-dangling-deletes"] = "true"
			plan, err := g.tryPlan(tc.where, options)
			if err != nil {
				t.Fatal(err)
			}
			if got := result(g.execute(plan)); got != tc.want {
				t.Errorf("got %s, want %s", got, tc.want)
			}
			g.wantNoStrays()
			if g.load().CurrentSnapshot() != nil {
				g.wantIDs()
			}
		})
	}
}
