package shell

import (
	"io"
	"strings"
	"unicode/utf8"
)

// printTable draws the result as the mysql shell does, numbers to the right.
func (r Result) printTable(w io.Writer) error {
	// What would break the lines of a table is shown escaped.
	oneLine := strings.NewReplacer("\n", `\n`, "\r", `\r`, "\t", `\t`)
	widths := make([]int, len(r.Columns))
	for i, c := range r.Columns {
		widths[i] = utf8.RuneCountInString(c.Name)
	}
	cells := make([][]string, len(r.Rows))
	for n, row := range r.Rows {
		cells[n] = make([]string, len(row))
		for i, cell := range row {
			cells[n][i] = oneLine.Replace(cell.String())
			widths[i] = max(widths[i], utf8.RuneCountInString(cells[n][i]))
		}
	}
	var b strings.Builder
	rule := func() {
		for _, width := range widths {
			b.WriteString("+" + strings.Repeat("-", width+2))
		}
		b.WriteString("+\n")
	}
	line := func(row []string, right func(i int) bool) {
		for i, text := range row {
			pad := strings.Repeat(" ", widths[i]-utf8.RuneCountInString(text))
			if right(i) {
				b.WriteString("| " + pad + text + " ")
			} else {
				b.WriteString("| " + text + pad + " ")
			}
		}
		b.WriteString("|\n")
	}
	names := make([]string, len(r.Columns))
	for i, c := range r.Columns {
		names[i] = c.Name
	}
	rule()
	line(names, func(int) bool { return false })
	rule()
	for _, row := range cells {
		line(row, func(i int) bool { return r.Columns[i].Kind == KindNumber })
	}
	rule()
	_, err := io.WriteString(w, b.String())
	return err
}
