package maintenance_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/apache/iceberg-go/table"

	"github.com/firndb/firn/maintenance"
)

// A local path that is a URI is decoded by the library. What is decoded into the
// name of another file must not take that one away.
func TestOrphansWithNamesThatAreDecoded(t *testing.T) {
	w, old, _ := littered(t)
	var used string
	for path := range w.referenced() {
		if strings.HasSuffix(path, ".parquet") {
			used = path
		}
	}
	escaped := filepath.Dir(used) + "/" + strings.ReplaceAll(filepath.Base(used), ".", "%2E")
	litter := []string{old}
	for _, path := range []string{escaped, used + "#1", used + "?x=1"} {
		at := time.Now().Add(-30 * 24 * time.Hour)
		if err := errors.Join(os.WriteFile(path, []byte("x"), 0o644), os.Chtimes(path, at, at)); err != nil {
			t.Fatal(err)
		}
		litter = append(litter, path)
	}
	plan, err := w.orphans(maintenance.OrphanOptions{})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(litter)
	if got := pathsOfOrphans(plan.Files); !slices.Equal(got, litter) {
		t.Errorf("orphans %q, want %q", got, litter)
	}
	if _, err := plan.Execute(t.Context(), w.env); err != nil {
		t.Error(err)
	}
	for _, path := range litter {
		if _, err := os.Stat(path); !os.IsNotExist(err) {
			t.Errorf("%q: %v", path, err)
		}
	}
	w.settleOthers()
	w.checkAll()
}

// A table's files must stay when a link leads to them.
func TestOrphansThroughALink(t *testing.T) {
	w, old, _ := littered(t)
	location := strings.TrimPrefix(w.load().Location(), "file://")
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(filepath.Dir(location), link); err != nil {
		t.Fatal(err)
	}
	through := filepath.Join(link, filepath.Base(location))
	plan, err := w.orphans(maintenance.OrphanOptions{Location: "file://" + through})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{through + strings.TrimPrefix(old, location)}
	if got := pathsOfOrphans(plan.Files); !slices.Equal(got, want) {
		t.Errorf("orphans %q, want %q", got, want)
	}
	w.appendIDs(table.MainBranch, []int64{60})
	if _, err := plan.Execute(t.Context(), w.env); err != nil {
		t.Error(err)
	}
	w.settleOthers()
	w.checkAll()
}

// However the place is spelled, the same files go.
func TestOrphansBelowLocationsSpelledOtherwise(t *testing.T) {
	w, old, _ := littered(t)
	location := strings.TrimPrefix(w.load().Location(), "file://")
	for _, spelled := range []string{location, "file:" + location, "file://" + location + "//data/..", "file://" + strings.ReplaceAll(location, "t", "%74")} {
		plan, err := w.orphans(maintenance.OrphanOptions{Location: spelled})
		if err != nil {
			t.Fatal(err)
		}
		if len(plan.Files) != 1 || !strings.HasSuffix(plan.Files[0].Path, old) {
			t.Errorf("below %q: %v", spelled, plan.Files)
		}
	}
}
