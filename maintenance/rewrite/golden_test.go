package rewrite_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/apache/iceberg-go"
	"github.com/apache/iceberg-go/table"

	"github.com/firndb/firn/catalog"
	"github.com/firndb/firn/internal/lakefixture"
	"github.com/firndb/firn/maintenance"
	"github.com/firndb/firn/maintenance/rewrite"
)

// scenario is what Spark answered to some statements.
type scenario struct {
	Name   string
	Conf   map[string]string
	Tables []string
	Steps  []struct {
		Statement string
		Rows      [][]any
		Error     *struct{ Message string }
		State     map[string]state
	}
}

// state is a table after a statement, as Spark saw it.
type state struct {
	SnapshotCount int               `json:"snapshot_count"`
	RowCount      int               `json:"row_count"`
	Operation     string            `json:"current_operation"`
	Summary       map[string]string `json:"current_summary"`
	Files         [][]any           `json:"files"`
	Manifests     [][]any           `json:"manifests"`
}

func scenarios(t *testing.T) []scenario {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(lakefixture.Testdata(t), "golden_calls", "rewrite_data_files.json"))
	if err != nil {
		t.Fatal(err)
	}
	var file struct{ Scenarios []scenario }
	if err := json.Unmarshal(data, &file); err != nil {
		t.Fatal(err)
	}
	return file.Scenarios
}

// call is a CALL statement taken apart. The goldens' statements are regular
// enough for that; parsing SQL is tested elsewhere.
type call struct {
	table, branch string
	where         string
	options       map[string]string
}

var (
	reTable   = regexp.MustCompile(`table => ['"]([^'"]+)['"]`)
	reBranch  = regexp.MustCompile(`branch => '([^']+)'`)
	reOptions = regexp.MustCompile(`options => map\(([^)]*)\)`)
	rePart    = regexp.MustCompile(`'([^']*)'|([^\s,']+)`)
)

// parseCall reports false for statements that are not a bin-packing rewrite.
func parseCall(text string) (c call, ok bool) {
	if !strings.Contains(text, "rewrite_data_files(") || strings.Contains(text, "sort") {
		return c, false
	}
	if m := reTable.FindStringSubmatch(text); m != nil {
		c.table = m[1]
	}
	if m := reBranch.FindStringSubmatch(text); m != nil {
		c.branch = m[1]
	}
	c.options = map[string]string{}
	if m := reOptions.FindStringSubmatch(text); m != nil {
		var parts []string
		for _, p := range rePart.FindAllStringSubmatch(m[1], -1) {
			parts = append(parts, p[1]+p[2])
		}
		for i := 0; i+1 < len(parts); i += 2 {
			c.options[parts[i]] = parts[i+1]
		}
	}
	if strings.Contains(text, "where => ") {
		c.where = "given"
	}
	return c, true
}

func env(c *catalog.Catalog) maintenance.Env {
	return maintenance.Env{Catalog: c, Now: time.Now, Limits: maintenance.Limits{Concurrency: 2, MemoryBytes: 1 << 28}}
}

// rewriteTable plans and executes a rewrite of a table of the lake.
func rewriteTable(t *testing.T, c *catalog.Catalog, name, branch string, where iceberg.BooleanExpression, options map[string]string) (rewrite.Result, error) {
	t.Helper()
	ctx := context.Background()
	tbl, err := c.Load(ctx, strings.Split(name, "."))
	if err != nil {
		t.Fatal(err)
	}
	o, err := rewrite.ParseOptions(options, tbl.Metadata())
	if err != nil {
		return rewrite.Result{}, err
	}
	plan, err := rewrite.NewPlan(ctx, rewrite.Request{Table: tbl, Branch: branch, Where: where, Options: o})
	if err != nil {
		return rewrite.Result{}, err
	}
	return plan.Execute(ctx, env(c))
}

// differences are scenarios whose answer is not Spark's, on purpose.
var differences = map[string]string{
	"defaults, then rewrite-all: ops.formats_orc":   "ORC data files are refused: " + refusedFormat,
	"defaults, then rewrite-all: ops.formats_mixed": "Avro and ORC data files are refused: " + refusedFormat,
	"branch in the table name":                      "a branch in the table's name is resolved by the procedure, where it is tested",
	"evolved: output-spec-id 0":                     fewerFiles,
}

const (
	refusedFormat = "only Parquet can be read"
	fewerFiles    = "Spark shuffles rows of another spec by the table's sort order into as many files as it has shuffle partitions; here a group becomes one file per partition"
)

func TestGolden(t *testing.T) {
	seen := map[string]bool{}
	for _, sc := range scenarios(t) {
		if differences[sc.Name] != "" {
			seen[sc.Name] = true
			continue
		}
		t.Run(sc.Name, func(t *testing.T) {
			t.Parallel()
			runScenario(t, sc)
		})
	}
	for name := range differences {
		if !seen[name] {
			t.Errorf("no scenario %q", name)
		}
	}
}

