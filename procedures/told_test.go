package procedures_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/firndb/firn/catalog"
	"github.com/firndb/firn/internal/lakefixture"
	"github.com/firndb/firn/procedures"
)

// preview is the steps of a call.
func preview(t *testing.T, env procedures.Env, name string, args ...procedures.Arg) []procedures.Step {
	t.Helper()
	plan, err := planOf(t.Context(), env, name, args...)
	if err != nil {
		t.Fatal(err)
	}
	return plan.Steps()
}

// Of field reports, 126: users took expiry for a removal of all old files, or of
// all that nothing needs. Its preview ends with what stays.
func TestExpirySaysWhatStays(t *testing.T) {
	lake := lakefixture.Open(t, catalog.Hooks{})
	for older, want := range map[int]string{2000: "15 snapshots", 2100: "3 snapshots"} {
		steps := preview(t, lakeEnv(lake), "expire_snapshots", arg("table", "ops.chain"), arg("retain_last", int32(3)),
			arg("older_than", time.Date(older, 1, 1, 0, 0, 0, 0, time.UTC)))
		last := steps[len(steps)-1]
		if last.Action != procedures.ActionSkip || last.Object != want || !strings.Contains(last.Reason, "every file read there, however old") ||
			!strings.Contains(last.Reason, "remove_orphan_files") {
			t.Errorf("older than %d: the last step is %v, want %s", older, last, want)
		}
	}
}

// Of field reports, 71: rewrites ignored the table's sort order, and nobody knew.
// With sort it is what rows are sorted by, and the preview of binpack says that it
// is not looked at.
func TestPreviewNamesTheSortOrder(t *testing.T) {
	lake := lakefixture.Open(t, catalog.Hooks{})
	all := arg("options", map[string]string{"rewrite-all": "true"})
	says := func(word, table string, args ...procedures.Arg) int {
		steps := preview(t, lakeEnv(lake), "rewrite_data_files", append(args, arg("table", table), all)...)
		n := 0
		for _, s := range steps {
			if strings.Contains(s.Reason, word) {
				n++
			}
		}
		return n
	}
	const order = "grp ASC NULLS LAST, val DESC NULLS LAST"
	if says("strategy => 'sort' they are put in the table's order, "+order, "ops.sorted") != 1 {
		t.Error("the preview of binpack does not name the table's order")
	}
	if says("sorted by "+order, "ops.sorted", arg("strategy", "sort")) == 0 {
		t.Error("strategy sort does not take the table's order")
	}
	if says("table's order", "ops.sorted", arg("strategy", "sort")) != 0 || says("table's order", "ops.chain") != 0 {
		t.Error("a preview names an order that is applied, or none")
	}
}

// Of field reports, 78: a rewrite that did not do all that there was to do gave no
// sign, and had to be called again until it did nothing. What is left is told, and
// calling again does it.
func TestWhatIsLeftIsTold(t *testing.T) {
	lake := lakefixture.Open(t, catalog.Hooks{})
	env := lakeEnv(lake)
	var warnings []string
	env.Warn = func(message string) { warnings = append(warnings, message) }
	args := []procedures.Arg{arg("table", "ops.unpartitioned"), arg("options", map[string]string{"min-input-files": "2", "max-files-to-rewrite": "4"})}
	var left []string
	for range 4 {
		warnings = nil
		rows, _, err := call(t.Context(), env, "rewrite_data_files", args...)
		if err != nil {
			t.Fatal(err)
		}
		left = append(left, fmt.Sprint(rows[0][0], warnings))
	}
	want := []string{
		`4 ["max-files-to-rewrite" is 4: 2 files that are worth rewriting are left; another call goes on with them]`, "3 []", "0 []", "0 []",
	}
	if fmt.Sprint(left) != fmt.Sprint(want) {
		t.Errorf("got %v, want %v", left, want)
	}
	lake.CheckFiles(t, "ops", "unpartitioned")
}
