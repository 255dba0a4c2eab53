package rewrite_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/apache/iceberg-go"

	"github.com/firndb/firn/maintenance/rewrite"
)

// Manifests are merged once there are enough of them, with every entry's
// status, sequence number and row ids kept.
func TestSmallManifestsAreMerged(t *testing.T) {
	for _, tc := range []struct {
		version   string
		props     iceberg.Properties
		manifests string
	}{
		{"2", iceberg.Properties{"commit.manifest.min-count-to-merge": "3"}, "1, 1 created, 0 kept, 4 replaced"},
		{"3", iceberg.Properties{"commit.manifest.min-count-to-merge": "3"}, "1, 1 created, 0 kept, 4 replaced"},
		{"2", iceberg.Properties{"commit.manifest.min-count-to-merge": "3", "commit.manifest-merge.enabled": "false"}, "5, 3 created, 2 kept, 2 replaced"},
		{"2", nil, "5, 3 created, 2 kept, 2 replaced"},
	} {
		g := newGround(t, tc.version, nil, tc.props)
		for _, id := range []int64{1, 2, 11, 12} {
			g.append(id)
		}
		var lineage []string
		if tc.version == "3" {
			lineage = g.lineage()
		}
		before := g.sequences()
		plan, err := g.tryPlan(iceberg.LessThan(iceberg.Reference("id"), int64(10)), map[string]string{rewrite.OptionMinInputFiles: "2"})
		if err != nil {
			t.Fatal(err)
		}
		if r := g.execute(plan); result(r) != "2 → 1" {
			t.Error(result(r))
		}
		snap := g.load().CurrentSnapshot()
		fs, err := g.load().FS(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		list, err := snap.Manifests(fs)
		if err != nil {
			t.Fatal(err)
		}
		p := snap.Summary.Properties
		if got := fmt.Sprintf("%d, %s created, %s kept, %s replaced", len(list), p["manifests-created"], p["manifests-kept"], p["manifests-replaced"]); got != tc.manifests {
			t.Errorf("version %s, %v: manifests %s; want %s", tc.version, tc.props, got, tc.manifests)
		}
		for path, seq := range g.sequences() {
			if old, ok := before[path]; ok && old != seq {
				t.Errorf("%s had data sequence number %d and has %d", path, old, seq)
			}
		}
		if lineage != nil && !slices.Equal(g.lineage(), lineage) {
			t.Errorf("lineage was\n%s\nand is\n%s", strings.Join(lineage, "\n"), strings.Join(g.lineage(), "\n"))
		}
		g.wantIDs(1, 2, 11, 12)
		g.wantNoStrays()
	}
}

// sequences are the data sequence numbers of live data files.
func (g *ground) sequences() map[string]int64 {
	g.t.Helper()
	tasks, err := g.load().Scan().PlanFiles(context.Background())
	if err != nil {
		g.t.Fatal(err)
	}
	out := map[string]int64{}
	for _, task := range tasks {
		out[task.File.FilePath()] = *task.DataSequenceNumber
	}
	return out
}