func runScenario(t *testing.T, sc scenario) {
	if sc.Conf != nil {
		return
	}
	for _, step := range sc.Steps {
		c, ok := parseCall(step.Statement)
		if strings.HasPrefix(step.Statement, "CALL") && (!ok || c.where != "") {
			return
		}
	}
	lake := lakefixture.Open(t, catalog.Hooks{})
	pristine := true
	for _, step := range sc.Steps {
		c, ok := parseCall(step.Statement)
		if !ok {
			continue
		}
		got, err := rewriteTable(t, lake.Catalog, c.table, c.branch, nil, c.options)
		if step.Error != nil {
			if !errors.Is(err, maintenance.ErrInvalid) {
				t.Errorf("%s: got %v, Spark refuses: %s", step.Statement, err, step.Error.Message)
			}
			continue
		}
		if err != nil {
			t.Fatalf("%s: %v", step.Statement, err)
		}
		have := []int64{int64(got.RewrittenFiles), int64(got.AddedFiles), got.RewrittenBytes, int64(got.FailedFiles), int64(got.RemovedDeletes)}
		want := make([]int64, 5)
		for i, v := range step.Rows[0] {
			want[i] = int64(v.(float64))
		}
		if !pristine {
			// The files are ours by now and of other sizes.
			have[2], want[2] = 0, 0
		}
		if !slices.Equal(have, want) {
			t.Errorf("%s: got %v, Spark %v", step.Statement, have, want)
		}
		lake.Check(t, strings.Split(c.table, ".")...)
		if st, ok := step.State[c.table]; ok {
			compareState(t, lake.Catalog, c, st, pristine)
		}
		pristine = pristine && got.RewrittenFiles == 0
	}
}

// compareState compares the table with Spark's after the same statement: what
// the snapshot's summary says but for sizes of new files, the live files of
// each partition, and the manifests.
//
// With partial progress, the last snapshot depends on which group was ready
// last, so that only the files are compared.
func compareState(t *testing.T, c *catalog.Catalog, made call, want state, pristine bool) {
	t.Helper()
	tbl, err := c.Load(context.Background(), strings.Split(made.table, "."))
	if err != nil {
		t.Fatal(err)
	}
	snap := tbl.CurrentSnapshot()
	if snap == nil || want.Operation == "" {
		return
	}
	if got := len(tbl.Metadata().Snapshots()); got != want.SnapshotCount {
		t.Errorf("%d snapshots, Spark %d", got, want.SnapshotCount)
	}
	if got := string(snap.Summary.Operation); got != want.Operation {
		t.Errorf("operation %q, Spark %q", got, want.Operation)
	}
	files, manifests := filesOf(t, tbl)
	if w := sparkFiles(want.Files); !slices.Equal(files, w) {
		t.Errorf("files\n  got   %v\n  Spark %v", files, w)
	}
	if made.options[rewrite.OptionPartialProgress] == "true" {
		return
	}
	got, w := comparable(snap.Summary.Properties, pristine), comparable(want.Summary, pristine)
	if !maps.Equal(got, w) {
		t.Errorf("summary\n  got   %v\n  Spark %v", got, w)
	}
	if w := sparkManifests(want.Manifests); !slices.Equal(manifests, w) {
		t.Errorf("manifests\n  got   %v\n  Spark %v", manifests, w)
	}
}

// comparable is a summary without what names the engine or depends on how
// compactly it writes.
func comparable(summary map[string]string, pristine bool) map[string]string {
	out := map[string]string{}
	if !pristine {
		summary = maps.Clone(summary)
		delete(summary, "removed-files-size")
	}
	for k, v := range summary {
		switch k {
		case "added-files-size", "total-files-size", "engine-name", "engine-version", "app-id", "app-name", "iceberg-version", "spark.app.id":
		default:
			out[k] = v
		}
	}
	return out
}

// filesOf counts live files and their rows by content and spec, and entries of
// manifests, as the golden does.
func filesOf(t *testing.T, tbl *table.Table) (files, manifests []string) {
	t.Helper()
	fs, err := tbl.FS(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	list, err := tbl.CurrentSnapshot().Manifests(fs)
	if err != nil {
		t.Fatal(err)
	}
	count := map[string][2]int64{}
	byManifest := map[string][7]int64{}
	for _, m := range list {
		key := fmt.Sprintf("%d/%d", m.ManifestContent(), m.PartitionSpecID())
		n := byManifest[key]
		n[0]++
		at := 1 + 3*int(m.ManifestContent())
		n[at] += int64(m.AddedDataFiles())
		n[at+1] += int64(m.ExistingDataFiles())
		n[at+2] += int64(m.DeletedDataFiles())
		byManifest[key] = n
		for e, err := range m.Entries(fs, true) {
			if err != nil {
				t.Fatal(err)
			}
			df := e.DataFile()
			key := fmt.Sprintf("%d/%d", df.ContentType(), df.SpecID())
			n := count[key]
			n[0]++
			n[1] += df.Count()
			count[key] = n
		}
	}
	for k, n := range count {
		files = append(files, fmt.Sprintf("%s: %v", k, n))
	}
	for k, n := range byManifest {
		manifests = append(manifests, fmt.Sprintf("%s: %v", k, n))
	}
	slices.Sort(files)
	slices.Sort(manifests)
	return files, manifests
}

func sparkFiles(rows [][]any) []string {
	count := map[string][2]int64{}
	for _, r := range rows {
		key := fmt.Sprintf("%v/%v", r[0], r[1])
		n := count[key]
		n[0] += int64(r[5].(float64))
		n[1] += int64(r[6].(float64))
		count[key] = n
	}
	var out []string
	for k, n := range count {
		out = append(out, fmt.Sprintf("%s: %v", k, n))
	}
	slices.Sort(out)
	return out
}

func sparkManifests(rows [][]any) []string {
	var out []string
	for _, r := range rows {
		n := make([]int64, 7)
		for i, v := range r[2:] {
			if f, ok := v.(float64); ok {
				n[i] = int64(f)
			}
		}
		out = append(out, fmt.Sprintf("%v/%v: %v", r[0], r[1], n))
	}
	slices.Sort(out)
	return out
}
