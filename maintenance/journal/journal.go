package journal

import (
	"cmp"
	"log/slog"
	"maps"
	"os"
	"slices"
	"sync"
	"time"
)

// Journal is the entries of this process and those that it adopted. It is safe
// for concurrent use. A nil Journal keeps nothing.
type Journal struct {
	dir string
	now func() time.Time
	log *slog.Logger

	mu      sync.Mutex
	entries map[string]Entry
	// file is the process's own, nil before there is something to write.
	file *file
	// compactAt is the length at which it is written anew.
	compactAt int64
	closed    bool
	// create makes files; tests have their own.
	create func(dir string) (*file, error)
}

// Bounds of what is kept: entries that are only there to be read, and the
// length of a file before what is outdated in it goes.
const (
	mostSettled  = 100
	settledFor   = 30 * 24 * time.Hour
	leastCompact = 1 << 20
)

// Open returns the journal in a folder, which need not be there. It reads and
// writes nothing yet.
func Open(dir string, now func() time.Time, log *slog.Logger) *Journal {
	return &Journal{dir: dir, now: now, log: log, entries: map[string]Entry{}, compactAt: leastCompact, create: createFile}
}

// Check makes the journal's file, so that an operator learns at once that it
// cannot be written; that is logged.
func (j *Journal) Check() {
	if j == nil {
		return
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if err := j.ready(); err != nil {
		j.warn(err)
	}
}

// ready makes the file. The caller holds mu.
func (j *Journal) ready() (err error) {
	switch {
	case j.closed:
		return os.ErrClosed
	case j.file == nil:
		j.file, err = j.create(j.dir)
	}
	return err
}

func (j *Journal) warn(err error) {
	j.log.Warn("journal cannot be written; jobs run without, and files of one that is killed stay until remove_orphan_files is called", "folder", j.dir, "error", err)
}

// put keeps an entry and writes it.
func (j *Journal) put(e Entry, durable bool) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if e.State == done {
		delete(j.entries, e.ID)
	} else {
		j.entries[e.ID] = e
	}
	if err := j.write(durable, e); err != nil {
		j.warn(err)
	}
}

// write appends entries to the file, and begins a new one when it has become
// long. The caller holds mu.
func (j *Journal) write(durable bool, entries ...Entry) error {
	if err := j.ready(); err != nil {
		return err
	}
	if err := j.file.append(durable, entries...); err != nil {
		return err
	}
	if j.file.size < j.compactAt {
		return nil
	}
	return j.compact()
}

// compact begins a new file with what is still needed. The caller holds mu.
func (j *Journal) compact() error {
	j.forget()
	next, err := j.create(j.dir)
	if err != nil {
		return err
	}
	if err := next.append(true, j.sorted()...); err != nil {
		next.remove()
		return err
	}
	j.file.remove()
	j.file, j.compactAt = next, max(leastCompact, 2*next.size)
	return nil
}

// forget drops entries that are only there to be read and are old or many. The
// caller holds mu.
func (j *Journal) forget() {
	oldest, settled := j.now().Add(-settledFor), 0
	for _, e := range slices.Backward(j.sorted()) {
		if e.open() {
			continue
		}
		if settled++; settled > mostSettled || e.Checked.Before(oldest) {
			delete(j.entries, e.ID)
		}
	}
}

// sorted are the entries, oldest first. The caller holds mu.
func (j *Journal) sorted() []Entry {
	return slices.SortedFunc(maps.Values(j.entries), func(a, b Entry) int {
		return cmp.Or(a.Started.Compare(b.Started), cmp.Compare(a.ID, b.ID))
	})
}

// Entries are the entries, oldest first.
func (j *Journal) Entries() []Entry {
	if j == nil {
		return nil
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	entries := j.sorted()
	for i := range entries {
		entries[i] = entries[i].clone()
	}
	return entries
}

// Settle puts in what has been found out about a run that does not run: its
// state, its note, the outcomes of its attempts.
func (j *Journal) Settle(e Entry) {
	e.Checked = j.now().UTC()
	j.put(e, true)
}

// Close gives the file back: what is in it is for the next process.
func (j *Journal) Close() error {
	if j == nil {
		return nil
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	j.closed = true
	f := j.file
	j.file = nil
	switch {
	case f == nil:
		return nil
	case len(j.entries) == 0:
		return f.remove()
	}
	return f.close()
}
