package procedures_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/firndb/firn/catalog"
	"github.com/firndb/firn/internal/lakefixture"
	"github.com/firndb/firn/maintenance"
	"github.com/firndb/firn/procedures"
)

const events = "tutorial.retail_clickstream_events"

// rewriteFiles plans and executes a call on the lake.
func rewriteFiles(t *testing.T, lake *lakefixture.Lake, args ...procedures.Arg) (procedures.Plan, procedures.Row, error) {
	t.Helper()
	env := procedures.Env{Env: maintenance.Env{Catalog: lake.Catalog, Now: time.Now}, Zone: time.UTC}
	plan, err := planOf(t.Context(), env, "Rewrite_Data_Files", args...)
	if err != nil {
		return nil, nil, err
	}
	rows, err := plan.Execute(context.Background())
	if err != nil {
		return plan, nil, err
	}
	if len(rows) != 1 {
		t.Fatalf("%d rows", len(rows))
	}
	return plan, rows[0], nil
}

func arg(name string, value any) procedures.Arg { return procedures.Arg{Name: name, Value: value} }

func TestRewriteRefuses(t *testing.T) {
	lake := lakefixture.Open(t, catalog.Hooks{})
	for name, tc := range map[string]struct {
		args  []procedures.Arg
		class error
		says  string
	}{
		"unknown strategy":       {[]procedures.Arg{arg("table", events), arg("strategy", "nope")}, procedures.ErrArgument, `"nope"`},
		"empty strategy":         {[]procedures.Arg{arg("table", events), arg("strategy", "")}, procedures.ErrArgument, `""`},
		"strategy zorder":        {[]procedures.Arg{arg("table", events), arg("strategy", "zorder")}, procedures.ErrArgument, "zorder"},
		"sort without order":     {[]procedures.Arg{arg("table", events), arg("strategy", "SORT")}, maintenance.ErrInvalid, "has no sort order"},
		"no order":               {[]procedures.Arg{arg("table", events), arg("sort_order", "user_id + 1")}, maintenance.ErrInvalid, `"sort_order"`},
		"order of no column":     {[]procedures.Arg{arg("table", events), arg("sort_order", "hilbert(nope)")}, maintenance.ErrInvalid, `"nope"`},
		"curve and column":       {[]procedures.Arg{arg("table", events), arg("sort_order", "zorder(user_id), price")}, maintenance.ErrInvalid, "mixes"},
		"option of zorder":       {[]procedures.Arg{arg("table", events), arg("sort_order", "hilbert(user_id)"), arg("options", map[string]string{"max-output-size": "1"})}, maintenance.ErrInvalid, "strategy hilbert"},
		"option of sort":         {[]procedures.Arg{arg("table", events), arg("options", map[string]string{"compression-factor": "1"})}, maintenance.ErrInvalid, "strategy binpack"},
		"factor of 0":            {[]procedures.Arg{arg("table", events), arg("sort_order", "price"), arg("options", map[string]string{"compression-factor": "0"})}, maintenance.ErrInvalid, `"compression-factor"`},
		"no parts":               {[]procedures.Arg{arg("table", events), arg("sort_order", "price"), arg("options", map[string]string{"shuffle-partitions-per-file": "0"})}, maintenance.ErrInvalid, `"shuffle-partitions-per-file"`},
		"no bytes of strings":    {[]procedures.Arg{arg("table", events), arg("sort_order", "zorder(price)"), arg("options", map[string]string{"var-length-contribution": "0"})}, maintenance.ErrInvalid, `"var-length-contribution"`},
		"no bytes of places":     {[]procedures.Arg{arg("table", events), arg("sort_order", "zorder(price)"), arg("options", map[string]string{"max-output-size": "0"})}, maintenance.ErrInvalid, `"max-output-size"`},
		"sort order and binpack": {[]procedures.Arg{arg("table", events), arg("strategy", "binpack"), arg("sort_order", "user_id")}, procedures.ErrArgument, "sort_order"},
		"unknown option":         {[]procedures.Arg{arg("table", events), arg("options", map[string]string{"no-such-option": "1"})}, procedures.ErrArgument, "no-such-option"},
		"option of other case":   {[]procedures.Arg{arg("table", events), arg("options", map[string]string{"REWRITE-ALL": "true"})}, procedures.ErrArgument, "REWRITE-ALL"},
		"bad option":             {[]procedures.Arg{arg("table", events), arg("options", map[string]string{"min-input-files": "two"})}, maintenance.ErrInvalid, `"min-input-files"`},
		"bad condition":          {[]procedures.Arg{arg("table", events), arg("where", "event_time >=")}, procedures.ErrArgument, "where"},
		"empty condition":        {[]procedures.Arg{arg("table", events), arg("where", "")}, procedures.ErrArgument, "where"},
		"unknown branch":         {[]procedures.Arg{arg("table", "ops.branches"), arg("branch", "nope")}, maintenance.ErrInvalid, "nope"},
		"tag":                    {[]procedures.Arg{arg("table", "ops.branches"), arg("branch", "v1"), arg("options", map[string]string{"rewrite-all": "true"})}, maintenance.ErrInvalid, "v1"},
		"unknown table":          {[]procedures.Arg{arg("table", "ops.nope")}, catalog.ErrNoSuchTable, "nope"},
		"orc":                    {[]procedures.Arg{arg("table", "ops.formats_orc"), arg("options", map[string]string{"rewrite-all": "true"})}, maintenance.ErrUnsupported, "orc"},
	} {
		t.Run(name, func(t *testing.T) {
			_, _, err := rewriteFiles(t, lake, tc.args...)
			if !errors.Is(err, tc.class) || !strings.Contains(err.Error(), tc.says) {
				t.Errorf("got %v, want class %q with %q", err, tc.class, tc.says)
			}
		})
	}
	lake.Check(t, "tutorial", "retail_clickstream_events")
}

