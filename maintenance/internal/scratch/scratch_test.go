package scratch_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/firndb/firn/maintenance"
	"github.com/firndb/firn/maintenance/internal/scratch"
	"github.com/firndb/firn/maintenance/internal/scratch/scratchtest"
)

// TestFolder removes old scratch files only, and leaves none of its own.
func TestFolder(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "made")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	now := time.Now()
	for name, age := range map[string]time.Duration{"firn-sort-1.tmp": 48 * time.Hour, "firn-sort-2.tmp": time.Hour, "other": 48 * time.Hour} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(path, now, now.Add(-age)); err != nil {
			t.Fatal(err)
		}
	}
	l := scratch.Folder(dir, 0, now).NewLog()
	if _, err := l.Append([]byte("x")); err != nil {
		t.Fatal(err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	if want := []string{"firn-sort-2.tmp", "other"}; !slices.Equal(names, want) {
		t.Errorf("left %q, want %q", names, want)
	}
}

// TestLog reads back what was appended, and counts it until it is closed. A log
// to which nothing is appended needs no file.
func TestLog(t *testing.T) {
	f := &scratchtest.Faults{Fail: -1}
	space := f.Space()
	space.Most = 10
	l, empty := space.NewLog(), space.NewLog()
	var places []scratch.Place
	for _, text := range []string{"abc", "", "defgh"} {
		p, err := l.Append([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		places = append(places, p)
	}
	for i, want := range []string{"abc", "", "defgh"} {
		if got, err := l.Read(places[i]); err != nil || string(got) != want {
			t.Errorf("got %q, %v", got, err)
		}
	}
	if _, err := l.Append([]byte("ijk")); !errors.Is(err, maintenance.ErrRefused) || !strings.Contains(err.Error(), "the 10 bytes allowed: 1 more") {
		t.Errorf("above the bound: %v", err)
	}
	if _, err := l.Read(scratch.Place{At: 6, Size: 5}); err == nil {
		t.Error("the end is read beyond")
	}
	if _, err := empty.Read(scratch.Place{Size: 1}); err == nil {
		t.Error("an empty log is read")
	}
	if space.Used() != 8 || f.Open() != 1 {
		t.Errorf("%d bytes in %d files", space.Used(), f.Open())
	}
	for range 2 {
		if err := errors.Join(l.Close(), empty.Close()); err != nil {
			t.Error(err)
		}
	}
	if _, err := l.Append([]byte("x")); err == nil {
		t.Error("a closed log takes more")
	}
	if f.Open() != 0 {
		t.Errorf("%d files are open", f.Open())
	}
}
