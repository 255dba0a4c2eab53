package shell

import (
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
			record[i] = cell.Text
		}
		// Readers skip an empty line, and with it the row.
		if len(record) == 1 && record[0] == "" {
			out.Flush()
			if _, err := io.WriteString(w, "\"\"\n"); err != nil {
				return err
			}
			continue
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
			value, err := jsonValue(r.Columns[j].Kind, cell)
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
func jsonValue(kind Kind, cell Cell) ([]byte, error) {
	if cell.Null {
		return []byte("null"), nil
	}
	if kind != KindText && json.Valid([]byte(cell.Text)) {
		return []byte(cell.Text), nil
	}
	return json.Marshal(cell.Text)
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
			if _, err := fmt.Fprintf(w, "%s%s: %s\n", strings.Repeat(" ", pad), r.Columns[i].Name, cell); err != nil {
				return err
			}
		}
	}
	return nil
}
