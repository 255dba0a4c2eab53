package faultio

import (
	"encoding/xml"
	"net/http"
	"slices"
	"strings"
	"testing"
)

// Tagging is the tags of an object as S3 writes them.
type Tagging struct {
	TagSet []Tag `xml:"TagSet>Tag"`
}

// Tag is a tag of an object.
type Tag struct{ Key, Value string }

// SetTags gives an object tags in place of those that it has.
func (s *S3) SetTags(bucket, key string, tags ...Tag) {
	s.set(func() {
		if s.tags == nil {
			s.tags = map[string][]Tag{}
		}
		s.tags[bucket+"/"+key] = tags
	})
}

// Tags are those of an object.
func (s *S3) Tags(bucket, key string) (tags []Tag) {
	s.set(func() { tags = slices.Clone(s.tags[bucket+"/"+key]) })
	return tags
}

// serveTags answers requests for the tags of objects, which the server does not
// know. An object stays as old as it is.
func (s *S3) serveTags(t testing.TB, w http.ResponseWriter, r *http.Request) {
	bucket, key, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	s.mu.Lock()
	stuck := s.stuck[key]
	s.mu.Unlock()
	var body Tagging
	switch _, err := s.HeadObject(bucket, key); {
	case err != nil:
		answer(w, http.StatusNotFound, "NoSuchKey")
	case stuck:
		answer(w, http.StatusForbidden, "AccessDenied")
	case r.Method == http.MethodPut:
		if err := xml.NewDecoder(r.Body).Decode(&body); err != nil {
			answer(w, http.StatusBadRequest, "MalformedXML")
			return
		}
		s.SetTags(bucket, key, body.TagSet...)
	default:
		w.Header().Set("Content-Type", "application/xml")
		if err := xml.NewEncoder(w).Encode(Tagging{s.Tags(bucket, key)}); err != nil {
			t.Error(err)
		}
	}
}
