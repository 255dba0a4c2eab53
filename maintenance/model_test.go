package maintenance_test

import (
	"fmt"
	"testing"

	"github.com/apache/iceberg-go/table"

	"github.com/firndb/firn/maintenance"
	"github.com/firndb/firn/maintenance/rewrite"
)

// The tests here are orders of steps that package internal/model has found to be
// dangerous.

// TestRefusedAfterItWasCommittedAndExpired has a commit that is applied and then
// refused when it is sent again; meanwhile others have built on it and an expiry
// has taken its snapshot away.
func TestRefusedAfterItWasCommittedAndExpired(t *testing.T) {
	for _, appends := range []int{1, 2} {
		t.Run(fmt.Sprint(appends), func(t *testing.T) {
			w := threePartitions(t, nil)
			plan, err := w.planRewrite(table.MainBranch, nil, map[string]string{rewrite.OptionRewriteAll: "true"})
			if err != nil {
				t.Fatal(err)
			}
			w.after = func() error {
				w.remember(true)
				for range appends {
					w.appendIDs(table.MainBranch, []int64{3})
				}
				if _, err := expireAll(w.c, w.ident); err != nil {
					t.Error(err)
				}
				return errRefusal
			}
			result, err := plan.Execute(t.Context(), w.env)
			if err != nil || result.RewrittenFiles != 6 {
				t.Errorf("%+v, %v", result, err)
			}
			w.checkAll()
		})
	}
}

// TestLateAppendBeforeTheSecondLook commits files that had been listed as orphans.
func TestLateAppendBeforeTheSecondLook(t *testing.T) {
	w := threePartitions(t, nil)
	late := w.unfinished()
	w.age(oldEnough)
	plan, err := w.orphans(maintenance.OrphanOptions{})
	if err != nil || len(plan.Files) == 0 {
		t.Fatalf("%v, %v", plan, err)
	}
	if _, err := late.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	if done, err := plan.Execute(t.Context(), w.env); err != nil || len(done.Files) > 0 || done.Removed > 0 {
		t.Errorf("removed %v (%v)", done, err)
	}
	w.checkAll()
}
