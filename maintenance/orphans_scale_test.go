package maintenance_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	iceio "github.com/apache/iceberg-go/io"
	"github.com/apache/iceberg-go/table"

	"github.com/firndb/firn/catalog"
	"github.com/firndb/firn/maintenance"
)

// Files less than 24 hours old go only if the operator says so.
func TestOrphansYoungerThanADay(t *testing.T) {
	w, old, young := littered(t)
	recent := time.Now().Add(-3 * time.Hour)
	at := time.Now().Add(-4 * time.Hour)
	if err := os.Chtimes(young, at, at); err != nil {
		t.Fatal(err)
	}
	options := maintenance.OrphanOptions{OlderThan: &recent}
	if _, err := w.orphans(options); !errors.Is(err, maintenance.ErrInvalid) || !strings.Contains(err.Error(), "orphan-min-age") {
		t.Errorf("got %v", err)
	}
	w.env.Limits.OrphanAge = 2 * time.Hour
	plan, err := w.orphans(options)
	if err != nil {
		t.Fatal(err)
	}
	if got := pathsOfOrphans(plan.Files); !slices.Equal(got, []string{old, young}) {
		t.Errorf("orphans %q", got)
	}
	w.env.Limits.OrphanAge = 60 * 24 * time.Hour
	if plan, err := w.orphans(maintenance.OrphanOptions{}); err != nil || len(plan.Files) > 0 || time.Since(plan.OlderThan) < 59*24*time.Hour {
		t.Errorf("%v (%v)", plan, err)
	}
}

// TestOrphansInLittleMemory is of field reports, 35: what does not fit into memory
// goes to scratch files, with the same result, and nothing is left there.
func TestOrphansInLittleMemory(t *testing.T) {
	for _, moved := range []bool{false, true} {
		w, old, _ := littered(t)
		litter := []string{old}
		for i := range 40 {
			path := w.put(fmt.Sprintf("data/litter/%02d.parquet", i))
			litter = append(litter, path)
		}
		w.age(30 * 24 * time.Hour)
		scratch := t.TempDir()
		// A quarter of it has room for four files.
		w.env.Limits.MemoryBytes, w.env.Limits.ScratchDir = 256, scratch
		if _, err := w.orphans(maintenance.OrphanOptions{}); !errors.Is(err, maintenance.ErrRefused) || !strings.Contains(err.Error(), "stream_results") {
			t.Errorf("got %v", err)
		}
		plan, err := w.orphans(maintenance.OrphanOptions{Stream: true})
		if err != nil {
			t.Fatal(err)
		}
		slices.Sort(litter)
		young := strings.Replace(old, "old", "young", 1)
		want := append(slices.Clone(litter), young)
		slices.Sort(want)
		if got := pathsOfOrphans(plan.Files); !slices.Equal(got, want) {
			t.Errorf("orphans %q, want %q", got, want)
		}
		if moved {
			w.appendIDs(table.MainBranch, []int64{70})
		}
		if _, err := plan.Execute(t.Context(), w.env); err != nil {
			t.Fatal(err)
		}
		for _, path := range want {
			if _, err := os.Stat(path); !os.IsNotExist(err) {
				t.Errorf("%q: %v", path, err)
			}
		}
		if left, err := os.ReadDir(scratch); err != nil || len(left) > 0 {
			t.Errorf("left behind: %v (%v)", left, err)
		}
		w.settleOthers()
		w.checkAll()
	}
}

// stuck is a file system that removes nothing with a word in its name.
type stuck struct {
	iceio.IO
	word string
}

func (s stuck) WalkDir(root string, use fs.WalkDirFunc) error {
	return s.IO.(iceio.ListableIO).WalkDir(root, use)
}

func (s stuck) Remove(path string) error {
	if strings.Contains(path, s.word) {
		return errors.New("it is stuck")
	}
	return s.IO.Remove(path)
}

// TestOrphansThatStay is of field reports, 12 and 34: what cannot be deleted is
// told, and the others go.
func TestOrphansThatStay(t *testing.T) {
	w, old, _ := littered(t)
	other := w.put("data/other.parquet")
	w.age(30 * 24 * time.Hour)
	w.open(catalog.Hooks{IO: func(inner iceio.IO) iceio.IO { return stuck{inner, filepath.Base(old)} }})
	var told []string
	w.env.Warn = func(message string) { told = append(told, message) }
	plan, err := w.orphans(maintenance.OrphanOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := plan.Execute(t.Context(), w.env); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(other); !os.IsNotExist(err) {
		t.Errorf("the other file: %v", err)
	}
	if len(told) != 2 || !strings.Contains(told[0], old) || !strings.HasPrefix(told[1], "1 files could not be deleted") {
		t.Errorf("told %q", told)
	}
}
