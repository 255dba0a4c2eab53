package maintenance

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/apache/iceberg-go/table"

	"github.com/firndb/firn/catalog"
	"github.com/firndb/firn/maintenance/journal"
)

// settleAge is how old a run must be before its files are removed: as old as
// any file that [PlanOrphans] finds, so that a commit of the run that is still on
// its way has had a day to arrive. givenUp is how old one may become that cannot
// be settled, for example because its catalog is not there.
const (
	settleAge = orphanAge
	givenUp   = 30 * 24 * time.Hour
)

// Catalogs opens catalogs by their names. A [catalog.Set] does.
type Catalogs interface {
	Get(ctx context.Context, name string) (*catalog.Catalog, error)
}

// Settle finds out what became of the runs in the journal that do not run any
// more: those of dead processes, of unknown outcome, and with files that could
// not be removed. It says of each whether its commits are part of the table,
// deletes on what a killed expiry had begun to delete, and once a run is a day
// old removes the files that it wrote and the table does not refer to. What it
// finds is logged and noted in the journal; what cannot be told now is tried
// again by the next call.
//
// A file is removed only if its name is one that the run gave, or it is the
// metadata of a commit of the run that the table has not got; the file itself
// is a day old, and no snapshot there is, staged ones included, nor the metadata
// log nor a statistics entry names a file of that name in any place. Nothing is
// removed if the table is gone or another has its name, if gc.enabled is false,
// or if another table of the catalog has files in the same place.
func Settle(ctx context.Context, env Env, catalogs Catalogs) {
	for _, runs := range byTable(env.Journal.Adopt()) {
		if ctx.Err() != nil {
			return
		}
		s := settling{env: env, runs: runs}
		s.table(ctx, catalogs)
		for i := range s.runs {
			s.write(&s.runs[i])
		}
	}
}

// byTable puts runs of one table together.
func byTable(entries []journal.Entry) [][]journal.Entry {
	var groups [][]journal.Entry
	for _, e := range entries {
		i := slices.IndexFunc(groups, func(g []journal.Entry) bool {
			return g[0].Catalog == e.Catalog && slices.Equal(g[0].Table, e.Table)
		})
		if i < 0 {
			groups = append(groups, nil)
			i = len(groups) - 1
		}
		groups[i] = append(groups[i], e)
	}
	return groups
}

// settling is the work on the runs of one table.
type settling struct {
	env  Env
	runs []journal.Entry
}

func (s *settling) now() time.Time { return s.env.now() }

// write writes down what was found about a run.
func (s *settling) write(e *journal.Entry) {
	if e.State != journal.Settled && e.State != journal.Left && s.now().Sub(e.Changed) > givenUp {
		e.State, e.Note = journal.Left, "given up after 30 days: "+e.Note
	}
	s.env.Logger().Info("run of the journal looked at", "procedure", e.Procedure, "catalog", e.Catalog, "table", strings.Join(e.Table, "."), "started", e.Started, "state", e.State, "note", e.Note, "names", e.Names)
	s.env.Journal.Settle(*e)
}

// all gives all runs a note and, unless it is empty, a state.
func (s *settling) all(state journal.State, format string, args ...any) {
	for i := range s.runs {
		s.runs[i].Note = fmt.Sprintf(format, args...)
		if state != "" {
			s.runs[i].State = state
		}
	}
}

// table settles the runs as far as it can be done now.
func (s *settling) table(ctx context.Context, catalogs Catalogs) {
	cat, err := catalogs.Get(ctx, s.runs[0].Catalog)
	if err != nil {
		s.all("", "the catalog cannot be opened: %v", err)
		return
	}
	s.env.Catalog = cat
	tbl, err := cat.Load(ctx, s.runs[0].Table)
	switch {
	case errors.Is(err, catalog.ErrNoSuchTable), errors.Is(err, catalog.ErrNoSuchNamespace):
		s.all(journal.Left, "the table is gone; if files of the run are left, their names have one of its uuids")
		return
	case err != nil:
		s.all("", "the table cannot be read: %v", err)
		return
	}
	id, young := tbl.Metadata().TableUUID().String(), s.now().Add(-settleAge)
	var ripe []*journal.Entry
	for i := range s.runs {
		e := &s.runs[i]
		if e.UUID != id {
			e.State, e.Note = journal.Left, fmt.Sprintf("another table (uuid %s) has the name now", id)
			continue
		}
		e.Note = outcomes(e, tbl)
		if !s.resume(ctx, tbl, e) {
			continue
		}
		if len(e.Names) == 0 && len(e.Attempts) == 0 {
			e.State = journal.Settled
			add(e, "it has written no files")
			continue
		}
		if e.Changed.After(young) {
			add(e, "files that the table does not refer to are removed after %s", stamp(e.Changed.Add(settleAge)))
			continue
		}
		ripe = append(ripe, e)
	}
	if len(ripe) > 0 {
		(&leftovers{settling: s, uuid: id, before: young, ripe: ripe}).remove(ctx)
	}
}

