package maintenance

import (
	"context"
	"fmt"
	"log/slog"
	"runtime"
	"time"

	"github.com/firndb/firn/catalog"
	"github.com/firndb/firn/maintenance/journal"
)

// Env is what a job takes from outside.
type Env struct {
	// Catalog holds the table.
	Catalog *catalog.Catalog
	// Now is the clock.
	Now func() time.Time
	// Wait pauses for d or until ctx is done, whose error it then returns; nil
	// means a timer.
	Wait func(ctx context.Context, d time.Duration) error
	// Log gets what an operator may want to know; results go to the caller.
	Log *slog.Logger
	// Warn is told what went wrong without failing the job, by one goroutine at a
	// time; nil means that only Log is.
	Warn func(message string)
	// Progress is told how far a job has come; nil means nobody asks.
	Progress Progress
	// Committed is told the id of each snapshot that a job has made part of the
	// table; nil means nobody asks.
	Committed func(snapshot int64)
	// Limits bound a job's resources.
	Limits Limits
	// Journal is told what jobs are about to write; nil keeps none.
	Journal *journal.Journal
	// Run is the job's entry there: see [Begin].
	Run *journal.Run
}

// Progress receives how far a job has come. It may be called from several
// goroutines and must return at once.
type Progress func(Update)

// Update is how far a job has come: units done of all units, in groups or
// files, and in bytes.
type Update struct {
	// Phase is one of the Phase constants, or a few words.
	Phase                 string
	Done, Total           int
	DoneBytes, TotalBytes int64
	// Files is how many files the whole job is about, 0 if that is not known.
	Files int
	// Snapshot is the id that a commit is about to add.
	Snapshot int64
}

// The phases in which a job changes something.
const (
	PhaseRewrite   = "rewrite"
	PhaseManifests = "writing manifests"
	PhaseCommit    = "commit"
	PhaseRemove    = "removing files"
)

// Report tells progress, if anyone asks.
func (e Env) Report(u Update) {
	if e.Progress != nil {
		e.Progress(u)
	}
}

// Warnf tells a warning, if anyone asks.
func (e Env) Warnf(format string, args ...any) {
	if e.Warn != nil {
		e.Warn(fmt.Sprintf(format, args...))
	}
}

// Limits bound a job. Zero fields take the value of DefaultLimits.
type Limits struct {
	// MemoryBytes is the ceiling of a job's buffers.
	MemoryBytes int64
	// Concurrency is how many units of computing, such as groups, run at once.
	// Reading metadata and removing files wait rather than compute: of these
	// several times as many run at once.
	Concurrency int
	// ScratchDir is the folder for rows that are sorted and do not fit into
	// memory; empty means the system's folder for temporary files.
	ScratchDir string
	// ScratchBytes is how many bytes a job may have there; 0 means that only the
	// free space bounds it.
	ScratchBytes int64
	// OrphanAge is how old a file must be to be removed as an orphan; 0 means 24
	// hours. Less is safe only if every writer commits its files within it.
	OrphanAge time.Duration
}

// DefaultLimits allows 1 GiB and one unit of work per processor.
func DefaultLimits() Limits {
	return Limits{MemoryBytes: 1 << 30, Concurrency: runtime.GOMAXPROCS(0)}
}

// memory is the ceiling of a job's buffers.
func (l Limits) memory() int64 {
	if l.MemoryBytes > 0 {
		return l.MemoryBytes
	}
	return DefaultLimits().MemoryBytes
}
