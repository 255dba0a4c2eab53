package journal

import (
	"slices"
	"time"
)

// State is what is known of a run.
type State string

// The states of an entry. Settled and Left ones are only there to be read.
const (
	// Running: its process lives and has not ended it.
	Running State = "running"
	// Interrupted: its process died.
	Interrupted State = "interrupted"
	// Unknown: it ended, and whether its commit took place cannot be told.
	Unknown State = "outcome unknown"
	// Leftover: it ended, and files of its own could not be removed.
	Leftover State = "files left over"
	// Settled: nothing of it is left that the table does not need.
	Settled State = "settled"
	// Left: nothing more is done about it; the note says why.
	Left State = "left"

	// done is the state of an entry that is no longer one.
	done State = "done"
)

// Subject is what a run is about.
type Subject struct {
	Procedure string `json:"procedure"`
	// Catalog and Table name the table, UUID is its own.
	Catalog string   `json:"catalog"`
	Table   []string `json:"table"`
	UUID    string   `json:"uuid"`
	// Places are the folders that the run's files are below.
	Places []string `json:"places"`
}

// Entry is what the journal has of a run.
type Entry struct {
	ID string `json:"id"`
	Subject
	State   State     `json:"state"`
	Started time.Time `json:"started"`
	// Changed is when the run last wrote to its entry.
	Changed time.Time `json:"changed"`
	// Checked is when it was last looked at after that.
	Checked time.Time `json:"checked,omitzero"`
	// Names are in the names of all files that the run may have written, each in
	// those of some.
	Names []string `json:"names,omitempty"`
	// Attempts are the commits that it tried, in order.
	Attempts []Attempt `json:"attempts,omitempty"`
	// Freed, if set, says which files it was deleting.
	Freed *Freed `json:"freed,omitempty"`
	// Note says what was found out about it, for a person.
	Note string `json:"note,omitempty"`
}

// Attempt is one try to commit.
type Attempt struct {
	// Snapshot is the id that the commit adds, 0 if it adds none.
	Snapshot int64 `json:"snapshot,omitempty"`
	// Base is the metadata file of the version that it was made for.
	Base    string  `json:"base"`
	Outcome Outcome `json:"outcome,omitempty"`
}

// Outcome is what became of an attempt; empty if nobody has said.
type Outcome string

// The outcomes of attempts.
const (
	Committed  Outcome = "committed"
	Refused    Outcome = "refused"
	NotKnown   Outcome = "unknown"
	NotInTable Outcome = "not in the table"
)

// Freed are the files that a commit set free: those that the snapshots in the
// version Base need and no other does.
type Freed struct {
	Base      string  `json:"base"`
	Snapshots []int64 `json:"snapshots"`
}

// clone is a copy that shares nothing that changes.
func (e *Entry) clone() Entry {
	c := *e
	c.Names, c.Attempts = slices.Clone(e.Names), slices.Clone(e.Attempts)
	return c
}

// open says whether something may have to be done about the run.
func (e *Entry) open() bool { return e.State != Settled && e.State != Left }
