package server

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"

	"github.com/firndb/firn/maintenance"
)

// mostOperations is how many ended calls stay to be seen.
const mostOperations = 100

// operations are the calls that run or have ended recently.
type operations struct {
	now func() time.Time

	mu   sync.Mutex
	last int64
	all  []*operation
}

// operation is a call of a procedure.
type operation struct {
	owner                           *operations
	id                              int64
	catalog, table, procedure, user string
	started, ended                  time.Time
	state                           operationState
	// groups and bytes are how far writing has come, files what it is about.
	groups, bytes [2]int64
	files         int
	snapshot      int64
	message       string
}

// operationState is what a call is at, or how it ended.
type operationState string

const (
	statePlanning   operationState = "planning"
	stateRewriting  operationState = "rewriting"
	stateCommitting operationState = "committing"
	stateDeleting   operationState = "deleting"
	stateDone       operationState = "done"
	stateFailed     operationState = "failed"
	stateCancelled  operationState = "cancelled"
	stateUnknown    operationState = "outcome unknown"
)

// begin puts in a call.
func (o *operations) begin(ctx *sql.Context, catalog string, c procedureCall) *operation {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.last++
	op := &operation{
		owner: o, id: o.last, catalog: catalog, table: c.table, procedure: c.name, user: ctx.Session.Client().User,
		started: o.now().UTC(), state: statePlanning,
	}
	o.all = append(o.all, op)
	ended := 0
	for i, op := range slices.Backward(o.all) {
		if op.ended.IsZero() {
			continue
		}
		if ended++; ended >= mostOperations {
			o.all = slices.Delete(o.all, i, i+1)
			break
		}
	}
	return op
}

// update takes in how far the call has come.
func (op *operation) update(u maintenance.Update) {
	op.owner.mu.Lock()
	defer op.owner.mu.Unlock()
	switch u.Phase {
	case maintenance.PhaseRewrite, maintenance.PhaseManifests:
		op.state = stateRewriting
		op.groups = [2]int64{int64(u.Done), int64(u.Total)}
		op.bytes = [2]int64{u.DoneBytes, u.TotalBytes}
	case maintenance.PhaseCommit:
		op.state = stateCommitting
	case maintenance.PhaseRemove:
		op.state = stateDeleting
	}
	if u.Files > 0 {
		op.files = u.Files
	}
	if u.Snapshot != 0 {
		op.snapshot = u.Snapshot
	}
	op.message = progressText(u)
}

// end takes in how the call ended. One that has neither rows nor an error has
// panicked.
func (op *operation) end(ctx context.Context, rows []sql.Row, err error) {
	op.owner.mu.Lock()
	defer op.owner.mu.Unlock()
	op.ended = op.owner.now().UTC()
	switch {
	case err == nil && rows == nil:
		op.state, op.message = stateFailed, "panicked; the server's log has more"
		return
	case err == nil:
		op.state, op.message = stateDone, ""
		return
	case errors.Is(err, maintenance.ErrCommitUnknown):
		op.state = stateUnknown
	case ctx.Err() != nil:
		op.state = stateCancelled
	default:
		op.state = stateFailed
	}
	op.message = err.Error()
}

// progressSchema are the columns of system.progress.
func progressSchema() sql.Schema {
	return sql.Schema{
		numberColumn("id"), textColumn("catalog", false), textColumn("table_name", true), textColumn("procedure_name", false), textColumn("user", false),
		{Name: "started_at", Type: types.DatetimeMaxPrecision},
		{Name: "elapsed_seconds", Type: types.Float64},
		textColumn("state", false),
		numberColumn("groups_done"), numberColumn("groups_total"), numberColumn("files"), numberColumn("bytes_done"), numberColumn("bytes_total"),
		{Name: "snapshot_id", Type: types.Int64, Nullable: true},
		textColumn("message", true),
	}
}

// rows are the rows of system.progress, oldest first.
func (o *operations) rows(zone *time.Location) []sql.Row {
	o.mu.Lock()
	defer o.mu.Unlock()
	rows := make([]sql.Row, len(o.all))
	for i, op := range o.all {
		until := op.ended
		if until.IsZero() {
			until = o.now()
		}
		var snapshot any
		if op.snapshot != 0 {
			snapshot = op.snapshot
		}
		rows[i] = sql.Row{
			op.id, op.catalog, orNull(op.table), op.procedure, op.user,
			wall(op.started, zone), until.Sub(op.started).Seconds(), string(op.state),
			op.groups[0], op.groups[1], int64(op.files), op.bytes[0], op.bytes[1],
			snapshot, orNull(op.message),
		}
	}
	return rows
}
