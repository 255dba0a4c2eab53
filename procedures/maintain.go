package procedures

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/firndb/firn/maintenance/chain"
	"github.com/firndb/firn/maintenance/rewrite"
)

// maintain is system.maintain.
type maintain struct {
	table       string
	maxBytes    *int64
	maxDuration *string
	olderThan   *time.Time
	retainLast  *int32
	where       *string
	options     map[string]string
	steps       []string
	strategy    *string
	sortOrder   *string
}

// Info declares the procedure, which Spark does not have.
func (p *maintain) Info() Info {
	return Info{
		Name:  "maintain",
		Doc:   "Maintains a table: rewrites data files, delete files and manifests, expires snapshots and removes orphan files, each if it is worth it.",
		Notes: maintainNotes(),
		Params: []Param{
			Required(StringParam(&p.table, "table", "the table; its main branch is maintained")),
			WithDefault(LongParam(&p.maxBytes, "max_bytes", "how many bytes of data and delete files are rewritten at most, at least 1; groups are no larger either"), "no bound"),
			WithDefault(optionalString(&p.maxDuration, "max_duration", "after how long nothing more is begun, as `90s`, `30m` or `2 hours`"), "no bound"),
			WithDefault(TimestampParam(&p.olderThan, "older_than", "as in `expire_snapshots`"), "now less `history.expire.max-snapshot-age-ms` (5 days)"),
			WithDefault(IntParam(&p.retainLast, "retain_last", "as in `expire_snapshots`"), "`history.expire.min-snapshots-to-keep` (1)"),
			WithDefault(optionalString(&p.where, "where", "as in `rewrite_data_files` and `rewrite_position_delete_files`"), "all files"),
			WithDefault(MapParam(&p.options, optionsParam, "options of the rewrite of data files"), "none"),
			WithDefault(StringsParam(&p.steps, "steps", "the steps to be run, in the order of the table above whatever the order here"), "all"),
			WithDefault(optionalString(&p.strategy, "strategy", "how data files are put together: `binpack` or `sort`, as in `rewrite_data_files`"), "`sort` if `sort_order` is given or the table has a sort order, else `binpack`"),
			WithDefault(optionalString(&p.sortOrder, "sort_order", "the order for strategy `sort`, as in `rewrite_data_files`"), "the table's sort order"),
		},
		Options: maintainOptions(),
		Output: []Column{
			{Name: "step", Type: TypeString, Doc: "the step"},
			{Name: "action", Type: TypeString, Doc: "`done`; `skipped` if there was nothing to do or it was not begun; `failed` if not all could be done"},
			{Name: "reason", Type: TypeString, Doc: "why it was run or skipped"},
			{Name: "result", Type: TypeString, Nullable: true, Doc: "what was done, what failed and what is left for another call"},
			{Name: "seconds", Type: TypeDouble, Doc: "how long it took"},
			{Name: "snapshot_id", Type: TypeLong, Nullable: true, Doc: "the last snapshot that it made"},
		},
	}
}

func maintainNotes() []string {
	return []string{
		"| step | when it is run |\n| --- | --- |\n" +
			"| `rewrite_data_files` | there are groups that the procedure would rewrite |\n" +
			"| `remove_dangling_deletes` | there are delete files that no data file can need any more |\n" +
			"| `rewrite_position_delete_files` | there are groups that the procedure would rewrite with its defaults |\n" +
			"| `rewrite_manifests` | of a partition spec, main has ten data manifests or ten delete manifests, and twice as many as their bytes need at `commit.manifest.target-size-bytes` |\n" +
			"| `expire_snapshots` | there are snapshots, branches or tags to expire |\n" +
			"| `remove_orphan_files` | there are orphan files last modified more than three days ago below the table's location |",
		"Each step is planned on what the steps before it have left. Rewrites are cut into at most ten commits each, and what is committed stays when the " +
			"call is cancelled, killed or runs into a bound. There is no state to resume: the next call finds what is left. With `max_bytes`, groups that " +
			"do not fit are left; a single file that is larger is never rewritten. With `max_duration`, what is under way then is finished, and of each rewrite that " +
			"is begun at least one commit is made.",
		"Unlike `rewrite_data_files`, which bin-packs unless it is told otherwise, a table with a sort order (`ALTER TABLE … WRITE ORDERED BY`) gets its new " +
			"data files sorted by it: files put together in the order of the table would cover ever wider ranges of the columns that queries are to skip by. " +
			"Sorting takes longer and needs scratch space; with `strategy => 'binpack'` nothing is sorted.",
		"A step that loses against another writer, or that the table refuses, does not keep the next ones from being run: its row says so. " +
			"An error ends the call if the outcome of a commit is unknown, a check of rows fails or metadata cannot be read; it says what had been done.",
		"`EXPLAIN CALL` shows each step as it would be run now. It is exact for the first one that would be run. Later ones find what that one leaves: " +
			"more manifests and deletes without data files, for example. `EXPLAIN CALL` of the procedure that a step is named after shows its groups and files.",
	}
}

