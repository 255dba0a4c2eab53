package sqltest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
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
