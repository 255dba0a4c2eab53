package journal

import (
	"sync"

	"github.com/google/uuid"
)

// Run is one execution of a job. A nil Run works without a journal. It may be
// used from several goroutines.
type Run struct {
	journal *Journal
	mu      sync.Mutex
	entry   Entry
	// kept says that the entry is in the journal.
	kept bool
	// meta is in the names of metadata files, of which there are count, of so many
	// drafts.
	meta          uuid.UUID
	drafts, count int
}

// Begin begins a run. Nothing is written until it has something to say. The
// journal may be nil.
func (j *Journal) Begin(about Subject) *Run {
	r := &Run{journal: j, meta: uuid.New()}
	r.entry = Entry{ID: uuid.NewString(), Subject: about, State: Running}
	if j != nil {
		r.entry.Started = j.now().UTC()
	}
	return r
}

// Describe says which table the run is about and below which places its files
// are. It comes before anything else; only the first counts.
func (r *Run) Describe(table []string, id string, places []string) {
	if r == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.entry.Table == nil {
		r.entry.Table, r.entry.UUID, r.entry.Places = table, id, places
	}
}

// DataName returns a UUID that the names of data files are to have. They may be
// written once it returns.
func (r *Run) DataName() uuid.UUID {
	name := uuid.New()
	if r == nil {
		return name
	}
	r.change(true, func(e *Entry) { e.Names = append(e.Names, name.String()) })
	return name
}

// MetadataName returns the UUID that the names of all metadata files of the run
// have, which may be written once it returns, and how often it has been asked.
func (r *Run) MetadataName() (name uuid.UUID, draft int) {
	r.mu.Lock()
	r.drafts++
	draft = r.drafts
	r.mu.Unlock()
	if draft == 1 {
		r.change(true, func(e *Entry) { e.Names = append(e.Names, r.meta.String()) })
	}
	return r.meta, draft
}

// Count returns 0, 1, 2 … for telling the metadata files of the run apart.
func (r *Run) Count() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.count++
	return r.count - 1
}

// Try says that a commit is about to be tried.
func (r *Run) Try(snapshot int64, base string) {
	r.change(true, func(e *Entry) { e.Attempts = append(e.Attempts, Attempt{Snapshot: snapshot, Base: base}) })
}

// Tried says what became of the last try.
func (r *Run) Tried(o Outcome) {
	r.change(o == NotKnown, func(e *Entry) {
		if n := len(e.Attempts); n > 0 {
			e.Attempts[n-1].Outcome = o
		}
	})
}

// Free says that files which a commit set free are about to be deleted, and with
// nil that they have been.
func (r *Run) Free(files *Freed) {
	r.change(files != nil, func(e *Entry) { e.Freed = files })
}

// LeaveBehind says that a file of the run could not be removed.
func (r *Run) LeaveBehind() {
	r.change(false, func(e *Entry) { e.State = Leftover })
}

// End says that the run has ended and its files are either part of the table or
// removed, unless something else was said before. A run that panics is not to be
// ended.
func (r *Run) End() {
	if r == nil || r.journal == nil {
		return
	}
	r.mu.Lock()
	kept := r.kept
	r.mu.Unlock()
	if !kept {
		return
	}
	r.change(true, func(e *Entry) {
		unknown := false
		for _, a := range e.Attempts {
			unknown = unknown || a.Outcome == NotKnown
		}
		switch {
		case unknown:
			e.State = Unknown
		case e.Freed != nil:
			e.State = Leftover
		case e.State == Running:
			e.State = done
		}
	})
}

// change changes the entry, on disk too; durable is for what must be there
// before an effect.
func (r *Run) change(durable bool, how func(*Entry)) {
	if r == nil || r.journal == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	how(&r.entry)
	r.entry.Changed = r.journal.now().UTC()
	r.kept = true
	r.journal.put(r.entry.clone(), durable && r.entry.State != done)
}