func TestRewriteBranchInName(t *testing.T) {
	lake := lakefixture.Open(t, catalog.Hooks{})
	_, row, err := rewriteFiles(t, lake, arg("table", "ops.branches.branch_dev"), arg("options", map[string]string{"rewrite-all": "true"}))
	if err != nil {
		t.Fatal(err)
	}
	if want := "[12 3 11605 0 0]"; fmt.Sprint(row) != want {
		t.Errorf("got %v, Spark %s", row, want)
	}
	lake.CheckFiles(t, "ops", "branches")
}

// TestRewriteWhere makes the calls with conditions of Spark's record and
// compares the counts, and the preview with what is done (promise P8).
func TestRewriteWhere(t *testing.T) {
	ran := 0
	for _, sc := range scenarios(t, "rewrite_data_files") {
		text, ok := strings.CutPrefix(sc.Name, "where: ")
		if !ok || sc.Steps[0].Error != nil || strings.Contains(text, "lake.system") {
			continue
		}
		ran++
		// A name with a percent sign would make a folder that SQLite cannot open.
		t.Run(strings.ReplaceAll(text, "%", "_"), func(t *testing.T) {
			lake := lakefixture.Open(t, catalog.Hooks{})
			plan, row, err := rewriteFiles(t, lake, arg("table", events), arg("where", text), arg("options", map[string]string{"rewrite-all": "true"}))
			if err != nil {
				t.Fatal(err)
			}
			if got, want := fmt.Sprint(row), fmt.Sprint(sc.Steps[0].Rows[0]); got != want {
				t.Errorf("got %s, Spark %s", got, want)
			}
			comparePreview(t, plan.Steps(), row)
			lake.Check(t, "tutorial", "retail_clickstream_events")
		})
	}
	if ran < 20 {
		t.Errorf("only %d conditions were tried", ran)
	}
}

// comparePreview compares a preview with the result.
func comparePreview(t *testing.T, steps []procedures.Step, row procedures.Row) {
	t.Helper()
	var in, out, bytes int64
	for _, s := range steps {
		if s.Action == procedures.ActionRewrite {
			in, out, bytes = in+s.FilesIn, out+s.FilesOut, bytes+s.BytesIn
		}
	}
	if fmt.Sprint([]any{in, out, bytes}) != fmt.Sprint(row[:3]) {
		t.Errorf("the preview says %d files of %d bytes become %d; the result %v", in, bytes, out, row)
	}
}
