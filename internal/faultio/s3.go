package faultio

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	iceio "github.com/apache/iceberg-go/io"
	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"
)

// S3 is an S3 server in memory that can be made to refuse requests. It is safe
// for concurrent use.
type S3 struct {
	*s3mem.Backend
	url string

	mu       sync.Mutex
	requests []string
	busy     int
	busyKeys map[string]int
	stuck    map[string]bool
	refused  string
	held     chan struct{}
	tags     map[string][]Tag
}

// NewS3 starts a server with empty buckets that lives as long as the test.
func NewS3(t testing.TB, buckets ...string) *S3 {
	t.Helper()
	s := &S3{Backend: s3mem.New(), busyKeys: map[string]int{}, stuck: map[string]bool{}}
	server := httptest.NewServer(s.before(t, gofakes3.New(s, gofakes3.WithTimeSkewLimit(0), gofakes3.WithoutVersioning()).Server()))
	t.Cleanup(server.Close)
	s.url = server.URL
	for _, bucket := range buckets {
		if err := s.CreateBucket(bucket); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

// Properties are those of a catalog or file system that uses the server.
func (s *S3) Properties() map[string]string {
	return map[string]string{
		"s3.endpoint": s.url, "s3.region": "us-east-1", "s3.access-key-id": "a", "s3.secret-access-key": "b",
	}
}

// Store is the file system of a bucket.
func (s *S3) Store(t testing.TB, bucket string) iceio.IO {
	t.Helper()
	store, err := iceio.LoadFS(context.Background(), s.Properties(), "s3://"+bucket+"/")
	if err != nil {
		t.Fatal(err)
	}
	return store
}

// Put makes objects, each of one byte.
func (s *S3) Put(t testing.TB, bucket string, keys ...string) {
	t.Helper()
	for _, key := range keys {
		if _, err := s.PutObject(bucket, key, map[string]string{}, strings.NewReader("x"), 1, nil); err != nil {
			t.Fatal(err)
		}
	}
}

// Keys are those of a bucket, sorted.
func (s *S3) Keys(t testing.TB, bucket string) []string {
	t.Helper()
	list, err := s.ListBucket(bucket, &gofakes3.Prefix{}, gofakes3.ListBucketPage{})
	if err != nil {
		t.Fatal(err)
	}
	var keys []string
	for _, o := range list.Contents {
		keys = append(keys, o.Key)
	}
	slices.Sort(keys)
	return keys
}

// Busy answers the next n requests with 503 SlowDown.
func (s *S3) Busy(n int) { s.set(func() { s.busy = n }) }

// BusyKey answers SlowDown for one object, so often, when many are removed.
func (s *S3) BusyKey(key string, n int) { s.set(func() { s.busyKeys[key] = n }) }

// Stick refuses to remove objects.
func (s *S3) Stick(keys ...string) {
	s.set(func() {
		for _, key := range keys {
			s.stuck[key] = true
		}
	})
}

// Free removes all objects again that it is asked to.
func (s *S3) Free() { s.set(func() { clear(s.stuck) }) }

// Refuse answers requests whose query has a word, such as "delete", with
// NotImplemented.
func (s *S3) Refuse(word string) { s.set(func() { s.refused = word }) }

// Hold keeps requests waiting until they are given up.
func (s *S3) Hold() { s.set(func() { s.held = make(chan struct{}) }) }

// Requests are the methods and queries of the requests so far.
func (s *S3) Requests() (requests []string) {
	s.set(func() { requests = slices.Clone(s.requests) })
	return requests
}

func (s *S3) set(change func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	change()
}

func (s *S3) before(t testing.TB, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		s.requests = append(s.requests, r.Method+" "+r.URL.RawQuery)
		busy, refused, held := s.busy > 0, s.refused != "" && r.URL.Query().Has(s.refused), s.held
		if busy {
			s.busy--
		}
		s.mu.Unlock()
		switch {
		case held != nil:
			// A client that hangs up is noticed once its request has been read.
			body, _ := io.ReadAll(r.Body)
			r.Body = io.NopCloser(bytes.NewReader(body))
			<-r.Context().Done()
		case busy:
			answer(w, http.StatusServiceUnavailable, "SlowDown")
		case refused:
			answer(w, http.StatusNotImplemented, "NotImplemented")
		case r.URL.Query().Has("tagging"):
			s.serveTags(t, w, r)
		default:
			next.ServeHTTP(w, r)
		}
	})
}

func answer(w http.ResponseWriter, status int, code string) {
	w.Header().Set("Content-Type", "application/xml")
	w.WriteHeader(status)
	_, _ = io.WriteString(w, "<Error><Code>"+code+"</Code><Message>injected</Message></Error>")
}

// DeleteMulti removes the objects that are not to be refused.
func (s *S3) DeleteMulti(bucket string, keys ...string) (gofakes3.MultiDeleteResult, error) {
	var refused []gofakes3.ErrorResult
	keep := slices.DeleteFunc(slices.Clone(keys), func(key string) bool {
		code := s.refusal(key)
		if code != "" {
			refused = append(refused, gofakes3.ErrorResult{Key: key, Code: gofakes3.ErrorCode(code), Message: "injected"})
		}
		return code != ""
	})
	result, err := s.Backend.DeleteMulti(bucket, keep...)
	result.Error = append(result.Error, refused...)
	return result, err
}

func (s *S3) refusal(key string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stuck[key] {
		return "AccessDenied"
	}
	if s.busyKeys[key] > 0 {
		s.busyKeys[key]--
		return "SlowDown"
	}
	return ""
}

// NoWait pauses not at all and counts how often it was asked to.
func NoWait(pauses *int) func(ctx context.Context, d time.Duration) error {
	var mu sync.Mutex
	return func(ctx context.Context, d time.Duration) error {
		mu.Lock()
		defer mu.Unlock()
		*pauses++
		return ctx.Err()
	}
}
