package filter_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/apache/iceberg-go/table"

	"github.com/firndb/firn/catalog"
	"github.com/firndb/firn/internal/lakefixture"
	"github.com/firndb/firn/maintenance/filter"
)

// scenario is one of Spark's calls with a where.
type scenario struct {
	Name   string   `json:"name"`
	Tables []string `json:"tables"`
	Steps  []struct {
		Statement string          `json:"statement"`
		Rows      [][]int64       `json:"rows"`
		Error     json.RawMessage `json:"error"`
	} `json:"steps"`
}

// beyondSpark are conditions that Spark refuses and Firn does not.
var beyondSpark = map[string]int{
	"date_trunc('DAY', event_time) = TIMESTAMP '2026-01-09 00:00:00'": 5,
	"system.days(event_time) = DATE '2026-01-09'":                     5,
	"days(event_time) = DATE '2026-01-09'":                            5,
}

// named are scenarios whose name is not the condition.
var named = map[string]string{
	"order_events where on both partition columns": `event_time < TIMESTAMP "2026-02-03 00:00:00" AND customer_id = 7`,
	"order_events where bucket":                    `lake.system.bucket(4, customer_id) = 1`,
	"evolved: where on the renamed column":         `full_name = "one"`,
	"evolved: where on a column with spaces":       "`Weird Col-1.x` = \"weird\"",
	"evolved: where on a nested field":             `info.a = 1`,
	"double quotes around where":                   `event_time >= '2026-01-09' and event_time < '2026-01-10'`,
	"doubled quotes inside where":                  `event_type = 'purchase'`,
}

// TestFilesChosen compares the number of files that a condition selects with
// the number that Spark rewrote for it.
func TestFilesChosen(t *testing.T) {
	l := lakefixture.Open(t, catalog.Hooks{})
	run := 0
	for _, s := range scenarios(t) {
		text, ok := named[s.Name]
		if !ok {
			if text, ok = strings.CutPrefix(s.Name, "where: "); !ok {
				continue
			}
		}
		run++
		t.Run(s.Name, func(t *testing.T) {
			step := s.Steps[0]
			got, err := chosen(t, l, s.Tables[0], text, step.Statement)
			if want, ok := beyondSpark[text]; ok {
				if err != nil || got != want || step.Rows != nil {
					t.Errorf("got %d files, error %v; want %d, and that Spark refuses", got, err, want)
				}
				return
			}
			if step.Rows == nil {
				if !errors.Is(err, filter.ErrSyntax) && !errors.Is(err, filter.ErrUnsupported) {
					t.Errorf("got %d files, error %v; Spark refuses: %.200s", got, err, step.Error)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if want := int(step.Rows[0][0]); got != want {
				t.Errorf("%d files chosen, Spark rewrote %d", got, want)
			}
		})
	}
	if run < 50 {
		t.Errorf("only %d scenarios found", run)
	}
}

func scenarios(t *testing.T) []scenario {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(lakefixture.Testdata(t), "golden_calls", "rewrite_data_files.json"))
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Scenarios []json.RawMessage `json:"scenarios"`
	}
	if err := json.Unmarshal(content, &file); err != nil {
		t.Fatal(err)
	}
	var out []scenario
	for _, raw := range file.Scenarios {
		var s scenario
		// Scenarios with rows of other shapes are not about where.
		if json.Unmarshal(raw, &s) == nil {
			out = append(out, s)
		}
	}
	return out
}

// chosen counts the files that a condition selects and that a call with the
// statement's options takes: all, or those that are not alone in a partition.
func chosen(t *testing.T, l *lakefixture.Lake, name, text, statement string) (int, error) {
	t.Helper()
	tbl, err := l.Catalog.Load(t.Context(), strings.Split(name, "."))
	if err != nil {
		t.Fatal(err)
	}
	e, err := filter.Parse(text, tbl.Schema(), filter.Options{
		Now:   time.Date(2026, 11, 30, 3, 0, 0, 0, time.UTC),
		Table: append([]string{"lake"}, strings.Split(name, ".")...),
	})
	if err != nil {
		return 0, err
	}
	tasks, err := tbl.Scan(table.WithRowFilter(e)).PlanFiles(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	partitions := map[string]map[string]bool{}
	for _, task := range tasks {
		key := fmt.Sprint(task.File.SpecID(), task.File.Partition())
		if partitions[key] == nil {
			partitions[key] = map[string]bool{}
		}
		partitions[key][task.File.FilePath()] = true
	}
	files := 0
	for _, p := range partitions {
		if len(p) > 1 || !strings.Contains(statement, "'min-input-files', '2'") {
			files += len(p)
		}
	}
	return files, nil
}