// add adds a sentence to a note.
func add(e *journal.Entry, format string, args ...any) {
	if e.Note != "" {
		e.Note += "; "
	}
	e.Note += fmt.Sprintf(format, args...)
}

// outcomes finds the snapshots of a run's commits in the table, and says so.
func outcomes(e *journal.Entry, tbl *table.Table) string {
	var there, not []string
	for i := range e.Attempts {
		a := &e.Attempts[i]
		if a.Snapshot == 0 || a.Outcome == journal.Refused {
			continue
		}
		switch {
		case inHistory(tbl.Metadata(), a.Snapshot):
			a.Outcome = journal.Committed
		case a.Outcome != journal.Committed:
			a.Outcome = journal.NotInTable
		}
		if a.Outcome == journal.Committed {
			there = append(there, fmt.Sprint(a.Snapshot))
		} else {
			not = append(not, fmt.Sprint(a.Snapshot))
		}
	}
	var note []string
	if there != nil {
		note = append(note, "committed: snapshot "+strings.Join(there, ", "))
	}
	if not != nil {
		note = append(note, "not in the table: snapshot "+strings.Join(not, ", "))
	}
	if there == nil && not == nil && len(e.Attempts) == 0 {
		return "no commit was tried"
	}
	return strings.Join(note, "; ")
}

// inHistory says whether a table has or had a snapshot.
func inHistory(meta table.Metadata, id int64) bool {
	if meta.SnapshotByID(id) != nil {
		return true
	}
	for entry := range meta.SnapshotLogs() {
		if entry.SnapshotID == id {
			return true
		}
	}
	return false
}

// resume deletes what is left of the files that a killed expiry was deleting,
// and says whether the run can go on being settled. That the commit took place
// and lost no ref was known before the first of the files was deleted; which
// they are is found again from the version that the expiry was made for, and
// nothing goes that the table as it is now needs.
func (s *settling) resume(ctx context.Context, tbl *table.Table, e *journal.Entry) bool {
	if e.Freed == nil {
		return true
	}
	if err := checkCollectable(tbl); err != nil {
		e.State, e.Note = journal.Left, err.Error()
		return false
	}
	base, err := table.NewFromLocation(ctx, tbl.Identifier(), e.Freed.Base, tbl.FS, nil)
	if err != nil {
		e.State = journal.Left
		e.Note = fmt.Sprintf("what the expiry had yet to delete cannot be told, because the version of the table that it was made for cannot be read; remove_orphan_files finds the files: %v", err)
		return false
	}
	gone := map[int64]bool{}
	for _, id := range e.Freed.Snapshots {
		gone[id] = tbl.Metadata().SnapshotByID(id) == nil
	}
	files, err := unreachable(ctx, s.env, base, gone, tbl.Metadata(), true)
	if err != nil {
		add(e, "the deletion of files cannot go on: %v", err)
		return false
	}
	var result ExpiryResult
	err = (&Expiry{Table: tbl.Identifier()}).remove(ctx, s.env, tbl, files, &result)
	var removed int64
	for _, n := range result.Removed {
		removed += n
	}
	add(e, "the deletion of files went on: %d deleted", removed)
	switch {
	case err != nil:
		add(e, "%v", err)
		return false
	case len(result.Failed) > 0:
		e.State = journal.Left
		add(e, "%d could not be deleted; remove_orphan_files finds them", len(result.Failed))
		return false
	}
	e.Freed, e.State = nil, journal.Settled
	return false
}
