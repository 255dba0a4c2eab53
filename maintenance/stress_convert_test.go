package maintenance_test

import (
	"context"
	"errors"

	"github.com/apache/iceberg-go"
	"github.com/apache/iceberg-go/table"

	"github.com/firndb/firn/maintenance"
	"github.com/firndb/firn/maintenance/rewrite"
)

// convertDeletes converts main's equality delete files.
func (w *world) convertDeletes() {
	w.t.Helper()
	w.env.Limits.MemoryBytes = pick(w.rng, int64(1), 1<<26)
	var older *rewrite.Plan
	if w.depth == 0 && w.version > 1 && w.rng.IntN(4) > 0 {
		if w.rng.IntN(3) == 0 {
			older = w.planOlder()
		}
		w.deleteEqual(table.MainBranch)
		w.remember(false)
	}
	var where iceberg.BooleanExpression
	if w.rng.IntN(4) == 0 {
		where = iceberg.LessThan(iceberg.Reference("part"), int32(w.rng.IntN(3)))
	}
	plan := w.planConvert(where)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	w.ambush(cancel)
	if older != nil {
		w.before = func() error { return w.executeOlder(older) }
	}
	w.settleOthers()
	result, err := plan.Execute(ctx, w.env)
	w.before, w.after = nil, nil
	w.tell("conversion of equality deletes where %v: %d files in %d groups: %+v", where, plan.Files(), len(plan.Groups), result)
	w.judge("conversion of equality deletes", err)
	w.remember(true)
	w.checkFiles()
	if err != nil || w.disturbed {
		return
	}
	most := int64(0)
	for _, g := range plan.Groups {
		most += g.OutputFiles
	}
	if result.ConvertedFiles != plan.Files() || int64(result.AddedFiles) > most {
		w.t.Errorf("%d files were planned to become at most %d, and %+v done", plan.Files(), most, result)
	}
	if n := w.planConvert(where).Files(); n > 0 {
		w.t.Errorf("a second run selects %d files", n)
	}
}

// planOlder plans a rewrite of data files, which a conversion of later equality
// deletes will meet.
func (w *world) planOlder() *rewrite.Plan {
	w.t.Helper()
	w.order = ""
	plan, err := w.planRewrite(table.MainBranch, nil, map[string]string{rewrite.OptionRewriteAll: "true"})
	if err != nil {
		w.t.Fatal(err)
	}
	return plan
}

func (w *world) executeOlder(plan *rewrite.Plan) error {
	w.depth++
	result, err := plan.Execute(context.Background(), w.env)
	w.tell("the older rewrite: %+v, %v", result, err)
	w.depth--
	if err != nil && !errors.Is(err, maintenance.ErrConflict) {
		w.t.Errorf("the older rewrite: %v", err)
	}
	w.disturbed, w.lost = true, false
	return nil
}

func (w *world) planConvert(where iceberg.BooleanExpression) *rewrite.ConvertPlan {
	w.t.Helper()
	tbl, err := w.c.Load(context.Background(), w.ident)
	if err != nil {
		w.t.Fatal(err)
	}
	o, err := rewrite.ParseConvertOptions(nil, tbl.Metadata())
	if err != nil {
		w.t.Fatal(err)
	}
	plan, err := rewrite.NewConvertPlan(context.Background(), rewrite.ConvertRequest{Table: tbl, Where: where, Options: o})
	if err != nil {
		w.t.Fatalf("plan conversion of equality deletes: %v", err)
	}
	return plan
}
