package fetched

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	iceio "github.com/apache/iceberg-go/io"
	"golang.org/x/sync/errgroup"

	"github.com/firndb/firn/maintenance"
	"github.com/firndb/firn/maintenance/internal/scratch"
)

// counting counts the bytes that are read of files.
type counting struct {
	iceio.LocalFS
	mu   sync.Mutex
	read map[string]int
	// opened is how often files were opened.
	opened int
}

func (c *counting) Open(path string) (iceio.File, error) {
	f, err := c.LocalFS.Open(path)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.opened++
	return &counted{f, c, path}, err
}

type counted struct {
	iceio.File
	c    *counting
	path string
}

func (f *counted) add(n int) {
	f.c.mu.Lock()
	defer f.c.mu.Unlock()
	f.c.read[f.path] += n
}

func (f *counted) Read(b []byte) (int, error) {
	n, err := f.File.Read(b)
	f.add(n)
	return n, err
}

func (f *counted) ReadAt(b []byte, at int64) (int, error) {
	n, err := f.File.ReadAt(b, at)
	f.add(n)
	return n, err
}

// made is a file system with one file of random bytes.
func made(t *testing.T, size int, most int64) (*counting, *FS, *scratch.Space, string, []byte) {
	t.Helper()
	content := make([]byte, size)
	for i := range content {
		content[i] = byte(rand.IntN(256))
	}
	path := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	c := &counting{read: map[string]int{}}
	space := scratch.Folder(t.TempDir(), most, time.Now())
	return c, New(c, space, 1000), space, path, content
}

func readAll(t *testing.T, fs *FS, path string) []byte {
	t.Helper()
	f, err := fs.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	b, err := io.ReadAll(f)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// TestSmallFilesAreFetchedOnce reads a file from several goroutines.
func TestSmallFilesAreFetchedOnce(t *testing.T) {
	c, fs, space, path, content := made(t, 900, 0)
	fs.Add(path, 900)
	var eg errgroup.Group
	for range 8 {
		eg.Go(func() error {
			if got := readAll(t, fs, path); !bytes.Equal(got, content) {
				return errors.New("other bytes")
			}
			return nil
		})
	}
	if err := eg.Wait(); err != nil {
		t.Fatal(err)
	}
	f, err := fs.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if end, err := f.Seek(-10, io.SeekEnd); end != 890 || err != nil {
		t.Errorf("the end is at %d, %v", end, err)
	}
	b := make([]byte, 20)
	if n, err := f.ReadAt(b, 890); n != 10 || err != io.EOF || !bytes.Equal(b[:10], content[890:]) {
		t.Errorf("%d bytes at the end, %v", n, err)
	}
	if c.read[path] != 900 || c.opened != 1 {
		t.Errorf("%d bytes fetched by %d opened files", c.read[path], c.opened)
	}
	if err := fs.Close(); err != nil || space.Used() != 0 {
		t.Errorf("%d bytes of scratch space are left: %v", space.Used(), err)
	}
}

// TestPartsAreFetchedOnce reads parts of a large file in any order.
func TestPartsAreFetchedOnce(t *testing.T) {
	c, fs, _, path, content := made(t, 5000, 0)
	defer fs.Close()
	fs.Add(path, 5000)
	read := func(from, to int) {
		t.Helper()
		f, err := fs.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		b := make([]byte, to-from)
		if _, err := f.ReadAt(b, int64(from)); err != nil || !bytes.Equal(b, content[from:to]) {
			t.Errorf("%d to %d: other bytes, %v", from, to, err)
		}
	}
	for _, part := range [][2]int{{4900, 5000}, {100, 200}, {200, 400}, {150, 180}} {
		read(part[0], part[1])
	}
	if c.read[path] != 400 {
		t.Fatalf("%d bytes fetched", c.read[path])
	}
	read(110, 390)
	read(4950, 4990)
	if c.read[path] != 400 {
		t.Errorf("%d bytes fetched twice", c.read[path]-400)
	}
	fs.Done()
	read(1000, 1100)
	read(1000, 1100)
	read(120, 380)
	if c.read[path] != 600 {
		t.Errorf("%d bytes fetched, of which 100 were not to be kept", c.read[path])
	}
}

// TestOtherFiles is about files that are not read twice, and one whose size is
// not what the manifest says.
func TestOtherFiles(t *testing.T) {
	c, fs, space, path, content := made(t, 900, 0)
	if got := readAll(t, fs, path); !bytes.Equal(got, content) || space.Used() != 0 {
		t.Errorf("%d bytes, %d kept", len(got), space.Used())
	}
	for _, size := range []int64{800, 950} {
		fs.Add(path, size)
		if got := readAll(t, fs, path); !bytes.Equal(got, content) {
			t.Errorf("of %d bytes there are %d", size, len(got))
		}
		f, err := fs.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		if end, err := f.Seek(0, io.SeekEnd); end != 900 || err != nil {
			t.Errorf("the end is at %d, %v", end, err)
		}
		if stat, err := f.Stat(); err != nil || stat.Size() != 900 {
			t.Errorf("%v, %v", stat, err)
		}
		f.Close()
	}
	if c.opened == 0 {
		t.Error("nothing was opened")
	}
	fs.Add(path+"2", 10)
	if _, err := fs.Open(path + "2"); !os.IsNotExist(err) {
		t.Errorf("a file that is not there: %v", err)
	}
}

func TestNoRoom(t *testing.T) {
	_, fs, _, path, _ := made(t, 900, 100)
	fs.Add(path, 900)
	if _, err := fs.Open(path); !errors.Is(err, maintenance.ErrRefused) {
		t.Errorf("got %v", err)
	}
}
