package catalog_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	iceio "github.com/apache/iceberg-go/io"

	"github.com/firndb/firn/catalog"
	"github.com/firndb/firn/internal/faultio"
)

// Large files go to an object store in few parts, small ones in one request.
func TestCreate(t *testing.T) {
	for _, c := range []struct {
		bytes int
		want  []string
	}{
		{0, []string{"PUT"}},
		{100, []string{"PUT"}},
		{64 << 20, []string{"PUT"}},
		{64<<20 + 1, []string{"POST uploads", "PUT 1", "PUT 2", "POST"}},
		{150 << 20, []string{"POST uploads", "PUT 1", "PUT 2", "PUT 3", "POST"}},
	} {
		s := faultio.NewS3(t, "lake")
		f := create(t, s)
		want := sha256.New()
		for block, left := make([]byte, 1<<20), c.bytes; left > 0; left -= len(block) {
			block = block[:min(len(block), left)]
			block[0] = byte(left >> 20)
			want.Write(block)
			if _, err := f.Write(block); err != nil {
				t.Fatal(err)
			}
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
		if got := uploadSteps(s); !slices.Equal(got, c.want) {
			t.Errorf("%d bytes: %q, want %q", c.bytes, got, c.want)
		}
		object, err := s.GetObject("lake", "data/f.parquet", nil)
		if err != nil {
			t.Fatal(err)
		}
		got := sha256.New()
		if n, err := io.Copy(got, object.Contents); n != int64(c.bytes) || err != nil || !bytes.Equal(got.Sum(nil), want.Sum(nil)) {
			t.Errorf("%d bytes: read back %d, or others: %v", c.bytes, n, err)
		}
	}
}

// An upload that is given up leaves neither an object nor parts.
func TestAbort(t *testing.T) {
	for _, written := range []int{1, 80 << 20, 140 << 20} {
		s := faultio.NewS3(t, "lake")
		f := create(t, s)
		if _, err := f.Write(make([]byte, written)); err != nil {
			t.Fatal(err)
		}
		f.Abort()
		if keys := s.Keys(t, "lake"); len(keys) > 0 {
			t.Errorf("%d bytes: objects %q", written, keys)
		}
		steps := uploadSteps(s)
		if slices.Contains(steps, "POST uploads") != slices.Contains(steps, "DELETE") {
			t.Errorf("%d bytes: %q", written, steps)
		}
	}
}

// So does one whose statement is killed, or whose store fails, in the middle.
func TestUploadFails(t *testing.T) {
	for name, fail := range map[string]func(s *faultio.S3, cancel func()){
		"killed":  func(_ *faultio.S3, cancel func()) { cancel() },
		"refused": func(s *faultio.S3, _ func()) { s.Refuse("partNumber") },
	} {
		s := faultio.NewS3(t, "lake")
		ctx, cancel := context.WithCancel(t.Context())
		f, err := catalog.Create(ctx, s.Store(t, "lake").(iceio.WriteFileIO), "s3://lake/data/f.parquet")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.Write(make([]byte, 70<<20)); err != nil {
			t.Fatal(err)
		}
		fail(s, cancel)
		if err := f.Close(); err == nil {
			t.Errorf("%s: the file was closed", name)
		}
		if keys := s.Keys(t, "lake"); len(keys) > 0 {
			t.Errorf("%s: objects %q", name, keys)
		}
		if steps := uploadSteps(s); steps[len(steps)-1] != "DELETE" {
			t.Errorf("%s: %q", name, steps)
		}
		cancel()
	}
}

func TestAbortLocal(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f")
	f, err := catalog.Create(context.Background(), iceio.LocalFS{}, path)
	if err != nil {
		t.Fatal(err)
	}
	f.Abort()
	if _, err := f.Write([]byte("x")); err == nil {
		t.Error("an aborted file was written to")
	}
	if err := os.Remove(path); err != nil {
		t.Error(err)
	}
}

func create(t *testing.T, s *faultio.S3) catalog.Upload {
	t.Helper()
	f, err := catalog.Create(context.Background(), s.Store(t, "lake").(iceio.WriteFileIO), "s3://lake/data/f.parquet")
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// uploadSteps are the requests that send a file: their methods, and of parts
// their numbers, in which they are sorted.
func uploadSteps(s *faultio.S3) []string {
	var steps []string
	for _, r := range s.Requests() {
		method, query, _ := strings.Cut(r, " ")
		_, part, isPart := strings.Cut(query, "partNumber=")
		switch {
		case method == "GET" || method == "HEAD":
			continue
		case isPart:
			number, _, _ := strings.Cut(part, "&")
			method += " " + number
		case strings.HasPrefix(query, "uploads"):
			method += " uploads"
		}
		steps = append(steps, method)
	}
	return steps
}
