package journal

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Names are the UUIDs in the names of files of runs.
type Names map[string]bool

// uuidLength is that of a UUID as text.
const uuidLength = 36

// In says whether a file's name has one of the UUIDs in it.
func (n Names) In(file string) bool {
	if len(n) == 0 {
		return false
	}
	for i := 0; i+uuidLength <= len(file); i++ {
		if id := file[i : i+uuidLength]; id[8] == '-' && id[13] == '-' && n[id] {
			return true
		}
	}
	return false
}

// mostRelists is how often the folder is listed again because a process has begun
// a new file meanwhile.
const mostRelists = 100

// Live returns what is in the names of files of the runs that are still at work,
// of this process and of the living ones whose journals are in the folder. A file
// of such a run that was there before the call has one of the names.
func (j *Journal) Live() (Names, error) {
	if j == nil {
		return nil, nil
	}
	for range mostRelists {
		names := Names{}
		own := j.running(names)
		if err := others(j.dir, own, names); err == nil {
			return names, nil
		} else if !errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("which runs are at work cannot be told from the journal in %q: %w", j.dir, err)
		}
	}
	return nil, fmt.Errorf("which runs are at work cannot be told: files of the journal in %q change all the time", j.dir)
}

// running adds the names of this process's runs, and returns its file.
func (j *Journal) running(names Names) (path string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	for _, e := range j.entries {
		names.add(&e)
	}
	if j.file != nil {
		path = j.file.path
	}
	return path
}

func (n Names) add(e *Entry) {
	if e.State != Running {
		return
	}
	for _, name := range e.Names {
		n[name] = true
	}
}

// others adds the names of the runs of other processes that live. The error wraps
// fs.ErrNotExist if a file has gone meanwhile.
func others(dir, own string, names Names) error {
	files, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	for _, f := range files {
		path := filepath.Join(dir, f.Name())
		if path == own || !strings.HasSuffix(path, suffix) {
			continue
		}
		if err := alive(path, names); err != nil {
			return fmt.Errorf("%s: %w", f.Name(), err)
		}
	}
	return nil
}

// alive adds the names of the runs in a file, if its process lives.
func alive(path string, names Names) error {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	if lock(f) == nil {
		return nil
	}
	// A line that is being written is of a name that nobody has been given yet.
	entries, _, err := read(f)
	for _, e := range entries {
		names.add(&e)
	}
	return err
}
