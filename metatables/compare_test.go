package metatables

import (
	"testing"

	"github.com/apache/iceberg-go"
)

// TestTextsThatCollationsTakeForEqual: a test says no only where every
// collation does.
func TestTextsThatCollationsTakeForEqual(t *testing.T) {
	for _, c := range []struct {
		op          iceberg.Operation
		value, text string
		want        bool
	}{
		{iceberg.OpEQ, "abc", "ABC", true},
		{iceberg.OpEQ, "abc ", "abc", true},
		{iceberg.OpEQ, "äbc", "abc", true},
		{iceberg.OpEQ, "abc\x01", "abc", true},
		{iceberg.OpEQ, "abd", "abc", false},
		{iceberg.OpNEQ, "abc", "abc", false},
		{iceberg.OpNEQ, "abc", "ABC", true},
		{iceberg.OpStartsWith, "S3://lake/a", "s3://LAKE", true},
		{iceberg.OpStartsWith, "s3://lake/a", "s3://bake", false},
		{iceberg.OpStartsWith, "s3://läke/a", "s3://bake", true},
		{iceberg.OpLT, "b", "a", false},
		{iceberg.OpLT, "b", "A", true},
		{iceberg.OpLT, "b", "aa", false},
		{iceberg.OpLT, "_", "a", true},
		{iceberg.OpGT, "part=2024-01", "part=2024-02", false},
		{iceberg.OpGT, "part=2024-02", "part=2024-01", true},
		{iceberg.OpGT, "1", "a", true},
		{iceberg.OpGTEQ, "Abz", "abc", true},
	} {
		check := test{op: c.op, texts: [][]byte{[]byte(c.text)}}
		if got := check.text([]byte(c.value)); got != c.want {
			t.Errorf("%q %s %q: got %t", c.value, c.op, c.text, got)
		}
	}
}

func TestTextsBetween(t *testing.T) {
	for _, c := range []struct {
		op        iceberg.Operation
		low, high string
		text      string
		want      bool
	}{
		{iceberg.OpEQ, "2024-01-01", "2024-03-31", "2024-02-10", true},
		{iceberg.OpEQ, "2024-01-01", "2024-03-31", "2024-04-10", false},
		{iceberg.OpEQ, "2024-01-01", "2024-03-31", "2023-02-10", false},
		{iceberg.OpEQ, "2024-01-01", "2024-01-01", "2024-01-02", false},
		{iceberg.OpEQ, "a", "ü", "z", true},
		{iceberg.OpEQ, "B", "C", "b", true},
		{iceberg.OpEQ, "B", "C", "d", false},
		{iceberg.OpEQ, "ab", "abc", "abc", true},
		{iceberg.OpEQ, "ab", "abc", "x", false},
		{iceberg.OpStartsWith, "2024-01-01", "2024-03-31", "2024", true},
		{iceberg.OpStartsWith, "2024-01-01", "2024-03-31", "2024-03", true},
		{iceberg.OpStartsWith, "2024-01-01", "2024-03-31", "2025", false},
		{iceberg.OpLT, "b", "c", "a", true}, // not ruled out by ranges
		{iceberg.OpIsNull, "b", "c", "", false},
	} {
		check := test{op: c.op, texts: [][]byte{[]byte(c.text)}}
		if got := check.textsBetween([]byte(c.low), []byte(c.high)); got != c.want {
			t.Errorf("%q to %q %s %q: got %t", c.low, c.high, c.op, c.text, got)
		}
	}
}

func TestWholesBetween(t *testing.T) {
	for _, c := range []struct {
		op        iceberg.Operation
		constants []int64
		low, high int64
		want      bool
		null      bool
	}{
		{iceberg.OpEQ, []int64{5}, 1, 9, true, false},
		{iceberg.OpEQ, []int64{5}, 6, 9, false, false},
		{iceberg.OpIn, []int64{5, 10}, 6, 9, false, false},
		{iceberg.OpIn, []int64{5, 7}, 6, 9, true, false},
		{iceberg.OpNEQ, []int64{5}, 5, 5, false, true},
		{iceberg.OpNEQ, []int64{5}, 5, 6, true, true},
		{iceberg.OpNotIn, []int64{5, 6}, 6, 6, false, true},
		{iceberg.OpLT, []int64{5}, 5, 9, false, false},
		{iceberg.OpLTEQ, []int64{5}, 5, 9, true, false},
		{iceberg.OpGT, []int64{9}, 5, 9, false, false},
		{iceberg.OpGTEQ, []int64{9}, 5, 9, true, false},
		{iceberg.OpIsNull, nil, 5, 9, false, true},
		{iceberg.OpNotNull, nil, 5, 9, true, false},
	} {
		check := test{op: c.op, wholes: c.constants}
		if got := check.between(c.low, c.high); got != c.want {
			t.Errorf("%d to %d %s %d: got %t", c.low, c.high, c.op, c.constants, got)
		}
		if got := check.null(); got != c.null {
			t.Errorf("NULL %s %d: got %t", c.op, c.constants, got)
		}
	}
}