// maintainOptions are the options of rewrite_data_files that the chain has.
func maintainOptions() []Param {
	return slices.DeleteFunc(rewriteOptions(), func(o Param) bool { return !slices.Contains(chain.RewriteOptionKeys(), o.Name) })
}

// Plan plans every step.
func (p *maintain) Plan(ctx context.Context, env Env) (Plan, error) {
	tbl, err := env.LoadTable(ctx, p.table)
	if err != nil {
		return nil, err
	}
	req := chain.Request{Table: tbl.Identifier(), Rewrite: p.options, OlderThan: p.olderThan, RetainLast: whole(p.retainLast)}
	if req.Where, err = whereFilter(env, tbl, p.where); err != nil {
		return nil, err
	}
	order, err := orderOf(p.strategy, p.sortOrder)
	if err != nil {
		return nil, err
	}
	if p.sortOrder != nil {
		if _, _, err := rewrite.Ordered(*order, tbl); err != nil {
			return nil, ofOrder(err, p.sortOrder)
		}
	}
	req.Order, req.BinPack = order, order == nil && p.strategy != nil
	if p.maxBytes != nil {
		if req.MaxBytes = *p.maxBytes; req.MaxBytes < 1 {
			return nil, fmt.Errorf("%w: argument %q must be at least 1, got %d", ErrArgument, "max_bytes", req.MaxBytes)
		}
	}
	if p.maxDuration != nil {
		if req.MaxDuration, err = parseDuration(*p.maxDuration); err != nil {
			return nil, fmt.Errorf("%w: argument %q: %w", ErrArgument, "max_duration", err)
		}
	}
	if p.steps != nil && len(p.steps) == 0 {
		return nil, fmt.Errorf("%w: argument %q must name at least one step, or be left out", ErrArgument, "steps")
	}
	for _, step := range p.steps {
		req.Steps = append(req.Steps, chain.Step(step))
	}
	plan, err := chain.New(ctx, env.Env, req)
	if err != nil {
		return nil, err
	}
	return &maintainPlan{plan: plan, env: env}, nil
}

type maintainPlan struct {
	plan *chain.Plan
	env  Env
}

// Steps has one row for each step of the chain.
func (p *maintainPlan) Steps() []Step {
	var steps []Step
	for _, s := range p.plan.Stages {
		step := Step{Action: ActionSkip, Object: string(s.Step), Reason: s.Reason}
		if s.Run {
			step.Action = maintainAction(s.Step)
			step.FilesIn, step.BytesIn, step.FilesOut, step.BytesOut = s.FilesIn, s.BytesIn, s.FilesOut, s.BytesOut
		}
		steps = append(steps, step)
	}
	return steps
}

// Close gives back scratch space.
func (p *maintainPlan) Close() error { return p.plan.Close() }

func maintainAction(step chain.Step) Action {
	switch step {
	case chain.ExpireSnapshots:
		return ActionExpire
	case chain.RemoveOrphans:
		return ActionDelete
	case chain.RemoveDangling:
		return ActionCommit
	}
	return ActionRewrite
}

// Execute runs the steps and returns a row for each.
func (p *maintainPlan) Execute(ctx context.Context) ([]Row, error) {
	results, err := p.plan.Execute(ctx, p.env.Env)
	if err != nil {
		return nil, err
	}
	rows := make([]Row, len(results))
	for i, r := range results {
		row := Row{string(r.Step), string(r.Action), r.Reason, nil, r.Elapsed.Seconds(), nil}
		if r.Text != "" {
			row[3] = r.Text
		}
		if r.SnapshotID != 0 {
			row[5] = r.SnapshotID
		}
		rows[i] = row
	}
	return rows, nil
}
