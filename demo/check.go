package demo

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/firndb/firn/shell"
)

// rows wants n rows.
func rows(n int) check {
	return func(got shell.Result) error {
		if len(got.Rows) != n {
			return fmt.Errorf("want %d rows, got %d", n, len(got.Rows))
		}
		return nil
	}
}

// starts wants one row that begins with the given values.
func starts(values ...string) check {
	return func(got shell.Result) error {
		if len(got.Rows) != 1 {
			return fmt.Errorf("want one row, got %d", len(got.Rows))
		}
		for i, want := range values {
			if i >= len(got.Rows[0]) || got.Rows[0][i].Text != want {
				return fmt.Errorf("want a row that begins with %s, got %s", strings.Join(values, ", "), line(got, 0))
			}
		}
		return nil
	}
}

// each wants a value in a column of every row.
func each(column int, value string) check {
	return func(got shell.Result) error {
		for i, row := range got.Rows {
			if column >= len(row) || row[column].Text != value {
				return fmt.Errorf("want %s in every row, got %s", value, line(got, i))
			}
		}
		return nil
	}
}

// positive wants a number above zero in the column of the first row.
func positive(column int) check {
	return func(got shell.Result) error {
		if len(got.Rows) == 0 || column >= len(got.Rows[0]) {
			return fmt.Errorf("want a row, got none")
		}
		if n, err := strconv.ParseInt(got.Rows[0][column].Text, 10, 64); err != nil || n <= 0 {
			return fmt.Errorf("want %s above zero, got %q", got.Columns[column].Name, got.Rows[0][column].Text)
		}
		return nil
	}
}

// contains wants each of the words as a cell.
func contains(words ...string) check {
	return func(got shell.Result) error {
		for _, word := range words {
			if !slices.ContainsFunc(got.Rows, func(row []shell.Cell) bool {
				return slices.ContainsFunc(row, func(c shell.Cell) bool { return c.Text == word })
			}) {
				return fmt.Errorf("want %q in the result", word)
			}
		}
		return nil
	}
}

// all wants everything that checks want.
func all(checks ...check) check {
	return func(got shell.Result) error {
		for _, c := range checks {
			if err := c(got); err != nil {
				return err
			}
		}
		return nil
	}
}

// notes keeps results by name, to compare later ones with.
type notes struct{ results map[string]shell.Result }

// remember keeps the result.
func (m *notes) remember(name string) check {
	return func(got shell.Result) error {
		m.results[name] = got
		return nil
	}
}

// same wants the result that was remembered.
func (m *notes) same(name string) check {
	return func(got shell.Result) error {
		want := m.results[name]
		if len(got.Rows) != len(want.Rows) {
			return fmt.Errorf("want the %d rows from before, got %d", len(want.Rows), len(got.Rows))
		}
		for i := range want.Rows {
			if !slices.Equal(want.Rows[i], got.Rows[i]) {
				return fmt.Errorf("row %d was %s and is %s", i+1, line(want, i), line(got, i))
			}
		}
		return nil
	}
}

// onlyChanged wants the result that was remembered but for the given row, whose
// second column must be as given.
func (m *notes) onlyChanged(name string, changed int, second string) check {
	return func(got shell.Result) error {
		want := m.results[name]
		if len(got.Rows) != len(want.Rows) {
			return fmt.Errorf("want the %d rows from before, got %d", len(want.Rows), len(got.Rows))
		}
		for i := range want.Rows {
			switch {
			case i != changed && !slices.Equal(want.Rows[i], got.Rows[i]):
				return fmt.Errorf("row %d was %s and is %s", i+1, line(want, i), line(got, i))
			case i == changed && got.Rows[i][1].Text != second:
				return fmt.Errorf("row %d is %s, want %s in its second column", i+1, line(got, i), second)
			}
		}
		return nil
	}
}

// first is the first cell of the result that was remembered.
func (m *notes) first(name string) string {
	if r := m.results[name]; len(r.Rows) > 0 {
		return r.Rows[0][0].Text
	}
	return ""
}

func line(r shell.Result, row int) string {
	cells := make([]string, len(r.Rows[row]))
	for i, c := range r.Rows[row] {
		cells[i] = c.String()
	}
	return strings.Join(cells, ", ")
}
