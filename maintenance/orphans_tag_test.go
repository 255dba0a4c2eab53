package maintenance

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/firndb/firn/catalog"
	"github.com/firndb/firn/internal/faultio"
)

// tagRequests counts the requests that change tags.
func tagRequests(s *faultio.S3) (n int) {
	for _, r := range s.Requests() {
		if strings.HasPrefix(r, "PUT ") && strings.Contains(r, "tagging") {
			n++
		}
	}
	return n
}

// TestTagFiles is of field reports, 37: other tags stay, what has the tag is left
// alone, a busy store is asked again, what is not there is no failure, what cannot be
// tagged is.
func TestTagFiles(t *testing.T) {
	s := faultio.NewS3(t, "a", "b")
	keys := numbered(40)
	s.Put(t, "a", keys...)
	s.Put(t, "b", "x/ü %41 +")
	mine, ours := faultio.Tag{Key: "team", Value: "<a> & b"}, faultio.Tag{Key: OrphanTag, Value: OrphanTagValue}
	s.SetTags("a", keys[0], mine)
	s.SetTags("a", keys[1], mine, ours)
	s.SetTags("a", keys[2], faultio.Tag{Key: OrphanTag, Value: "false"})
	var many []faultio.Tag
	for i := range 10 {
		many = append(many, faultio.Tag{Key: fmt.Sprint(i)})
	}
	s.SetTags("a", keys[3], many...)
	s.Stick(keys[4])
	s.Busy(5)
	pauses := 0
	env := Env{Wait: faultio.NoWait(&pauses)}
	paths := append(pathsIn("a", append(slices.Clone(keys), "missing")...), "s3a://b/x/ü %41 +", "gs://a/b", "s3://a")
	got, err := env.tagFiles(t.Context(), catalog.TaggerOf(s.Store(t, "a")), paths, 4)
	if err != nil || len(got.Removed) != 40 || !slices.Equal(failedPaths(got), append(pathsIn("a", keys[3:5]...), "gs://a/b", "s3://a")) {
		t.Errorf("%d tagged (%v), failed %v", len(got.Removed), err, got.Failed)
	}
	if n := tagRequests(s); pauses != 5 || n < 38 || n > 38+5 {
		t.Errorf("%d pauses, %d requests change tags", pauses, n)
	}
	for key, want := range map[string][]faultio.Tag{keys[0]: {mine, ours}, keys[1]: {mine, ours}, keys[2]: {ours}, keys[3]: many, keys[4]: nil, keys[5]: {ours}} {
		if tags := s.Tags("a", key); !slices.Equal(tags, want) {
			t.Errorf("%s has the tags %v, want %v", key, tags, want)
		}
	}
	if tags := s.Tags("b", "x/ü %41 +"); !slices.Equal(tags, []faultio.Tag{ours}) || len(s.Keys(t, "a")) != 40 {
		t.Errorf("tags %v, %d objects", tags, len(s.Keys(t, "a")))
	}
	before := tagRequests(s)
	if got, err := env.tagFiles(t.Context(), catalog.TaggerOf(s.Store(t, "a")), pathsIn("a", keys[:3]...), 4); err != nil || len(got.Removed) != 3 || tagRequests(s) != before {
		t.Errorf("again: %+v (%v), %d requests more", got, err, tagRequests(s)-before)
	}
}

func TestTagFilesWithoutTags(t *testing.T) {
	s := faultio.NewS3(t, "a")
	keys := numbered(3)
	s.Put(t, "a", keys...)
	s.Refuse("tagging")
	tagger := catalog.TaggerOf(s.Store(t, "a"))
	if _, err := (Env{}).tagFiles(t.Context(), tagger, pathsIn("a", keys...), 1); !errors.Is(err, ErrUnsupported) || len(s.Requests()) != 1 {
		t.Errorf("%v after %d requests", err, len(s.Requests()))
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if got, err := (Env{}).tagFiles(ctx, tagger, pathsIn("a", keys...), 1); err != nil || len(got.Failed) != 3 || !errors.Is(got.Failed[0].Err, context.Canceled) {
		t.Errorf("cancelled: %+v, %v", got, err)
	}
}
