package sqltest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
)

// Answer is a result in a golden file: what Spark answered to a statement.
type Answer struct {
	Statement string       `json:"statement"`
	Schema    sparkSchema  `json:"schema_json"`
	Columns   []SparkName  `json:"columns"`
	Rows      [][]any      `json:"rows"`
	RowCount  int          `json:"row_count"`
	Error     *SparkDenial `json:"error"`
}

// SparkName is a column's name and type as Spark shows them.
type SparkName struct {
	Name string `json:"name"`
	Type string `json:"type"`
}

// SparkDenial is how Spark refused a statement.
type SparkDenial struct {
	Condition string `json:"condition"`
	Message   string `json:"message"`
}

type sparkSchema struct {
	Fields []SparkField `json:"fields"`
}

// Golden is what a golden file says about a table.
type Golden struct {
	Data           Answer            `json:"data"`
	MetadataTables map[string]Answer `json:"metadata_tables"`
}

// ReadJSON decodes a golden file; numbers stay as they are written.
func ReadJSON(path string, into any) error {
	content, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	decoder := json.NewDecoder(bytes.NewReader(content))
	decoder.UseNumber()
	if err := decoder.Decode(into); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

// fields are the columns with their types. Short answers have no schema but
// the types' names.
func (a Answer) fields() ([]SparkField, error) {
	if len(a.Schema.Fields) > 0 || len(a.Columns) == 0 {
		return a.Schema.Fields, nil
	}
	fields := make([]SparkField, len(a.Columns))
	for i, column := range a.Columns {
		typ, err := ParseSparkType(column.Type)
		if err != nil {
			return nil, err
		}
		fields[i] = SparkField{Name: column.Name, Type: typ}
	}
	return fields, nil
}

// columns finds the fields of an answer that are wanted: all but those left out.
func (a Answer) columns(without ...string) []int {
	var wanted []int
	for i, field := range a.Schema.Fields {
		if !slices.Contains(without, field.Name) {
			wanted = append(wanted, i)
		}
	}
	return wanted
}

// lines shows Spark's rows, restricted to some columns, one line each, sorted.
func (a Answer) lines(columns []int) ([]string, error) {
	return linesOf(len(a.Rows), columns, func(row, column int) (string, error) {
		return a.Schema.Fields[column].Type.FromSpark(a.Rows[row][column])
	})
}

// wireLines shows the rows of a result that has just these columns, the same
// way.
func (a Answer) wireLines(r Result, columns []int) ([]string, error) {
	return linesOf(len(r.Rows), columns, func(row, column int) (string, error) {
		return a.Schema.Fields[column].Type.FromWire(r.Rows[row][slices.Index(columns, column)])
	})
}

func linesOf(rows int, columns []int, cell func(row, column int) (string, error)) ([]string, error) {
	lines := make([]string, rows)
	for i := range lines {
		cells := make([]string, len(columns))
		for j, column := range columns {
			text, err := cell(i, column)
			if err != nil {
				return nil, fmt.Errorf("row %d, column %d: %w", i, column, err)
			}
			cells[j] = text
		}
		lines[i] = strings.Join(cells, " | ")
	}
	slices.Sort(lines)
	return lines, nil
}
