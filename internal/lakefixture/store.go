package lakefixture

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"
)

// written is the date of every object that modified.txt does not name.
var written = time.Date(2026, 11, 30, 3, 37, 0, 0, time.UTC)

// object is one object of the bucket: of the lake as it was when content is
// nil, else written since.
type object struct {
	size     int64
	modified time.Time
	content  []byte
}

// store is the bucket: the files below a folder, and what was changed since.
// It is safe for concurrent use.
type store struct {
	dir string

	mu      sync.RWMutex
	objects map[string]object
}

// newStore returns the bucket whose objects are the files below dir/wh.
func newStore(dir string) (*store, error) {
	s := &store{dir: dir, objects: map[string]object{}}
	err := filepath.WalkDir(filepath.Join(dir, "wh"), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		key, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		s.objects[filepath.ToSlash(key)] = object{size: info.Size(), modified: written}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return s, s.readDates(filepath.Join(dir, "modified.txt"))
}

func (s *store) readDates(path string) error {
	content, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	lines := bufio.NewScanner(bytes.NewReader(content))
	for lines.Scan() {
		if strings.HasPrefix(lines.Text(), "#") {
			continue
		}
		date, key, _ := strings.Cut(lines.Text(), " ")
		o, ok := s.objects[key]
		if !ok {
			return fmt.Errorf("%s: no object %q", path, key)
		}
		if o.modified, err = time.Parse(time.RFC3339, date); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		s.objects[key] = o
	}
	return lines.Err()
}

// keys lists the objects whose keys begin with prefix, sorted.
func (s *store) keys(prefix string) []string {
	s.mu.RLock()
	defer s.mu.RUnlock()
	var keys []string
	for key := range s.objects {
		if strings.HasPrefix(key, prefix) {
			keys = append(keys, key)
		}
	}
	slices.Sort(keys)
	return keys
}

// paths lists the s3 paths of the objects below a table's location.
func (s *store) paths(location string) []string {
	root := "s3://" + Bucket + "/"
	keys := s.keys(strings.TrimPrefix(strings.TrimSuffix(location, "/"), root) + "/")
	for i, key := range keys {
		keys[i] = root + key
	}
	return keys
}

// stat returns an object without its content. The error is fs.ErrNotExist.
func (s *store) stat(key string) (object, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	o, ok := s.objects[key]
	if !ok {
		return object{}, fmt.Errorf("object %q: %w", key, fs.ErrNotExist)
	}
	return o, nil
}

// get returns an object's content, which the caller must not change.
func (s *store) get(key string) ([]byte, error) {
	o, err := s.stat(key)
	if err != nil {
		return nil, err
	}
	if o.content != nil {
		return o.content, nil
	}
	return os.ReadFile(filepath.Join(s.dir, filepath.FromSlash(key)))
}

// put writes an object; the store keeps content.
func (s *store) put(key string, content []byte) {
	if content == nil {
		content = []byte{}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.objects[key] = object{size: int64(len(content)), modified: time.Now().UTC(), content: content}
}

// putIf writes an object if allowed says so of what is there now.
func (s *store) putIf(key string, content []byte, allowed func(exists bool) error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, exists := s.objects[key]
	if err := allowed(exists); err != nil {
		return err
	}
	s.objects[key] = object{size: int64(len(content)), modified: time.Now().UTC(), content: content}
	return nil
}

// remove deletes an object if it is there.
func (s *store) remove(key string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.objects, key)
}

var errReadOnly = errors.New("the view of the lake is for reading only")
