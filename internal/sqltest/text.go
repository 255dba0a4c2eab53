package sqltest

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/go-sql-driver/mysql"
)

// format says how a result becomes text.
type format struct {
	sorted, headless bool
	hidden           []string
}

// text shows a result, one line a row.
func (f format) text(r Result) string {
	var lines []string
	for _, row := range r.Rows {
		cells := make([]string, len(row))
		for i, value := range row {
			cells[i] = cell(value)
			if value.Valid && slices.Contains(f.hidden, r.Columns[i]) {
				cells[i] = "…"
			}
		}
		lines = append(lines, strings.Join(cells, "\t"))
	}
	if f.sorted {
		slices.Sort(lines)
	}
	if !f.headless {
		lines = append([]string{strings.Join(r.Columns, "\t")}, lines...)
	}
	return strings.Join(lines, "\n")
}

func cell(value Value) string {
	if !value.Valid {
		return "NULL"
	}
	var b strings.Builder
	for _, r := range value.String {
		switch {
		case r == '\t':
			b.WriteString(`\t`)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\\':
			b.WriteString(`\\`)
		case r < ' ':
			fmt.Fprintf(&b, `\x%02x`, r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// errorText shows an error with its number and SQLSTATE.
func errorText(err error) string {
	var refused *mysql.MySQLError
	if !errors.As(err, &refused) {
		return "not an answer of the server: " + err.Error()
	}
	return fmt.Sprintf("%d (%s): %s", refused.Number, refused.SQLState, refused.Message)
}
