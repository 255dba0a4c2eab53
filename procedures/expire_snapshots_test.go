package procedures_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/apache/iceberg-go"
	"github.com/apache/iceberg-go/table"
	"github.com/google/go-cmp/cmp"

	"github.com/firndb/firn/catalog"
	"github.com/firndb/firn/internal/lakefixture"
	"github.com/firndb/firn/maintenance"
	"github.com/firndb/firn/procedures"
)

// scenario is one of golden_calls: what Spark did to a fresh copy of the lake.
type scenario struct {
	Name   string
	Tables []string
	Steps  []struct {
		Statement string
		Rows      [][]any
		Error     *struct{ Message string }
		State     map[string]tableState
		Storage   map[string]map[string]int
	}
}

type tableState struct {
	SnapshotCount int `json:"snapshot_count"`
	HistoryCount  int `json:"history_count"`
	Refs          map[string]struct {
		Type          string
		SnapshotIndex int `json:"snapshot_index"`
	}
}

func scenarios(t *testing.T, group string) []scenario {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(lakefixture.Testdata(t), "golden_calls", group+".json"))
	if err != nil {
		t.Fatal(err)
	}
	var golden struct{ Scenarios []scenario }
	if err := json.Unmarshal(text, &golden); err != nil {
		t.Fatal(err)
	}
	return golden.Scenarios
}

// lakeEnv is an environment on the lake, at a time shortly after it was written.
func lakeEnv(l *lakefixture.Lake) procedures.Env {
	return procedures.Env{Zone: time.UTC, Env: maintenance.Env{
		Catalog: l.Catalog,
		Now:     func() time.Time { return time.Date(2026, 11, 30, 6, 0, 0, 0, time.UTC) },
	}}
}

// args reads the arguments of a call as golden_calls writes them.
func args(t *testing.T, statement string) []procedures.Arg {
	t.Helper()
	_, inner, _ := strings.Cut(statement, "(")
	inner = strings.TrimSuffix(inner, ")")
	var all []procedures.Arg
	for _, m := range regexp.MustCompile(`(?:(\w+) => )?((?:TIMESTAMP )?'[^']*'|ARRAY\([^)]*\)|[\w-]+)`).FindAllStringSubmatch(inner, -1) {
		all = append(all, procedures.Arg{Name: m[1], Value: value(t, m[2])})
	}
	return all
}

func value(t *testing.T, text string) any {
	t.Helper()
	if list, ok := strings.CutPrefix(text, "ARRAY("); ok {
		var all []any
		for item := range strings.SplitSeq(strings.TrimSuffix(list, ")"), ", ") {
			all = append(all, value(t, item))
		}
		return all
	}
	if at, ok := strings.CutPrefix(text, "TIMESTAMP "); ok {
		instant, err := time.Parse("2006-01-02 15:04:05", strings.Trim(at, "'"))
		if err != nil {
			t.Fatal(err)
		}
		return instant
	}
	if strings.HasPrefix(text, "'") {
		return strings.Trim(text, "'")
	}
	if b, err := strconv.ParseBool(text); err == nil {
		return b
	}
	n, err := strconv.ParseInt(strings.TrimSuffix(text, "L"), 10, 64)
	if err != nil {
		t.Fatalf("no value: %s", text)
	}
	return n
}

// planOf binds and plans.
func planOf(ctx context.Context, env procedures.Env, name string, args ...procedures.Arg) (procedures.Plan, error) {
	p, err := procedures.New(name)
	if err != nil {
		return nil, err
	}
	if err := procedures.Bind(p, args); err != nil {
		return nil, err
	}
	return p.Plan(ctx, env)
}

// call binds, plans and executes.
func call(ctx context.Context, env procedures.Env, name string, args ...procedures.Arg) ([]procedures.Row, []procedures.Step, error) {
	plan, err := planOf(ctx, env, name, args...)
	if err != nil {
		return nil, nil, err
	}
	steps := plan.Steps()
	rows, err := plan.Execute(ctx)
	return rows, steps, err
}

// setProperties does what the ALTER TABLE of a scenario does.
func setProperties(t *testing.T, l *lakefixture.Lake, ident table.Identifier, statement string) {
	t.Helper()
	props := iceberg.Properties{}
	for _, m := range regexp.MustCompile(`'([^']*)'='([^']*)'`).FindAllStringSubmatch(statement, -1) {
		props[m[1]] = m[2]
	}
	if _, _, err := l.Catalog.Commit(t.Context(), ident, nil, []table.Update{table.NewSetPropertiesUpdate(props)}); err != nil {
		t.Fatal(err)
	}
}

