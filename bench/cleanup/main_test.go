package main

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/apache/iceberg-go/table"

	"github.com/firndb/firn/catalog"
	"github.com/firndb/firn/maintenance"
)

// The procedures do with small tables what they are to do with large ones.
func TestTables(t *testing.T) {
	dir := t.TempDir()
	var out bytes.Buffer
	if err := run(t.Context(), []string{"-warehouse", dir, "-by", "100", "expire", "orphans", "manifests"}, &out); err != nil {
		t.Fatal(err)
	}
	c, err := catalog.Open(t.Context(), catalog.Config{Name: "b", Properties: map[string]string{"type": "hadoop", "warehouse": "file://" + dir}}, catalog.Hooks{})
	if err != nil {
		t.Fatal(err)
	}
	env := maintenance.Env{Catalog: c, Now: time.Now}
	one := 1
	expiry, err := maintenance.PlanExpiry(t.Context(), env, table.Identifier{"bench", "expire"}, maintenance.ExpireOptions{RetainLast: &one})
	if err != nil {
		t.Fatal(err)
	}
	done, err := expiry.Execute(t.Context(), env)
	if want := [...]int64{45, 0, 0, 9, 9, 0}; err != nil || done.Snapshots != 9 || done.Removed != want {
		t.Errorf("expired: %+v (%v)", done, err)
	}
	orphans, err := maintenance.PlanOrphans(t.Context(), env, table.Identifier{"bench", "orphans"}, maintenance.OrphanOptions{})
	if err != nil || len(orphans.Files) != 990 {
		t.Errorf("orphans: %v (%v)", orphans, err)
	}
	manifests, err := maintenance.PlanManifests(t.Context(), env, table.Identifier{"bench", "manifests"}, maintenance.ManifestOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if result, err := manifests.Execute(t.Context(), env); err != nil || result.Rewritten != 20 || result.Added != 1 {
		t.Errorf("manifests: %+v (%v)", result, err)
	}
}

func TestRefusals(t *testing.T) {
	dir := t.TempDir()
	for _, args := range [][]string{{}, {"expire"}, {"-warehouse", dir}, {"-warehouse", dir, "nope"}, {"-warehouse", dir, "-by", "0", "expire"}} {
		if err := run(t.Context(), args, &bytes.Buffer{}); err == nil {
			t.Errorf("%q is not refused", args)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := run(ctx, []string{"-warehouse", dir, "-by", "100", "manifests"}, &bytes.Buffer{}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

func TestWhatIsThereStays(t *testing.T) {
	dir := t.TempDir()
	var out bytes.Buffer
	for range 2 {
		if err := run(t.Context(), []string{"-warehouse", dir, "-by", "100", "manifests"}, &out); err != nil {
			t.Fatal(err)
		}
	}
	if !strings.HasSuffix(out.String(), "bench.manifests is there\n") {
		t.Errorf("said %q", out.String())
	}
	if found, err := os.ReadDir(filepath.Join(dir, "bench", "manifests", "metadata")); err != nil || len(found) != 20+3 {
		t.Errorf("%d files (%v)", len(found), err)
	}
}
