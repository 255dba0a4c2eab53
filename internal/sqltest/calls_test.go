package sqltest

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/firndb/firn/catalog"
	"github.com/firndb/firn/internal/lakefixture"
)

// scenario is a list of statements that Spark ran on a fresh lake.
type scenario struct {
	Name  string            `json:"name"`
	Conf  map[string]string `json:"conf"`
	Steps []step            `json:"steps"`
}

// step is one statement, Spark's answer, and what the tables were like after
// it if it may have changed them.
type step struct {
	Answer
	State map[string]tableState `json:"state"`
}

// tableState is what the golden files say about a table, as far as it does not
// depend on who wrote it.
type tableState struct {
	RowCount      int      `json:"row_count"`
	SnapshotCount int      `json:"snapshot_count"`
	Operations    []string `json:"operations"`
	Files         [][]any  `json:"files"`
	Manifests     [][]any  `json:"manifests"`
}

// TestGoldenCalls runs what Spark ran and wants what Spark answered: the rows
// of every CALL, a refusal where it refused, and the same snapshots, files and
// rows afterwards. differences.txt lists where Firn differs, and why.
func TestGoldenCalls(t *testing.T) {
	dir := filepath.Join(lakefixture.Testdata(t), "golden_calls")
	differences := readDifferences(t, filepath.Join(dir, "differences.txt"))
	for _, group := range []string{"rewrite_data_files", "rewrite_position_delete_files", "rewrite_position_delete_files_options", "expire_snapshots", "rewrite_manifests", "remove_orphan_files"} {
		t.Run(group, func(t *testing.T) {
			var golden struct{ Scenarios []scenario }
			if err := ReadJSON(filepath.Join(dir, group+".json"), &golden); err != nil {
				t.Fatal(err)
			}
			for _, s := range golden.Scenarios {
				t.Run(s.Name, func(t *testing.T) {
					differences.judge(t, group+" | "+s.Name, replay(t, s, group != "rewrite_data_files" && !strings.Contains(s.Name, "partial-progress")))
				})
			}
		})
	}
}

// replay runs a scenario and returns the first difference, empty if none. The
// manifests are compared on demand: those of partial progress depend on which
// group is ready first.
func replay(t *testing.T, s scenario, manifests bool) string {
	t.Helper()
	if len(s.Conf) > 0 {
		return fmt.Sprintf("needs the session setting %v", s.Conf)
	}
	session := Start(t, catalog.Hooks{})
	written := false // files of ours, whose sizes are not those of Spark's
	for _, step := range s.Steps {
		if word, _, _ := strings.Cut(step.Statement, " "); strings.EqualFold(word, "SELECT") {
			continue // queries have their own tests
		}
		got, err := session.Query(t.Context(), step.Statement, false)
		switch {
		case err != nil && step.Error == nil:
			return fmt.Sprintf("%s\nrefused: %s\nSpark: %v", step.Statement, errorText(err), step.Rows)
		case err == nil && step.Error != nil:
			return fmt.Sprintf("%s\n%s\nSpark refused: %s", step.Statement, format{}.text(got), firstLine(step.Error.Message))
		case err == nil:
			want, text := withoutBytes(sparkText(step.Answer), written), withoutBytes(format{headless: true}.text(got), written)
			if strings.Contains(step.Statement, "remove_orphan_files") {
				want, text = sortedLines(want), sortedLines(text) // Spark lists folder by folder
			}
			if text != want {
				return fmt.Sprintf("%s\n%s\nSpark: %s", step.Statement, text, want)
			}
		}
		written = written || len(step.State) > 0
		for name, want := range step.State {
			if found := compareState(t, session.Lake, name, want, manifests); found != "" {
				return fmt.Sprintf("after %s\n%s", step.Statement, found)
			}
		}
	}
	return ""
}

func sortedLines(text string) string {
	return strings.Join(slices.Sorted(strings.SplitSeq(text, "\n")), "\n")
}

// withoutBytes takes out of an answer what depends on who wrote the files: the
// bytes that rewrite_position_delete_files has added, and when files are written
// by Firn, those that a rewrite has replaced.
func withoutBytes(text string, written bool) string {
	cells := strings.Split(text, "\t")
	if len(cells) == 4 && cells[3] != "0" {
		cells[3] = "…"
	}
	if written && (len(cells) == 4 || len(cells) == 5) {
		cells[2] = "…"
	}
	return strings.Join(cells, "\t")
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(s), "\n")
	return line
}

// sparkText shows Spark's rows as text shows ours.
func sparkText(a Answer) string {
	var lines []string
	for _, row := range a.Rows {
		cells := make([]string, len(row))
		for i, value := range row {
			if value == nil {
				cells[i] = "NULL"
				continue
			}
			cells[i] = fmt.Sprint(value)
		}
		lines = append(lines, strings.Join(cells, "\t"))
	}
	return strings.Join(lines, "\n")
}

// compareState compares a table with what Spark left.
func compareState(t *testing.T, lake *lakefixture.Lake, name string, want tableState, compareManifests bool) string {
	t.Helper()
	ident := strings.Split(name, ".")
	tbl, err := lake.Catalog.Load(t.Context(), ident)
	if err != nil {
		return err.Error()
	}
	var operations []string
	for _, snapshot := range tbl.Metadata().Snapshots() {
		operations = append(operations, string(snapshot.Summary.Operation))
	}
	if !slices.Equal(operations, want.Operations) {
		return fmt.Sprintf("snapshots %q\nSpark     %q", operations, want.Operations)
	}
	files, err := fileGroups(t, tbl)
	if err != nil {
		return err.Error()
	}
	if spark := sparkGroups(want.Files); !slices.Equal(files, spark) {
		return fmt.Sprintf("files %q\nSpark %q", files, spark)
	}
	manifests, err := manifestGroups(t, tbl)
	if err != nil {
		return err.Error()
	}
	if spark := sparkManifests(want.Manifests); compareManifests && !slices.Equal(manifests, spark) {
		return fmt.Sprintf("manifests %q\nSpark     %q", manifests, spark)
	}
	if problems := lake.FileProblems(t, ident...); len(problems) > 0 {
		return strings.Join(problems, "\n")
	}
	return ""
}
