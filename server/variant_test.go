package server

import (
	"math"
	"testing"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/parquet/variant"
)

// TestVariantJSON compares with what Spark's to_json shows.
func TestVariantJSON(t *testing.T) {
	at := time.Date(2026, 1, 2, 3, 4, 5, 60000, time.UTC)
	for _, test := range []struct {
		value any
		want  string
	}{
		{nil, "null"},
		{true, "true"},
		{int64(-7), "-7"},
		{1.5, "1.5"},
		{math.NaN(), `"NaN"`},
		{`a<b>"c"`, `"a<b>\"c\""`},
		{[]byte{0, 255}, `"AP8="`},
		{[]any{}, "[]"},
		{map[string]any{}, "{}"},
		{map[string]any{"tags": []any{}, "a": []any{nil, map[string]any{"x": int64(1)}}}, `{"a":[null,{"x":1}],"tags":[]}`},
		{arrow.Date32FromTime(at), `"2026-01-02"`},
		{variantAt(t, at, variant.OptTimestampUTC), `"2026-01-02 04:04:05.00006+01:00"`},
		{variantAt(t, at), `"2026-01-02 03:04:05.00006"`},
	} {
		got := string(appendVariant(nil, variantOf(t, test.value), time.FixedZone("", 3600)))
		if got != test.want {
			t.Errorf("%v is %s, want %s", test.value, got, test.want)
		}
	}
}

func variantOf(t *testing.T, value any) variant.Value {
	t.Helper()
	if v, ok := value.(variant.Value); ok {
		return v
	}
	var b variant.Builder
	if err := b.Append(value); err != nil {
		t.Fatal(err)
	}
	v, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func variantAt(t *testing.T, at time.Time, opts ...variant.AppendOpt) variant.Value {
	t.Helper()
	var b variant.Builder
	if err := b.Append(at, opts...); err != nil {
		t.Fatal(err)
	}
	v, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	return v
}
