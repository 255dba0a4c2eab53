package shell

import (
	"database/sql"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// Format is how a result is printed.
type Format string

// The formats: a table with borders, comma-separated values with a header, an
// array of JSON objects, one line per column.
const (
	FormatTable    Format = "table"
	FormatCSV      Format = "csv"
	FormatJSON     Format = "json"
	FormatVertical Format = "vertical"
)

// ParseFormat returns the format of that name.
func ParseFormat(name string) (Format, error) {
	switch f := Format(strings.ToLower(name)); f {
	case FormatTable, FormatCSV, FormatJSON, FormatVertical:
		return f, nil
	}
	return "", fmt.Errorf("unknown format %q; allowed are table, csv, json, vertical", name)
}

// Result is what a statement returned, as text; a NULL is not Valid.
type Result struct {
	Columns []Column
	Rows    [][]sql.NullString
}

// Column is a column of a Result.
type Column struct {
	Name string
	// Type is the MySQL name of the type, such as BIGINT.
	Type string
}

// Read takes all rows of a statement.
func Read(rows *sql.Rows) (Result, error) {
	types, err := rows.ColumnTypes()
	if err != nil {
		return Result{}, err
	}
	var result Result
	for _, t := range types {
		result.Columns = append(result.Columns, Column{Name: t.Name(), Type: t.DatabaseTypeName()})
	}
	for rows.Next() {
		row := make([]sql.NullString, len(types))
		cells := make([]any, len(types))
		for i := range row {
			cells[i] = &row[i]
		}
		if err := rows.Scan(cells...); err != nil {
			return result, err
		}
		result.Rows = append(result.Rows, row)
	}
	return result, rows.Err()
}

// Print writes the result. A statement without columns prints nothing.
func (r Result) Print(w io.Writer, format Format) error {
	if len(r.Columns) == 0 {
		return nil
	}
	switch format {
	case FormatCSV:
		return r.printCSV(w)
	case FormatJSON:
		return r.printJSON(w)
	case FormatVertical:
		return r.printVertical(w)
	default:
		return r.printTable(w)
	}
}

func (r Result) printCSV(w io.Writer) error {
	out := csv.NewWriter(w)
	record := make([]string, len(r.Columns))
	for i, c := range r.Columns {
		record[i] = c.Name
	}
	if err := out.Write(record); err != nil {
		return err
	}
	for _, row := range r.Rows {
		for i, cell := range row {
			record[i] = cell.String
		}
		if err := out.Write(record); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}

// printJSON keeps the columns' order, which a Go map would not.
func (r Result) printJSON(w io.Writer) error {
	var b strings.Builder
	b.WriteString("[")
	for i, row := range r.Rows {
		if i > 0 {
			b.WriteString(",")
		}
		b.WriteString("\n  {")
		for j, cell := range row {
			if j > 0 {
				b.WriteString(", ")
			}
			name, err := json.Marshal(r.Columns[j].Name)
			if err != nil {
				return err
			}
			value, err := jsonValue(r.Columns[j].Type, cell)
			if err != nil {
				return err
			}
			b.Write(name)
			b.WriteString(": ")
			b.Write(value)
		}
		b.WriteString("}")
	}
	if len(r.Rows) > 0 {
		b.WriteString("\n")
	}
	b.WriteString("]\n")
	_, err := io.WriteString(w, b.String())
	return err
}

// jsonValue gives numbers and JSON as they are, everything else as a string.
func jsonValue(kind string, cell sql.NullString) ([]byte, error) {
	if !cell.Valid {
		return []byte("null"), nil
	}
	kind = strings.TrimPrefix(kind, "UNSIGNED ")
	switch kind {
	case "TINYINT", "SMALLINT", "MEDIUMINT", "INT", "BIGINT", "DECIMAL", "FLOAT", "DOUBLE", "JSON":
		if json.Valid([]byte(cell.String)) {
			return []byte(cell.String), nil
		}
	}
	return json.Marshal(cell.String)
}

func (r Result) printVertical(w io.Writer) error {
	width := 0
	for _, c := range r.Columns {
		width = max(width, utf8.RuneCountInString(c.Name))
	}
	for n, row := range r.Rows {
		if _, err := fmt.Fprintf(w, "*************************** %d. row ***************************\n", n+1); err != nil {
			return err
		}
		for i, cell := range row {
			pad := width - utf8.RuneCountInString(r.Columns[i].Name)
			if _, err := fmt.Fprintf(w, "%s%s: %s\n", strings.Repeat(" ", pad), r.Columns[i].Name, display(cell)); err != nil {
				return err
			}
		}
	}
	return nil
}

func display(cell sql.NullString) string {
	if !cell.Valid {
		return "NULL"
	}
	return cell.String
}
