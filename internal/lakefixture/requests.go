package lakefixture

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
)

// Request is one request that reached the S3 server.
type Request struct {
	// Op is GET, HEAD, PUT or DELETE of an object, LIST of a prefix,
	// DELETE-MANY of Count objects, or UPLOAD for the steps of a multipart
	// upload.
	Op string
	// Key is the object's key or the prefix, without the bucket.
	Key string
	// Range is the bytes asked for, as in the HTTP header; empty for all.
	Range string
	// Count is the number of objects of a DELETE-MANY.
	Count int
}

// String shows a request on one line.
func (r Request) String() string {
	switch {
	case r.Op == "DELETE-MANY":
		return fmt.Sprintf("%s %d objects", r.Op, r.Count)
	case r.Range != "":
		return fmt.Sprintf("%s %s %s", r.Op, r.Key, r.Range)
	}
	return r.Op + " " + r.Key
}

// requestLog notes every request and passes it on.
type requestLog struct {
	next http.Handler

	mu   sync.Mutex
	seen []Request
}

func (l *requestLog) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	request := describe(r)
	l.mu.Lock()
	l.seen = append(l.seen, request)
	l.mu.Unlock()
	l.next.ServeHTTP(w, r)
}

// take returns the requests since the last take.
func (l *requestLog) take() []Request {
	l.mu.Lock()
	defer l.mu.Unlock()
	seen := l.seen
	l.seen = nil
	return seen
}

func describe(r *http.Request) Request {
	_, key, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	query := r.URL.Query()
	switch {
	case key == "" && query.Has("delete"):
		return Request{Op: "DELETE-MANY", Count: countKeys(r)}
	case key == "":
		return Request{Op: "LIST", Key: query.Get("prefix")}
	case query.Has("uploads") || query.Has("uploadId"):
		return Request{Op: "UPLOAD", Key: key}
	}
	return Request{Op: r.Method, Key: key, Range: r.Header.Get("Range")}
}

// countKeys counts the objects of a DELETE-MANY and leaves the body in place.
func countKeys(r *http.Request) int {
	body, err := io.ReadAll(r.Body)
	r.Body = io.NopCloser(bytes.NewReader(body))
	if err != nil {
		return 0
	}
	var list struct {
		Object []struct{ Key string }
	}
	if xml.Unmarshal(body, &list) != nil {
		return 0
	}
	return len(list.Object)
}
