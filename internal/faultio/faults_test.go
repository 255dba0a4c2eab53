package faultio

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	iceio "github.com/apache/iceberg-go/io"
	"github.com/apache/iceberg-go/table"
	"github.com/google/go-cmp/cmp"
)

// job writes a file, commits, reads the file and removes another.
func job(f *Faults, dir string, commits *int) error {
	fsys := f.IO(iceio.LocalFS{})
	if err := fsys.(iceio.WriteFileIO).WriteFile(filepath.Join(dir, "new"), []byte("new")); err != nil {
		return err
	}
	next := func(context.Context, table.Identifier, []table.Requirement, []table.Update) (table.Metadata, string, error) {
		*commits++
		return nil, "s3://x", nil
	}
	if _, _, err := f.Hooks().Commit(context.Background(), table.Identifier{"a", "b"}, nil, nil, next); err != nil {
		return err
	}
	if _, err := fsys.(iceio.ReadFileIO).ReadFile(filepath.Join(dir, "new")); err != nil {
		return err
	}
	_, err := fsys.(iceio.BulkRemovableIO).DeleteFiles(context.Background(), []string{filepath.Join(dir, "old")})
	return err
}

// outcome is what a job has left: files, and whether it committed.
func outcome(t *testing.T, dir string, commits int) string {
	t.Helper()
	var names []string
	for _, name := range []string{"new", "old"} {
		if _, err := os.Stat(filepath.Join(dir, name)); err == nil {
			names = append(names, name)
		} else if !errors.Is(err, fs.ErrNotExist) {
			t.Fatal(err)
		}
	}
	if commits > 0 {
		names = append(names, "committed")
	}
	return strings.Join(names, " ")
}

func TestSweep(t *testing.T) {
	for _, mode := range []Mode{Once, Crash} {
		var got []string
		Sweep(t, mode, nil, func(t *testing.T, f *Faults) {
			dir, commits := t.TempDir(), 0
			if err := os.WriteFile(filepath.Join(dir, "old"), nil, 0o600); err != nil {
				t.Fatal(err)
			}
			err := job(f, dir, &commits)
			step, fired := f.Fired()
			if fired != errors.Is(err, ErrInjected) {
				t.Errorf("fired %v at %q, error %v", fired, step, err)
			}
			got = append(got, strings.TrimSpace(string(step.Op)+": "+outcome(t, dir, commits)))
		})
		want := []string{
			"create: old", "write: old", "close: old", "closed: new old",
			"commit: new old", "committed: new old committed",
			"open: new old committed", "read: new old committed", "read: new old committed",
			"remove: new old committed", "removed: new committed",
			": new committed",
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("mode %d (-want +got):\n%s", mode, diff)
		}
	}
}

func TestAfterTheFault(t *testing.T) {
	for _, mode := range []Mode{Once, Crash} {
		dir := t.TempDir()
		f := &Faults{At: 0, Mode: mode, Ops: []Op{Create}}
		fsys := f.IO(iceio.LocalFS{}).(iceio.WriteFileIO)
		if err := fsys.WriteFile(filepath.Join(dir, "a"), nil); !errors.Is(err, ErrInjected) {
			t.Errorf("first: %v", err)
		}
		err := fsys.WriteFile(filepath.Join(dir, "b"), nil)
		if crashed := errors.Is(err, ErrInjected); crashed != (mode == Crash) {
			t.Errorf("mode %d, second: %v", mode, err)
		}
		// Reads are not among the counted kinds, but nobody reads after a crash.
		_, err = fsys.Open(filepath.Join(dir, "b"))
		if crashed := errors.Is(err, ErrInjected); crashed != (mode == Crash) {
			t.Errorf("mode %d, open: %v", mode, err)
		}
	}
}

func TestOpsAreCountedAlone(t *testing.T) {
	dir, commits := t.TempDir(), 0
	f := &Faults{At: -1, Ops: []Op{Commit, Committed}}
	if err := os.WriteFile(filepath.Join(dir, "old"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := job(f, dir, &commits); err != nil {
		t.Fatal(err)
	}
	if f.Count() != 2 {
		t.Errorf("%d steps", f.Count())
	}
	if _, fired := f.Fired(); fired {
		t.Error("fired")
	}
}

func TestListAndStat(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "a"), []byte("abc"), 0o600); err != nil {
		t.Fatal(err)
	}
	for i, op := range []Op{List, Stat} {
		f := &Faults{At: 0, Ops: []Op{op}}
		fsys := f.IO(iceio.LocalFS{})
		walk := func() (names []string, err error) {
			err = fsys.(iceio.ListableIO).WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
				names = append(names, filepath.Base(path))
				return err
			})
			return names, err
		}
		if _, err := walk(); errors.Is(err, ErrInjected) != (i == 0) {
			t.Errorf("%s: walk: %v", op, err)
		}
		if names, err := walk(); err != nil || !slices.Contains(names, "a") {
			t.Errorf("%s: walk again: %q, %v", op, names, err)
		}
		_, err := fsys.(iceio.StatIO).Stat(filepath.Join(dir, "a"))
		if errors.Is(err, ErrInjected) != (i == 1) {
			t.Errorf("%s: stat: %v", op, err)
		}
	}
}
