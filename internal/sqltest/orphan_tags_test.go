package sqltest

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/firndb/firn/internal/faultio"
	"github.com/firndb/firn/internal/lakefixture"
)

// TestOrphansAreTagged is of field reports, 37: what a dry run lists is tagged, no
// object goes, what could not be tagged is told and is tagged by the next call, which
// changes nothing else; and tagged files are deleted like others.
func TestOrphansAreTagged(t *testing.T) {
	s, store := stickyLake(t)
	const call = "CALL lake.system.remove_orphan_files(table => 'ops.orphans', mode => 'tag'%s)"
	before := store.Keys(t, lakefixture.Bucket)
	orphans := s.answer(t, fmt.Sprintf(call, ", dry_run => true"))
	paths := strings.Split(orphans, "\n")
	if plan := s.answer(t, "EXPLAIN "+fmt.Sprintf(call, "")); strings.Count(plan, "\ttag\ts3://") != len(paths) || strings.Count(plan, "gets the tag firn-orphan = true") != len(paths) {
		t.Errorf("the plan for %d files is\n%s", len(paths), plan)
	}
	tagging := func() (n int) {
		for _, r := range store.Requests() {
			if strings.Contains(r, "tagging") {
				n++
			}
		}
		return n
	}
	if tagging() > 0 {
		t.Error("a preview asks for tags")
	}
	keys := make([]string, len(paths))
	for i, path := range paths {
		keys[i] = strings.TrimPrefix(path, "s3://"+lakefixture.Bucket+"/")
	}
	other, ours := faultio.Tag{Key: "team", Value: "a"}, faultio.Tag{Key: "firn-orphan", Value: "true"}
	store.SetTags(lakefixture.Bucket, keys[0], other)
	store.Stick(keys[1])
	if got := s.answer(t, fmt.Sprintf(call, "")); got != orphans {
		t.Errorf("tagged are\n%s\nand planned\n%s", got, orphans)
	}
	if warnings := s.answer(t, "SHOW WARNINGS"); !strings.Contains(warnings, "1 files could not be tagged") || !strings.Contains(warnings, "not tagged: "+paths[1]+": ") {
		t.Errorf("warnings\n%s", warnings)
	}
	for _, key := range before {
		var want []faultio.Tag
		switch i := slices.Index(keys, key); {
		case i == 0:
			want = []faultio.Tag{other, ours}
		case i > 1:
			want = []faultio.Tag{ours}
		}
		if got := store.Tags(lakefixture.Bucket, key); !slices.Equal(got, want) {
			t.Errorf("%s has the tags %v, want %v", key, got, want)
		}
	}
	store.Free()
	n := tagging()
	if got := s.answer(t, fmt.Sprintf(call, "")); got != orphans || tagging()-n != len(keys)+1 || s.answer(t, "SHOW WARNINGS") != "" {
		t.Errorf("with %d requests the second call gives\n%s", tagging()-n, got)
	}
	if after := store.Keys(t, lakefixture.Bucket); !slices.Equal(after, before) {
		t.Errorf("there were %q and are %q", before, after)
	}
	if got := s.answer(t, "CALL lake.system.remove_orphan_files('ops.orphans')"); got != orphans || len(store.Keys(t, lakefixture.Bucket)) != len(before)-len(keys) {
		t.Errorf("deleted are\n%s", got)
	}
}