// stored counts the objects of a table as golden_calls does.
func stored(l *lakefixture.Lake, ident table.Identifier) map[string]int {
	counts := map[string]int{}
	prefix := "wh/" + strings.Join(ident, "/") + "/"
	for _, key := range l.Objects(prefix) {
		folder, name, _ := strings.Cut(strings.TrimPrefix(key, prefix), "/")
		switch {
		case folder != "metadata":
			counts[folder]++
		case strings.HasSuffix(name, ".metadata.json"):
			counts["metadata:metadata_json"]++
		case strings.HasPrefix(name, "snap-"):
			counts["metadata:manifest_list"]++
		case strings.HasSuffix(name, ".avro"):
			counts["metadata:manifest"]++
		default:
			counts["metadata:"+strings.TrimPrefix(filepath.Ext(name), ".")]++
		}
	}
	return counts
}

// TestExpireAsSpark compares with Spark everything that the call changes.
func TestExpireAsSpark(t *testing.T) {
	// These begin with statements that are not about expiring.
	others := []string{"after compaction", "with statistics"}
	ran := 0
	for _, s := range scenarios(t, "expire_snapshots") {
		if slices.Contains(others, s.Name) {
			continue
		}
		ran++
		t.Run(s.Name, func(t *testing.T) {
			l := lakefixture.Open(t, catalog.Hooks{})
			ident := table.Identifier(strings.Split(s.Tables[0], "."))
			for _, step := range s.Steps {
				switch {
				case strings.HasPrefix(step.Statement, "ALTER TABLE"):
					setProperties(t, l, ident, step.Statement)
				case strings.HasPrefix(step.Statement, "CALL"):
					got, steps, err := call(t.Context(), lakeEnv(l), "expire_snapshots", args(t, step.Statement)...)
					if (err != nil) != (step.Error != nil) {
						t.Fatalf("%s: got error %v, Spark has %v", step.Statement, err, step.Error)
					}
					if err == nil {
						compareRows(t, got, step.Rows)
						compareSteps(t, steps, got)
						compareState(t, l, ident, step.State[s.Tables[0]])
						if diff := cmp.Diff(step.Storage[s.Tables[0]], stored(l, ident)); diff != "" {
							t.Errorf("objects (-Spark +Firn):\n%s", diff)
						}
					}
				}
			}
			if s.Tables[0] == "ops.formats_orc" {
				l.CheckFiles(t, ident...)
				return
			}
			l.Check(t, ident...)
		})
	}
	if ran < 15 {
		t.Errorf("only %d scenarios were found", ran)
	}
}

func compareRows(t *testing.T, got []procedures.Row, want [][]any) {
	t.Helper()
	if len(got) != 1 || len(want) != 1 || len(got[0]) != len(want[0]) {
		t.Fatalf("got %v, Spark has %v", got, want)
	}
	for i, n := range want[0] {
		if float64(got[0][i].(int64)) != n {
			t.Errorf("got %v, Spark has %v", got[0], want[0])
			return
		}
	}
}

// compareSteps checks that the preview has the counts of the result.
func compareSteps(t *testing.T, steps []procedures.Step, rows []procedures.Row) {
	t.Helper()
	planned := map[string]int64{}
	for _, step := range steps {
		if step.Action == procedures.ActionDelete {
			planned[step.Object] = step.FilesIn
		}
	}
	for i, kind := range maintenance.FileKinds() {
		if planned[kind.String()] != rows[0][i] {
			t.Errorf("%v: the plan says %d, the call did %v", kind, planned[kind.String()], rows[0][i])
		}
	}
}

func compareState(t *testing.T, l *lakefixture.Lake, ident table.Identifier, want tableState) {
	t.Helper()
	tbl, err := l.Catalog.Load(t.Context(), ident)
	if err != nil {
		t.Fatal(err)
	}
	snapshots := tbl.Metadata().Snapshots()
	slices.SortStableFunc(snapshots, func(a, b table.Snapshot) int { return int(a.TimestampMs - b.TimestampMs) })
	if len(snapshots) != want.SnapshotCount {
		t.Errorf("%d snapshots, Spark has %d", len(snapshots), want.SnapshotCount)
	}
	if got := len(slices.Collect(tbl.Metadata().SnapshotLogs())); got != want.HistoryCount {
		t.Errorf("%d entries of history, Spark has %d", got, want.HistoryCount)
	}
	refs := 0
	for name, ref := range tbl.Metadata().Refs() {
		refs++
		index := slices.IndexFunc(snapshots, func(s table.Snapshot) bool { return s.SnapshotID == ref.SnapshotID })
		if w, ok := want.Refs[name]; !ok || w.SnapshotIndex != index || !strings.EqualFold(w.Type, string(ref.SnapshotRefType)) {
			t.Errorf("ref %s: %s at snapshot %d, Spark has %+v", name, ref.SnapshotRefType, index, w)
		}
	}
	if refs != len(want.Refs) {
		t.Errorf("%d refs, Spark has %d", refs, len(want.Refs))
	}
}

