package maintenance_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/iceberg-go"
	"github.com/apache/iceberg-go/table"

	"github.com/firndb/firn/maintenance"
	"github.com/firndb/firn/maintenance/chain"
	"github.com/firndb/firn/maintenance/rewrite"
)

// oldEnough is an age at which orphan files go.
const oldEnough = 4 * 24 * time.Hour

// removeOrphans removes orphan files, while other writers are at work: one of them
// has files that are old enough to go and that it commits after they were listed.
func (w *world) removeOrphans() {
	w.t.Helper()
	w.disturbed, w.lost = false, false
	w.env.Limits.MemoryBytes = 1 << 26
	var late *table.Transaction
	if w.depth == 0 {
		if w.rng.IntN(3) == 0 {
			late = w.unfinished()
		}
		w.age(oldEnough)
	}
	plan, err := maintenance.PlanOrphans(context.Background(), w.env, w.ident, maintenance.OrphanOptions{})
	if err != nil {
		w.t.Fatalf("plan orphans: %v", err)
	}
	if w.depth == 0 && w.rng.IntN(3) == 0 {
		w.depth++
		if late == nil {
			w.step()
		} else {
			w.write() // another removal would rightly take the late files away
		}
		w.depth--
		w.disturbed, w.env.Limits.MemoryBytes = true, 1<<26
	}
	if late != nil {
		_, err := late.Commit(context.Background())
		w.tell("the late commit: %v", err)
		w.disturbed = true
	}
	result, err := plan.Execute(context.Background(), w.env)
	done := result.Files
	w.tell("remove %d of %d orphans: %v", len(done), len(plan.Files), err)
	if err != nil {
		w.t.Errorf("remove orphans: %v", err)
	}
	w.checkAll()
	if w.disturbed || w.depth > 0 {
		return
	}
	if left := w.unreferenced(w.referenced()); len(left) > 0 {
		w.t.Errorf("orphans are left: %q", left)
	}
	if !slices.Equal(done, plan.Files) {
		w.t.Errorf("%v were planned, and %v removed", plan.Files, done)
	}
}

// unfinished is an append that has written its files and is not committed.
func (w *world) unfinished() *table.Transaction {
	w.t.Helper()
	batch := w.batch(w.someIDs())
	rdr, err := array.NewRecordReader(batch.Schema(), []arrow.RecordBatch{batch})
	if err != nil {
		w.t.Fatal(err)
	}
	tx, err := w.load().NewTransactionOnBranchWithError(table.MainBranch)
	if err == nil {
		err = tx.Append(context.Background(), rdr, nil)
	}
	if err != nil {
		w.t.Fatal(err)
	}
	w.settleOthers()
	return tx
}

// rewriteDeletes rewrites main's position delete files with random options.
func (w *world) rewriteDeletes() {
	w.t.Helper()
	w.env.Limits.MemoryBytes = 1 << 26
	options := w.deleteOptions()
	var where iceberg.BooleanExpression
	if w.rng.IntN(4) == 0 {
		where = iceberg.LessThan(iceberg.Reference("part"), int32(w.rng.IntN(3)))
	}
	plan := w.planDeletes(where, options)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	w.ambush(cancel)
	w.settleOthers()
	result, err := plan.Execute(ctx, w.env)
	w.before, w.after = nil, nil
	w.tell("rewrite of position deletes %v where %v: %d files in %d groups: %+v", options, where, plan.Files(), len(plan.Groups), result)
	w.judge("rewrite of position deletes", err)
	w.remember(true)
	w.checkFiles()
	if err != nil || w.disturbed {
		return
	}
	if result.RewrittenFiles != plan.Files() || result.RewrittenBytes != plan.Bytes() {
		w.t.Errorf("%d files were planned, and %+v done", plan.Files(), result)
	}
	if plan.Options.RewriteAll {
		return
	}
	// Groups of few files may make files that are few enough to be put together.
	for run := 2; ; run++ {
		again := w.planDeletes(where, options)
		if again.Files() == 0 {
			return
		}
		if options[rewrite.OptionMaxGroupFiles] == "" || run > 6 {
			w.t.Errorf("run %d still selects %d files: %s", run, again.Files(), again.Groups[0].Reason)
			return
		}
		if _, err := again.Execute(context.Background(), w.env); err != nil {
			w.t.Errorf("run %d: %v", run, err)
			return
		}
		w.remember(true)
	}
}

