package journal

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestLive has runs at work in this and another process, ended ones and one of a
// dead process.
func TestLive(t *testing.T) {
	h := newHost(t)
	j, other, dead := h.open(), h.open(), h.open()
	own := begin(j).DataName().String()
	meta, _ := begin(other).MetadataName()
	ended, unknown := begin(j), begin(other)
	gone := []string{ended.DataName().String(), unknown.DataName().String(), begin(dead).DataName().String()}
	ended.End()
	unknown.Try(1, "base")
	unknown.Tried(NotKnown)
	unknown.End()
	die(dead)
	for name, process := range map[string]*Journal{"own": j, "other": other, "new": h.open()} {
		live, err := process.Live()
		if err != nil {
			t.Fatal(err)
		}
		for _, id := range []string{own, meta.String()} {
			if !live.In("s3://b/t/data/00000-0-" + id + "-00001.parquet") {
				t.Errorf("%s: %s is at work, and not in %v", name, id, live)
			}
		}
		for _, id := range gone {
			if live.In(id) {
				t.Errorf("%s: %s is not at work, and in %v", name, id, live)
			}
		}
		if live.In("") || live.In(strings.Repeat("-", 80)) || live.In(own[1:]) {
			t.Errorf("%s: other names are in %v", name, live)
		}
	}
	if entries := h.open().Adopt(); len(entries) != 1 {
		t.Errorf("%d entries of dead processes are left, want 1", len(entries))
	}
}

// TestLiveFollowsANewFile lets a process begin a new file, which has all runs.
func TestLiveFollowsANewFile(t *testing.T) {
	h := newHost(t)
	j := h.open()
	j.compactAt = 1
	r := begin(j)
	first := r.DataName().String()
	second := r.DataName().String()
	live, err := h.open().Live()
	if err != nil || !live.In(first) || !live.In(second) || len(live) != 2 {
		t.Errorf("got %v, %v, want %s and %s", live, err, first, second)
	}
}

// TestLiveCannotBeTold is of a living process with another format.
func TestLiveCannotBeTold(t *testing.T) {
	h := newHost(t)
	if err := os.MkdirAll(h.dir, 0o755); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(h.dir, "x"+suffix)
	if err := os.WriteFile(path, []byte("firn-journal 2\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if live, err := h.open().Live(); err != nil || len(live) > 0 {
		t.Errorf("of a dead process: %v, %v", live, err)
	}
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := lock(f); err != nil {
		t.Fatal(err)
	}
	if live, err := h.open().Live(); err == nil || !strings.Contains(err.Error(), "another format") {
		t.Errorf("of a living process: %v, %v", live, err)
	}
}
