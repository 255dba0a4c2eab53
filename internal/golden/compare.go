package golden

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"
	"testing"
)

// CheckRows compares rows, sorted as [Rows] returns them, with the answer's.
func (r Result) CheckRows(t testing.TB, got []string) {
	t.Helper()
	if r.Error != nil {
		t.Errorf("%s: Spark refuses: %s", r.Statement, r.Error.Message)
		return
	}
	if r.RowsSHA256 != "" {
		sum := sha256.Sum256([]byte(strings.Join(got, "\n")))
		if len(got) != r.RowCount || hex.EncodeToString(sum[:]) != r.RowsSHA256 {
			t.Errorf("%s: %d rows that differ from the %d of Spark", r.Statement, len(got), r.RowCount)
		}
		return
	}
	check(t, r.Statement, got, r.Rows)
}

// CheckSchema compares a schema, as [Schema] writes it, with the answer's.
func (r Result) CheckSchema(t testing.TB, got []string) {
	t.Helper()
	if want := r.Schema(); !slices.Equal(got, want) {
		check(t, r.Statement+": schema", got, want)
	}
}

// check compares lists and reports what only one of them has.
func check(t testing.TB, what string, got, want []string) {
	t.Helper()
	if slices.Equal(got, want) {
		return
	}
	missing, extra := only(want, got), only(got, want)
	const enough = 3
	t.Errorf("%s: %d lines, Spark has %d", what, len(got), len(want))
	for i, l := range missing[:min(len(missing), enough)] {
		t.Errorf("only Spark has %d of %d: %s", i+1, len(missing), l)
	}
	for i, l := range extra[:min(len(extra), enough)] {
		t.Errorf("only Firn has %d of %d: %s", i+1, len(extra), l)
	}
	if len(missing)+len(extra) == 0 {
		t.Errorf("the order differs: got %q, want %q", got, want)
	}
}

// only lists what a has more often than b.
func only(a, b []string) []string {
	count := map[string]int{}
	for _, l := range b {
		count[l]++
	}
	var more []string
	for _, l := range a {
		if count[l]--; count[l] < 0 {
			more = append(more, l)
		}
	}
	return more
}
