package golden

import (
	"encoding/json"
	"iter"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/firndb/firn/internal/lakefixture"
)

// File is what Spark answers about one table.
type File struct {
	// Table is its name with its namespace.
	Table string `json:"table"`
	// Data are its rows.
	Data Result `json:"data"`
	// WithMetadataColumns are its rows with _file, _pos, _deleted, _spec_id
	// and _partition; RowLineage those with _row_id and
	// _last_updated_sequence_number, for format version 3.
	WithMetadataColumns Result `json:"data_with_metadata_columns"`
	RowLineage          Result `json:"row_lineage"`
	// MetadataTables are the metadata tables by name, and what else was asked
	// about them when Spark refuses to read one.
	MetadataTables map[string]Result `json:"metadata_tables"`
	// TimeTravel are reads of older versions.
	TimeTravel map[string]Result `json:"time_travel"`
	// View is the name of a view, empty for a table.
	View string `json:"view"`
	// ShowCreate, Describe, DescribeExtended and Properties are what SHOW and
	// DESCRIBE say.
	ShowCreate       Result `json:"show_create"`
	Describe         Result `json:"describe"`
	DescribeExtended Result `json:"describe_extended"`
	Properties       Result `json:"properties"`
}

// Answers are all answers of the file by their places: the table's name and what
// was asked, with slashes between.
func (f *File) Answers() iter.Seq2[string, Result] {
	name := f.Table + f.View
	return func(yield func(string, Result) bool) {
		all := map[string]Result{
			"show_create": f.ShowCreate, "describe": f.Describe, "describe_extended": f.DescribeExtended, "properties": f.Properties,
			"data": f.Data, "data_with_metadata_columns": f.WithMetadataColumns, "row_lineage": f.RowLineage,
		}
		for kind, result := range f.MetadataTables {
			all["metadata/"+kind] = result
		}
		for kind, result := range f.TimeTravel {
			all["travel/"+kind] = result
		}
		for _, kind := range slices.Sorted(maps.Keys(all)) {
			if all[kind].Statement != "" && !yield(name+"/"+kind, all[kind]) {
				return
			}
		}
	}
}

// Result is the answer to one statement.
type Result struct {
	// Statement is what Spark was asked.
	Statement string `json:"statement"`
	// Columns are the answer's columns.
	Columns []Column `json:"columns"`
	// Rows are the answer's rows, each a line of JSON, sorted. A long answer
	// has RowCount and RowsSHA256 in their place.
	Rows       rowLines `json:"rows"`
	RowCount   int      `json:"row_count"`
	RowsSHA256 string   `json:"rows_sha256"`
	// Error is the refusal, nil if there was none.
	Error *Error `json:"error"`

	SchemaJSON sparkStruct `json:"schema_json"`
}

// Column is a column of an answer.
type Column struct {
	Name     string `json:"name"`
	Type     string `json:"type"` // as Spark writes it
	Nullable bool   `json:"nullable"`
}

// Error is how Spark refused.
type Error struct {
	Condition string `json:"condition"` // Spark's error class, if it has one
	SQLState  string `json:"sql_state"`
	Class     string `json:"class"` // of the outermost Java exception
	Message   string `json:"message"`
}

// Load reads the file of a table such as "ops.chain".
func Load(t testing.TB, table string) *File {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(lakefixture.Testdata(t), "golden", table+".json"))
	if err != nil {
		t.Fatal(err)
	}
	var f File
	if err := json.Unmarshal(content, &f); err != nil {
		t.Fatalf("golden file of %s: %v", table, err)
	}
	return &f
}

// LoadList reads a file of answers, such as _catalog.
func LoadList(t testing.TB, name string) []Result {
	t.Helper()
	var results []Result
	content, err := os.ReadFile(filepath.Join(lakefixture.Testdata(t), "golden", name+".json"))
	if err == nil {
		err = json.Unmarshal(content, &results)
	}
	if err != nil {
		t.Fatalf("golden file %s: %v", name, err)
	}
	return results
}

// Tables lists the tables, without views, that there is a file of.
func Tables(t testing.TB) []string {
	t.Helper()
	return slices.DeleteFunc(Files(t), func(name string) bool { return Load(t, name).View != "" })
}

// Files lists the tables and views that there is a file of.
func Files(t testing.TB) []string {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(lakefixture.Testdata(t), "golden", "*.*.json"))
	if err != nil {
		t.Fatal(err)
	}
	var tables []string
	for _, path := range paths {
		tables = append(tables, strings.TrimSuffix(filepath.Base(path), ".json"))
	}
	if len(tables) == 0 {
		t.Fatal("there are no golden files")
	}
	return tables
}
