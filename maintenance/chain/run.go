package chain

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/firndb/firn/maintenance"
)

// Action is what became of a step.
type Action string

// What becomes of a step: it did something, had nothing to do or was not begun,
// or did not do all that it should have.
const (
	Done    Action = "done"
	Skipped Action = "skipped"
	Failed  Action = "failed"
)

// Result is what a step did.
type Result struct {
	Step   Step
	Action Action
	// Reason says why it was run or not, Text what it did.
	Reason, Text string
	Elapsed      time.Duration
	// SnapshotID is the last snapshot that it made, 0 if none.
	SnapshotID int64
}

// Execute runs the steps one after the other, each planned anew if the table has
// changed. A step that loses against another writer, or that the table refuses,
// has failed and the next one is run.
//
// An error ends the chain: a commit of unknown outcome, a check of rows that
// failed, files that cannot be read, the end of ctx. What the steps before did
// stays done; the error and the results say what it is.
func (p *Plan) Execute(ctx context.Context, env maintenance.Env) (_ []Result, err error) {
	defer func() { err = errors.Join(err, p.Close()) }()
	x := execution{request: p.request, env: env, room: p.request.room(), started: env.Now()}
	var results []Result
	for _, stage := range p.Stages {
		result, err := x.stage(ctx, stage)
		if err == nil || result.Text != "" {
			results = append(results, result)
		}
		if err != nil {
			return results, fmt.Errorf("%s: %w%s", stage.Step, err, before(results))
		}
	}
	return results, nil
}

// before says what had been done when an error ended the chain.
func before(results []Result) string {
	var did []string
	for _, r := range results {
		if r.Action != Skipped {
			did = append(did, fmt.Sprintf("%s: %s", r.Step, r.Text))
		}
	}
	if len(did) == 0 {
		return ""
	}
	return "; done before that: " + strings.Join(did, "; ")
}

// execution is one run of a plan.
type execution struct {
	request Request
	env     maintenance.Env
	// room is how many bytes may still be rewritten.
	room    int64
	started time.Time
}

// over says that nothing more is to be begun.
func (x *execution) over() bool {
	return x.request.MaxDuration > 0 && x.env.Now().Sub(x.started) >= x.request.MaxDuration
}

func (x *execution) stage(ctx context.Context, stage Stage) (Result, error) {
	began := x.env.Now()
	result := Result{Step: stage.Step, Action: Skipped}
	if err := ctx.Err(); err != nil {
		return result, err
	}
	if x.over() {
		result.Reason = fmt.Sprintf("not begun: max_duration %v is over", x.request.MaxDuration)
		return result, nil
	}
	stage, err := x.refresh(ctx, stage)
	if err != nil {
		return result, err
	}
	result.Reason = stage.Reason
	x.room = stage.takes(x.room)
	if stage.Run {
		env := x.env
		env.Committed = func(snapshot int64) {
			result.SnapshotID = snapshot
			if x.env.Committed != nil {
				x.env.Committed(snapshot)
			}
		}
		env.Progress = x.progress(stage.Step)
		did, err := stage.job.run(ctx, env, x.over)
		result.Action, result.Text = Done, did.text
		if passes(err) {
			did.failed, err = err.Error(), nil
		}
		if did.failed != "" || err != nil {
			result.Action, result.Text = Failed, joined(did.text, did.failed)
		}
		if err != nil {
			return result, err
		}
	}
	result.Elapsed = x.env.Now().Sub(began)
	return result, nil
}

// refresh plans a step anew if the table is no longer what it was planned on. What
// no snapshot needed then may be needed now, but that is looked at right before it
// is removed, so that files are not listed twice.
func (x *execution) refresh(ctx context.Context, stage Stage) (Stage, error) {
	if stage.Step == RemoveOrphans {
		return stage, nil
	}
	tbl, err := x.env.Catalog.Load(ctx, x.request.Table)
	if err != nil || tbl.MetadataLocation() == stage.base {
		return stage, err
	}
	return x.request.plan(ctx, x.env, stage.Step, x.room)
}

// passes says of an error that the next step may be run after it.
func passes(err error) bool {
	for _, class := range []error{maintenance.ErrCommitUnknown, maintenance.ErrCorrupt, context.Canceled, context.DeadlineExceeded} {
		if errors.Is(err, class) {
			return false
		}
	}
	return errors.Is(err, maintenance.ErrConflict) || errors.Is(err, maintenance.ErrRefused) || errors.Is(err, maintenance.ErrUnsupported)
}

// progress reports with the step's name before the phase.
func (x *execution) progress(step Step) maintenance.Progress {
	if x.env.Progress == nil {
		return nil
	}
	return func(u maintenance.Update) {
		u.Phase = string(step) + ": " + u.Phase
		x.env.Progress(u)
	}
}

// joined puts together what is not empty.
func joined(parts ...string) string {
	var all []string
	for _, part := range parts {
		if part != "" {
			all = append(all, part)
		}
	}
	return strings.Join(all, "; ")
}