// TestCleanExpiredMetadata removes only the specs and schemas that nothing uses.
func TestCleanExpiredMetadata(t *testing.T) {
	old := procedures.Arg{Name: "older_than", Value: time.Date(2100, 1, 1, 0, 0, 0, 0, time.UTC)}
	for _, clean := range []bool{false, true} {
		l := lakefixture.Open(t, catalog.Hooks{})
		ident := table.Identifier{"analytics", "evolved"}
		before, err := l.Catalog.Load(t.Context(), ident)
		if err != nil {
			t.Fatal(err)
		}
		_, steps, err := call(t.Context(), lakeEnv(l), "expire_snapshots", procedures.Arg{Name: "table", Value: "analytics.evolved"}, old,
			procedures.Arg{Name: "clean_expired_metadata", Value: clean})
		if err != nil {
			t.Fatal(err)
		}
		planned := 0
		for _, step := range steps {
			if strings.HasPrefix(step.Object, "schema ") || strings.HasPrefix(step.Object, "partition spec ") {
				planned++
			}
		}
		after, err := l.Catalog.Load(t.Context(), ident)
		if err != nil {
			t.Fatal(err)
		}
		gone := len(before.Metadata().Schemas()) - len(after.Metadata().Schemas()) + len(before.Metadata().PartitionSpecs()) - len(after.Metadata().PartitionSpecs())
		if gone != planned || (gone > 0) != clean {
			t.Errorf("clean %v: %d specs and schemas are gone, %d were planned", clean, gone, planned)
		}
		l.Check(t, ident...)
	}
}

// TestExpirePreviewChangesNothing and names what it has resolved.
func TestExpirePreviewChangesNothing(t *testing.T) {
	l := lakefixture.Open(t, catalog.Hooks{})
	objects := l.Objects("")
	p, err := procedures.New("expire_snapshots")
	if err != nil {
		t.Fatal(err)
	}
	zone := time.FixedZone("", 7200)
	if err := procedures.BindIn(zone, p, []procedures.Arg{{Value: "ops.chain"}, {Value: "2026-11-30 12:00:00"}, {Value: "14"}}); err != nil {
		t.Fatal(err)
	}
	plan, err := p.Plan(t.Context(), lakeEnv(l))
	if err != nil {
		t.Fatal(err)
	}
	steps := plan.Steps()
	if len(steps) < 3 || steps[0].Action != procedures.ActionExpire || !strings.HasPrefix(steps[0].Object, "snapshot ") {
		t.Fatalf("got %+v", steps)
	}
	commit := steps[slices.IndexFunc(steps, func(s procedures.Step) bool { return s.Action == procedures.ActionCommit })]
	if !strings.Contains(commit.Reason, "2026-11-30T10:00:00Z") {
		t.Errorf("the resolved time is missing: %+v", commit)
	}
	if diff := cmp.Diff(objects, l.Objects("")); diff != "" {
		t.Errorf("objects have changed:\n%s", diff)
	}
}

func TestExpireRefusesBadNumbers(t *testing.T) {
	l := lakefixture.Open(t, catalog.Hooks{})
	for name, value := range map[string]int64{"retain_last": 0, "max_concurrent_deletes": 0} {
		_, _, err := call(t.Context(), lakeEnv(l), "expire_snapshots", procedures.Arg{Value: "ops.chain"}, procedures.Arg{Name: name, Value: value})
		if err == nil || !strings.Contains(err.Error(), strconv.Quote(name)) || !strings.Contains(err.Error(), "at least 1, got 0") {
			t.Errorf("%s: got %v", name, err)
		}
	}
	for _, name := range []string{"ops.nope", "nope.chain", "ops.chain.files", "spark_catalog.default.t"} {
		if _, _, err := call(t.Context(), lakeEnv(l), "expire_snapshots", procedures.Arg{Value: name}); !errors.Is(err, catalog.ErrNoSuchTable) {
			t.Errorf("%s: got %v", name, err)
		}
	}
	env := lakeEnv(l)
	for _, name := range []string{"OPS.Chain", "lake.ops.chain", "`lake`.`ops`.`chain`"} {
		if _, _, err := call(t.Context(), env, "expire_snapshots", procedures.Arg{Value: name}); err != nil {
			t.Errorf("%s: got %v", name, err)
		}
	}
	if _, _, err := call(t.Context(), env, "expire_snapshots", procedures.Arg{Value: "chain"}); !errors.Is(err, procedures.ErrArgument) {
		t.Errorf("a name without a namespace: got %v", err)
	}
	env.Namespace = table.Identifier{"ops"}
	if _, _, err := call(t.Context(), env, "expire_snapshots", procedures.Arg{Value: "chain"}); err != nil {
		t.Errorf("a name in the session's namespace: got %v", err)
	}
}
