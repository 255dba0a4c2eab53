package journal

import (
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// Adopt takes over the entries of dead processes and returns all entries about
// which something may have to be done and whose runs do not run, oldest first. A
// file that cannot be read or taken over now is left for the next time, and
// that is logged.
func (j *Journal) Adopt() []Entry {
	if j == nil {
		return nil
	}
	files, err := os.ReadDir(j.dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		j.log.Warn("journal cannot be read", "folder", j.dir, "error", err)
	}
	for _, f := range files {
		path := filepath.Join(j.dir, f.Name())
		if !strings.HasSuffix(strings.TrimSuffix(path, newborns), suffix) {
			continue
		}
		if err := j.adopt(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			j.log.Warn("journal of another process cannot be taken over", "file", path, "error", err)
		}
	}
	j.mu.Lock()
	j.forget()
	j.mu.Unlock()
	var idle []Entry
	for _, e := range j.Entries() {
		if e.open() && e.State != Running {
			idle = append(idle, e)
		}
	}
	return idle
}

// adopt takes over the file at path if its process is dead.
func (j *Journal) adopt(path string) error {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	if lock(f) != nil {
		return nil
	}
	// Whoever had the lock before may have taken the file away.
	mine, err := f.Stat()
	if err != nil {
		return err
	}
	if there, err := os.Stat(path); err != nil || !os.SameFile(mine, there) {
		return err
	}
	if strings.HasSuffix(path, newborns) {
		if j.now().Sub(mine.ModTime()) < time.Hour {
			return nil // it may be about to be locked
		}
		return os.Remove(path)
	}
	entries, damaged, err := read(f)
	if err != nil {
		return err
	}
	if damaged > 0 {
		j.log.Warn("journal of a dead process is damaged; files of its jobs may stay until remove_orphan_files is called", "file", path, "lines", damaged)
	}
	if err := j.take(entries); err != nil {
		return err
	}
	return os.Remove(path)
}

// take puts the entries of a dead process into the journal.
func (j *Journal) take(entries map[string]Entry) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	var all []Entry
	before := maps.Clone(j.entries)
	for id, e := range entries {
		if known, ok := j.entries[id]; ok && !known.Changed.Before(e.Changed) {
			continue
		}
		if e.State == Running {
			e.State = Interrupted
		}
		all = append(all, e)
		j.entries[id] = e
	}
	if len(all) == 0 {
		return nil
	}
	err := j.write(true, all...)
	if err != nil {
		j.entries = before
	}
	return err
}
