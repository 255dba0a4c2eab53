package server

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/firndb/firn/maintenance"
	"github.com/firndb/firn/maintenance/journal"
)

func TestOperation(t *testing.T) {
	at := time.Date(2026, 11, 30, 4, 0, 0, 0, time.UTC)
	ops := &operations{now: func() time.Time { return at }}
	ctx := sql.NewEmptyContext()
	op := ops.begin(ctx, "lake", procedureCall{name: "rewrite_data_files", table: "ns.t"})
	wants := func(step string, want ...any) { // want are the cells from elapsed_seconds on
		t.Helper()
		rows := ops.rows(time.UTC)
		got := rows[len(rows)-1][6:]
		if fmt.Sprint(got...) != fmt.Sprint(want...) {
			t.Errorf("%s: got %v, want %v", step, got, want)
		}
	}
	wants("begun", 0.0, "planning", 0, 0, 0, 0, 0, nil, nil)
	at = at.Add(1500 * time.Millisecond)
	op.update(maintenance.Update{Phase: "reading manifests", Done: 1, Total: 2})
	wants("planning", 1.5, "planning", 0, 0, 0, 0, 0, nil, "reading manifests 1 of 2")
	op.update(maintenance.Update{Phase: maintenance.PhaseRewrite, Done: 3, Total: 4, DoneBytes: 10, TotalBytes: 20, Files: 9})
	wants("rewriting", 1.5, "rewriting", 3, 4, 9, 10, 20, nil, "rewrite 3 of 4, 10.0 of 20.0 B")
	op.update(maintenance.Update{Phase: maintenance.PhaseCommit, Snapshot: 77})
	wants("committing", 1.5, "committing", 3, 4, 9, 10, 20, 77, "commit of snapshot 77")
	op.update(maintenance.Update{Phase: "reading retained manifests", Done: 1, Total: 2})
	wants("reading", 1.5, "committing", 3, 4, 9, 10, 20, 77, "reading retained manifests 1 of 2")
	op.update(maintenance.Update{Phase: maintenance.PhaseRemove, Done: 1, Total: 2})
	wants("deleting", 1.5, "deleting", 3, 4, 9, 10, 20, 77, "removing files 1 of 2")
	op.end(ctx, []sql.Row{{1}}, nil)
	at = at.Add(time.Hour)
	wants("done", 1.5, "done", 3, 4, 9, 10, 20, 77, nil)
}

func TestHowOperationsEnd(t *testing.T) {
	ops := &operations{now: time.Now}
	gone, cancel := context.WithCancel(context.Background())
	cancel()
	for _, test := range []struct {
		ctx   context.Context
		rows  []sql.Row
		err   error
		state string
	}{
		{context.Background(), []sql.Row{}, nil, "done"},
		{context.Background(), nil, errors.New("x"), "failed"},
		{context.Background(), nil, nil, "failed"},
		{gone, nil, context.Canceled, "cancelled"},
		{gone, nil, fmt.Errorf("%w: x", maintenance.ErrCommitUnknown), "outcome unknown"},
	} {
		ops.begin(sql.NewEmptyContext(), "lake", procedureCall{name: "p"}).end(test.ctx, test.rows, test.err)
		rows := ops.rows(time.UTC)
		if got := rows[len(rows)-1][7]; got != test.state {
			t.Errorf("%v: got %v, want %v", test.err, got, test.state)
		}
	}
}

func TestEndedOperationsAreForgotten(t *testing.T) {
	ops := &operations{now: time.Now}
	runs := ops.begin(sql.NewEmptyContext(), "lake", procedureCall{name: "runs"})
	for range 3 * mostOperations {
		ops.begin(sql.NewEmptyContext(), "lake", procedureCall{name: "p"}).end(context.Background(), []sql.Row{}, nil)
	}
	rows := ops.rows(time.UTC)
	if len(rows) != mostOperations+1 || rows[0][0] != runs.id || rows[1][0] != int64(2*mostOperations+2) {
		t.Errorf("%d operations, the first ones %v and %v", len(rows), rows[0], rows[1])
	}
}

// TestServerSettles has a run of a dead process in the journal.
func TestServerSettles(t *testing.T) {
	dir, log := t.TempDir(), slog.New(slog.DiscardHandler)
	process := journal.Open(dir, time.Now, log)
	run := process.Begin(journal.Subject{Procedure: "rewrite_data_files", Catalog: "main"})
	run.Describe([]string{"ns", "gone"}, "uuid", nil)
	name := run.DataName().String()
	if err := process.Close(); err != nil {
		t.Fatal(err)
	}
	records := journal.Open(dir, time.Now, log)
	s, err := New(Config{Catalogs: twoCatalogs(t), Journal: records})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.settleOnce(t.Context()); err != nil {
		t.Fatal(err)
	}
	rows := systemTables{s.cfg.operations, records}.journalRows(time.UTC)
	if len(rows) != 1 || rows[0][3] != "ns.gone" || rows[0][7] != "left" || rows[0][9] != name || !strings.Contains(fmt.Sprint(rows[0][10]), "the table is gone") {
		t.Errorf("got %v", rows)
	}
}
