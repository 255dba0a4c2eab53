package chain

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/apache/iceberg-go"
	"github.com/apache/iceberg-go/table"

	"github.com/firndb/firn/maintenance"
	"github.com/firndb/firn/maintenance/sortorder"
)

// Step is a job of the chain, by the name of the procedure that does it alone.
type Step string

// The steps. RemoveDangling is an option of rewrite_data_files in Spark.
const (
	RewriteData      Step = "rewrite_data_files"
	RemoveDangling   Step = "remove_dangling_deletes"
	RewriteDeletes   Step = "rewrite_position_delete_files"
	RewriteManifests Step = "rewrite_manifests"
	ExpireSnapshots  Step = "expire_snapshots"
	RemoveOrphans    Step = "remove_orphan_files"
)

// Steps lists the steps in the order in which they are run.
func Steps() []Step {
	return []Step{RewriteData, RemoveDangling, RewriteDeletes, RewriteManifests, ExpireSnapshots, RemoveOrphans}
}

// Request says how to maintain a table. All but the table may be left out.
type Request struct {
	Table table.Identifier
	// Steps are those to be run, in whatever order they are given; none means
	// all.
	Steps []Step
	// Where selects the data files and the partitions of delete files to be
	// rewritten, nil all.
	Where iceberg.BooleanExpression
	// Rewrite are options of the rewrite of data files.
	Rewrite map[string]string
	// Order is that of the rows of new data files, nil the table's if it has one,
	// else none. With BinPack there is none.
	Order   *sortorder.Order
	BinPack bool
	// OlderThan and RetainLast say which snapshots expire, as those of
	// maintenance.ExpireOptions.
	OlderThan  *time.Time
	RetainLast *int
	// MaxBytes bounds how many bytes of data and delete files are rewritten, and
	// MaxDuration after how long nothing more is begun; 0 means no bound.
	MaxBytes    int64
	MaxDuration time.Duration
}

// Plan says what each step would do to the table as it is. What an earlier step
// does may leave a later one more or less to do.
type Plan struct {
	Table  table.Identifier
	Stages []Stage

	request Request
}

// Stage is a planned step.
type Stage struct {
	Step Step
	Outlook

	job job
	// base is the version of the table that it was planned on.
	base string
}

// Outlook is what a step would do.
type Outlook struct {
	// Run says that it is worth running, Reason why or why not.
	Run    bool
	Reason string
	// FilesIn and BytesIn would be rewritten or removed, FilesOut and BytesOut
	// written, as far as it is known.
	FilesIn, FilesOut int64
	BytesIn, BytesOut int64
}

// job is a step that is planned.
type job interface {
	outlook() Outlook
	// run does it, part by part until over says that no more is to be begun.
	run(ctx context.Context, env maintenance.Env, over func() bool) (outcome, error)
}

// outcome is what a step did.
type outcome struct {
	// text is empty if it did nothing.
	text string
	// failed is why something could not be done, empty if all was.
	failed string
}

// New plans all steps of a request. The error wraps maintenance.ErrInvalid for
// what is not allowed. A step that the table refuses is one that is not run.
func New(ctx context.Context, env maintenance.Env, req Request) (*Plan, error) {
	if err := req.validate(); err != nil {
		return nil, err
	}
	plan := &Plan{Table: req.Table, request: req}
	room := req.room()
	for _, step := range Steps() {
		if len(req.Steps) > 0 && !slices.Contains(req.Steps, step) {
			continue
		}
		stage, err := req.plan(ctx, env, step, room)
		if err != nil {
			return nil, errors.Join(fmt.Errorf("%s: %w", step, err), plan.Close())
		}
		room = stage.takes(room)
		plan.Stages = append(plan.Stages, stage)
	}
	return plan, nil
}

// Close gives up a plan that will not be executed.
func (p *Plan) Close() error {
	var errs []error
	for _, s := range p.Stages {
		if held, ok := s.job.(io.Closer); ok {
			errs = append(errs, held.Close())
		}
	}
	return errors.Join(errs...)
}

func (r Request) validate() error {
	for _, step := range r.Steps {
		if !slices.Contains(Steps(), step) {
			return fmt.Errorf("%w: %q: there is no step %q; allowed are %s", maintenance.ErrInvalid, "steps", step, listSteps())
		}
	}
	if r.MaxBytes < 0 {
		return fmt.Errorf("%w: %q must be at least 1, got %d", maintenance.ErrInvalid, "max_bytes", r.MaxBytes)
	}
	if r.MaxDuration < 0 {
		return fmt.Errorf("%w: %q must be more than nothing, got %v", maintenance.ErrInvalid, "max_duration", r.MaxDuration)
	}
	return nil
}

func listSteps() string {
	var names []string
	for _, step := range Steps() {
		names = append(names, string(step))
	}
	return strings.Join(names, ", ")
}

// room is how many bytes may be rewritten.
func (r Request) room() int64 {
	if r.MaxBytes == 0 {
		return math.MaxInt64
	}
	return r.MaxBytes
}

// plan plans a step of which at most room bytes may be rewritten.
func (r Request) plan(ctx context.Context, env maintenance.Env, step Step, room int64) (Stage, error) {
	tbl, err := env.Catalog.Load(ctx, r.Table)
	if err != nil {
		return Stage{}, err
	}
	var j job
	switch step {
	case RewriteData:
		j, err = planData(ctx, tbl, r, room)
	case RemoveDangling:
		j, err = planDangling(ctx, tbl)
	case RewriteDeletes:
		j, err = planDeletes(ctx, tbl, r, room)
	case RewriteManifests:
		j, err = planManifests(ctx, env, tbl)
	case ExpireSnapshots:
		j, err = planExpiry(ctx, env, tbl, r)
	case RemoveOrphans:
		j, err = planOrphans(ctx, env, tbl)
	}
	stage := Stage{Step: step, base: tbl.MetadataLocation()}
	if errors.Is(err, maintenance.ErrRefused) || errors.Is(err, maintenance.ErrUnsupported) {
		stage.Reason = err.Error()
		return stage, nil
	}
	if err != nil {
		return Stage{}, err
	}
	stage.job, stage.Outlook = j, j.outlook()
	return stage, nil
}

// takes is how much of the room for rewriting a stage leaves.
func (s Stage) takes(room int64) int64 {
	if s.Step == RewriteData || s.Step == RewriteDeletes {
		return room - s.BytesIn
	}
	return room
}
