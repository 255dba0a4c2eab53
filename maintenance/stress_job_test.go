package maintenance_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/apache/iceberg-go"
	"github.com/apache/iceberg-go/table"

	"github.com/firndb/firn/maintenance"
	"github.com/firndb/firn/maintenance/rewrite"
	"github.com/firndb/firn/maintenance/sortorder"
)

// rewrite rewrites a branch with random options.
func (w *world) rewrite() {
	w.t.Helper()
	branch := w.branch()
	options := w.rewriteOptions()
	w.order = pick(w.rng, "", "", "id DESC", "part, price NULLS LAST", "bucket(3, id), part DESC", "zorder(id, price)", "hilbert(price, id)")
	w.env.Limits.MemoryBytes, w.env.Limits.ScratchDir = pick(w.rng, int64(1), 1<<26), w.scratch
	var where iceberg.BooleanExpression
	if w.rng.IntN(4) == 0 {
		where = iceberg.LessThan(iceberg.Reference("id"), w.id())
	}
	plan, err := w.planRewrite(branch, where, options)
	if err != nil {
		w.judge("plan rewrite", err)
		return
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	w.ambush(cancel)
	w.settleOthers()
	result, err := plan.Execute(ctx, w.env)
	w.before, w.after = nil, nil
	w.tell("rewrite of %s %v by %q where %v: %d files in %d groups: %+v", branch, options, w.order, where, plan.Files(), len(plan.Groups), result)
	w.judge("rewrite", err)
	w.remember(true)
	w.checkFiles()
	if err != nil || w.disturbed {
		return
	}
	if result.RewrittenFiles != plan.Files() || result.RewrittenBytes != plan.Bytes() {
		w.t.Errorf("%d files were planned, and %+v done", plan.Files(), result)
	}
	w.checkSettled(plan, branch, where, options)
}

// checkSettled wants a second run to select nothing. It may take more runs, but
// they come to an end, when groups are bounded, when rows have moved to partitions
// that have files of their own, and when files are chosen by their deletes: by its
// bounds, a position delete file of the very snapshot that was planned on may name
// the new file.
func (w *world) checkSettled(plan *rewrite.Plan, branch string, where iceberg.BooleanExpression, options map[string]string) {
	w.t.Helper()
	if plan.Options.RewriteAll || plan.Options.MaxFiles > 0 {
		return
	}
	more := 0
	if plan.Options.MaxGroupFiles < math.MaxInt64 || plan.Options.DeleteFiles < math.MaxInt32 || slices.ContainsFunc(plan.Groups, func(g rewrite.Group) bool { return g.Repartition }) {
		more = 5
	}
	for run := 0; ; run++ {
		again, err := w.planRewrite(branch, where, options)
		if err != nil {
			w.t.Fatalf("plan again: %v", err)
		}
		n := again.Files()
		if n == 0 {
			return
		}
		if run >= more {
			w.t.Errorf("run %d still selects %d files: %s", run+2, n, again.Groups[0].Reason)
			return
		}
		if _, err := again.Execute(context.Background(), w.env); err != nil {
			w.t.Errorf("run %d: %v", run+2, err)
			return
		}
		w.remember(true)
	}
}

func (w *world) planRewrite(branch string, where iceberg.BooleanExpression, options map[string]string) (*rewrite.Plan, error) {
	w.t.Helper()
	tbl, err := w.c.Load(context.Background(), w.ident)
	if err != nil {
		w.t.Fatal(err)
	}
	strategy, order, err := w.bound(tbl.Metadata())
	if err != nil {
		return nil, err
	}
	o, err := strategy.ParseOptions(options, tbl.Metadata())
	if err != nil {
		return nil, err
	}
	return rewrite.NewPlan(context.Background(), rewrite.Request{Table: tbl, Branch: branch, Where: where, Options: o, Order: order})
}

// bound is the strategy and order of the world's rewrites.
func (w *world) bound(meta table.Metadata) (rewrite.Strategy, sortorder.Bound, error) {
	if w.order == "" {
		return rewrite.BinPack, sortorder.Bound{}, nil
	}
	order, err := sortorder.Parse(w.order)
	if err != nil {
		return "", sortorder.Bound{}, err
	}
	bound, err := order.Bind(meta)
	if order.Curve != sortorder.None {
		return rewrite.Strategy(order.Curve), bound, err
	}
	return rewrite.Sort, bound, err
}

func (w *world) rewriteOptions() map[string]string {
	options := map[string]string{}
	maybe := func(key string, values ...string) {
		if w.rng.IntN(3) == 0 {
			options[key] = pick(w.rng, values...)
		}
	}
	options[rewrite.OptionMinInputFiles] = pick(w.rng, "1", "2", "3")
	maybe(rewrite.OptionRewriteAll, "true")
	maybe(rewrite.OptionPartialProgress, "true")
	maybe(rewrite.OptionMaxCommits, "1", "2", "10")
	maybe(rewrite.OptionMaxFailedCommits, "0", "1")
	maybe(rewrite.OptionStartingSequence, "false")
	maybe(rewrite.OptionRemoveDangling, "true")
	maybe(rewrite.OptionDeleteFiles, "1", "2")
	maybe(rewrite.OptionMaxGroupFiles, "3", "4")
	maybe(rewrite.OptionMaxFiles, "2", "3")
	// An expiry may have removed a spec between others.
	spec := pick(w.rng, w.load().Metadata().PartitionSpecs()...)
	maybe(rewrite.OptionOutputSpec, fmt.Sprint(spec.ID()))
	return options
}

// expire expires snapshots by random rules.
func (w *world) expire() {
	w.t.Helper()
	options := w.expireOptions()
	plan, err := maintenance.PlanExpiry(context.Background(), w.env, w.ident, options)
	if err != nil {
		w.tell("plan expiry: %v", err)
		if len(options.SnapshotIDs) == 0 {
			w.t.Errorf("plan expiry: %v", err)
		}
		return
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	w.ambush(cancel)
	w.settleOthers()
	result, err := plan.Execute(ctx, w.env)
	w.before, w.after = nil, nil
	w.tell("expire %d snapshots: %+v", len(plan.Snapshots), result)
	if w.disturbed && errors.Is(err, maintenance.ErrRefused) && w.load().Properties().GetInt("write.metadata.previous-versions-max", 100) < 10 {
		// So many others came first that the metadata log does not go back.
		w.tell("expire: %v", err)
		w.settleOthers()
		w.checkAll()
		return
	}
	w.judge("expire", err)
	w.checkAll()
	if err != nil || w.disturbed {
		return
	}
	var want [len(result.Removed)]int64
	for _, f := range plan.Files {
		want[f.Kind]++
	}
	if result.Removed != want || len(result.Failed) > 0 {
		w.t.Errorf("the plan removes %v, done is %+v", want, result)
	}
}

func (w *world) expireOptions() maintenance.ExpireOptions {
	at := time.Now().Add(time.Hour)
	if w.rng.IntN(3) == 0 {
		all := w.load().Metadata().Snapshots()
		if len(all) > 0 {
			at = time.UnixMilli(pick(w.rng, all...).TimestampMs)
		}
	}
	options := maintenance.ExpireOptions{OlderThan: &at, CleanMetadata: w.rng.IntN(2) == 0}
	if w.rng.IntN(2) == 0 {
		n := 1 + w.rng.IntN(3)
		options.RetainLast = &n
	}
	if w.rng.IntN(4) == 0 && w.load().CurrentSnapshot() != nil {
		options.SnapshotIDs = []int64{w.snapshot()}
	}
	return options
}