func (w *world) deleteOptions() map[string]string {
	options := map[string]string{rewrite.OptionMinInputFiles: pick(w.rng, "1", "2", "3")}
	maybe := func(key string, values ...string) {
		if w.rng.IntN(3) == 0 {
			options[key] = pick(w.rng, values...)
		}
	}
	maybe(rewrite.OptionRewriteAll, "true")
	maybe(rewrite.OptionPartialProgress, "true")
	maybe(rewrite.OptionMaxCommits, "1", "2", "10")
	maybe(rewrite.OptionMaxGroupFiles, "2", "3")
	maybe(rewrite.OptionJobOrder, "bytes-asc", "bytes-desc", "files-asc", "files-desc")
	return options
}

func (w *world) planDeletes(where iceberg.BooleanExpression, options map[string]string) *rewrite.DeletePlan {
	w.t.Helper()
	tbl, err := w.c.Load(context.Background(), w.ident)
	if err != nil {
		w.t.Fatal(err)
	}
	o, err := rewrite.ParseDeleteOptions(options, tbl.Metadata())
	if err != nil {
		w.t.Fatal(err)
	}
	plan, err := rewrite.NewDeletePlan(context.Background(), rewrite.DeleteRequest{Table: tbl, Where: where, Options: o})
	if err != nil {
		w.t.Fatalf("plan rewrite of position deletes: %v", err)
	}
	return plan
}

// maintain runs the whole chain.
func (w *world) maintain() {
	w.t.Helper()
	w.env.Limits.MemoryBytes = 1 << 26
	req := w.chainRequest()
	if w.depth == 0 && w.rng.IntN(2) == 0 {
		w.age(oldEnough)
	}
	plan, err := chain.New(context.Background(), w.env, req)
	if err != nil {
		w.t.Fatalf("plan the chain: %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	w.ambush(cancel)
	w.settleOthers()
	results, err := plan.Execute(ctx, w.env)
	w.before, w.after = nil, nil
	w.tell("maintain %+v", req)
	first := slices.IndexFunc(plan.Stages, func(s chain.Stage) bool { return s.Run })
	for i, r := range results {
		w.tell("  %+v", r)
		if r.Action == chain.Failed && !w.disturbed {
			w.t.Errorf("%s failed: %s", r.Step, r.Text)
		}
		if i == first && !w.disturbed && !strings.Contains(r.Text, fmt.Sprintf("%d ", plan.Stages[i].FilesIn)) {
			w.t.Errorf("%+v was planned, and done is: %s", plan.Stages[i].Outlook, r.Text)
		}
	}
	w.judge("maintain", err)
	w.checkAll()
	if err == nil && !w.disturbed {
		w.checkMaintained(req)
	}
}

// checkMaintained wants further runs of the chain to come to an end.
func (w *world) checkMaintained(req chain.Request) {
	w.t.Helper()
	for run := 2; ; run++ {
		plan, err := chain.New(context.Background(), w.env, req)
		if err != nil {
			w.t.Fatalf("plan the chain: %v", err)
		}
		i := slices.IndexFunc(plan.Stages, func(s chain.Stage) bool { return s.Run })
		if i < 0 {
			return
		}
		if run > 6 {
			w.t.Errorf("run %d has something to do still: %+v", run, plan.Stages[i])
			return
		}
		if _, err := plan.Execute(context.Background(), w.env); err != nil {
			w.t.Errorf("run %d: %v", run, err)
			return
		}
		w.remember(true)
	}
}

func (w *world) chainRequest() chain.Request {
	at := time.Now().Add(time.Hour)
	req := chain.Request{Table: w.ident, Rewrite: map[string]string{rewrite.OptionMinInputFiles: fmt.Sprint(1 + w.rng.IntN(3))}}
	if w.rng.IntN(2) == 0 {
		req.OlderThan = &at
	}
	if n := 1 + w.rng.IntN(3); w.rng.IntN(2) == 0 {
		req.RetainLast = &n
	}
	if w.rng.IntN(3) == 0 {
		req.MaxBytes = pick(w.rng, int64(1), 3000, 10000)
	}
	if w.rng.IntN(4) == 0 {
		req.Where = iceberg.LessThan(iceberg.Reference("id"), w.id())
	}
	if w.rng.IntN(4) == 0 {
		req.Steps = []chain.Step{pick(w.rng, chain.Steps()...), pick(w.rng, chain.Steps()...)}
	}
	return req
}
