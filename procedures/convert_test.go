package procedures

import (
	"errors"
	"slices"
	"testing"
	"time"
)

func TestTimesAsText(t *testing.T) {
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct{ text, want string }{
		{"2020-01-01", "2019-12-31T23:00:00Z"},
		{"2020", "2019-12-31T23:00:00Z"},
		{"2020-7", "2020-06-30T22:00:00Z"},
		{"2020-01-01 00:00:00.000", "2019-12-31T23:00:00Z"},
		{"2020-01-01T00:00:00Z", "2020-01-01T00:00:00Z"},
		{" 2020-01-01 10:30 ", "2020-01-01T09:30:00Z"},
		{"2020-01-01 00:00:00 America/New_York", "2020-01-01T05:00:00Z"},
		{"2020-01-01 00:00:00+02:00", "2019-12-31T22:00:00Z"},
		{"2020-01-01 00:00:00 UTC-3", "2020-01-01T03:00:00Z"},
		{"2020-01-01 00:00:00.123456789Z", "2020-01-01T00:00:00.123456Z"},
		{"2020-01-01 00:00:00.5Z", "2020-01-01T00:00:00.5Z"},
		{"2020-13-01", ""},
		{"2020-02-30", ""},
		{"2020-01-01 24:00:00", ""},
		{"2020-01-01 00:61:00", ""},
		{"yesterday", ""},
		{"", ""},
		{"now", ""},
		{"2020-01-01 00:00:00 Nowhere/Town", ""},
		{"2020-01-01 00:00:00+19:00", ""},
		{"20-01-01", ""},
		{"1577836800000", ""},
	}
	for _, test := range tests {
		got, err := parseTime(test.text, berlin)
		switch {
		case test.want == "" && err == nil:
			t.Errorf("%q: got %v, want an error", test.text, got)
		case test.want != "" && (err != nil || got.UTC().Format(time.RFC3339Nano) != test.want):
			t.Errorf("%q: got %v, %v, want %s", test.text, got.UTC(), err, test.want)
		}
	}
}

func TestBindInTakesTheZone(t *testing.T) {
	var s sample
	zone := time.FixedZone("", 3600)
	if err := BindIn(zone, &s, []Arg{{"table", "t"}, {"at", "2020-01-01 01:00:00"}}); err != nil {
		t.Fatal(err)
	}
	if want := time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC); !s.at.Equal(want) {
		t.Errorf("got %v, want %v", s.at, want)
	}
}

func TestParseIdentifier(t *testing.T) {
	tests := []struct {
		text string
		want []string
	}{
		{"ops.chain", []string{"ops", "chain"}},
		{"lake.ops.unpartitioned", []string{"lake", "ops", "unpartitioned"}},
		{"`lake`.`ops`.`unpartitioned`", []string{"lake", "ops", "unpartitioned"}},
		{"`my ns`.`a``b`", []string{"my ns", "a`b"}},
		{"`5`.t", []string{"5", "t"}},
		{"true", []string{"true"}},
		{"größe.t_1", []string{"größe", "t_1"}},
		{" ops.t ", []string{"ops", "t"}},
		{"", nil},
		{" ", nil},
		{"5", nil},
		{"ops..chain", nil},
		{"ops.", nil},
		{".ops", nil},
		{"ops.ch ain", nil},
		{"s3://lake/wh/ops/chain", nil},
		{"`ops", nil},
		{"`ops`x", nil},
		{"``.t", nil},
		{"ops.my-table", nil},
		{"ops.5", nil},
	}
	for _, test := range tests {
		got, err := ParseIdentifier(test.text)
		if test.want == nil {
			if !errors.Is(err, ErrArgument) {
				t.Errorf("%q: got %q, %v, want a refusal", test.text, got, err)
			}
			continue
		}
		if err != nil || !slices.Equal(got, test.want) {
			t.Errorf("%q: got %q, %v, want %q", test.text, got, err, test.want)
		}
	}
}
