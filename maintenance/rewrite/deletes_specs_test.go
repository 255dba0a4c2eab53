package rewrite_test

import (
	"testing"

	"github.com/apache/iceberg-go"
	"github.com/apache/iceberg-go/table"

	"github.com/firndb/firn/maintenance"
)

// TestDeletesOfTwoSpecs rewrites the deletes of a table whose partitioning has
// changed: each file keeps its spec, and so its partition, each is about one data file,
// and a second run does nothing.
func TestDeletesOfTwoSpecs(t *testing.T) {
	for _, version := range []string{"2", "3"} {
		t.Run(version, func(t *testing.T) {
			g := threeDeletes(t, "2", nil)
			g.change(func(tx *table.Transaction) error {
				return tx.UpdateSpec(false).AddField("part", iceberg.IdentityTransform{}, "part").Commit()
			})
			g.append(11, 12, 13, 14)
			g.delete(11)
			g.delete(12)
			if version == "3" {
				g.upgrade()
			}
			g.wantIDs(1, 2, 4, 6, 13, 14)
			perSpec := func() map[int32]int64 {
				rows := map[int32]int64{}
				for _, e := range liveDeletes(t, g.load()) {
					rows[e.DataFile().SpecID()] += e.DataFile().Count()
				}
				return rows
			}
			before := perSpec()
			if len(before) != 2 {
				t.Fatalf("deletes of specs %v, want two", before)
			}
			g.rewriteDeletes(g.planDeletes(map[string]string{"min-input-files": "2"}))
			if after := perSpec(); after[0] != before[0] || after[1] != before[1] {
				t.Errorf("deletes by spec were %v and are %v", before, after)
			}
			seen := map[string]bool{}
			for _, e := range liveDeletes(t, g.load()) {
				path := maintenance.ReferencedFile(e.DataFile())
				if path == "" || seen[path] {
					t.Errorf("%q is about %q, which is several files or has another", e.DataFile().FilePath(), path)
				}
				seen[path] = true
			}
			g.wantIDs(1, 2, 4, 6, 13, 14)
			if again := g.planDeletes(map[string]string{"min-input-files": "2"}); again.Files() != 0 {
				t.Errorf("the second run selects %d files", again.Files())
			}
		})
	}
}
