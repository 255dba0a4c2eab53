package golden

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
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
	if found := r.RowsDiffer(got); found != "" {
		t.Errorf("%s: %s", r.Statement, found)
	}
}

// RowsDiffer says how rows, sorted as [Rows] returns them, differ from the
// answer's; empty if they do not.
func (r Result) RowsDiffer(got []string) string {
	if r.RowsSHA256 == "" {
		return differ(got, r.Rows)
	}
	sum := sha256.Sum256([]byte(strings.Join(got, "\n")))
	if len(got) != r.RowCount || hex.EncodeToString(sum[:]) != r.RowsSHA256 {
		return fmt.Sprintf("%d rows that differ from the %d of Spark", len(got), r.RowCount)
	}
	return ""
}

// CheckSchema compares a schema, as [Schema] writes it, with the answer's.
func (r Result) CheckSchema(t testing.TB, got []string) {
	t.Helper()
	if found := differ(got, r.Schema()); found != "" {
		t.Errorf("%s: schema: %s", r.Statement, found)
	}
}

// differ says what only one of two lists has.
func differ(got, want []string) string {
	if slices.Equal(got, want) {
		return ""
	}
	missing, extra := only(want, got), only(got, want)
	const enough = 3
	lines := []string{fmt.Sprintf("%d lines, Spark has %d", len(got), len(want))}
	for i, l := range missing[:min(len(missing), enough)] {
		lines = append(lines, fmt.Sprintf("only Spark has %d of %d: %s", i+1, len(missing), l))
	}
	for i, l := range extra[:min(len(extra), enough)] {
		lines = append(lines, fmt.Sprintf("only Firn has %d of %d: %s", i+1, len(extra), l))
	}
	if len(missing)+len(extra) == 0 {
		lines = append(lines, fmt.Sprintf("the order differs: got %q, want %q", got, want))
	}
	return strings.Join(lines, "\n")
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
