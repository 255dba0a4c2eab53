package regex

import (
	"context"
	"errors"
	"testing"
)

func newRegex(t *testing.T, pattern, text string, flags RegexFlags) Regex {
	t.Helper()
	re := CreateRegex(0)
	if err := re.SetRegexString(context.Background(), pattern, flags); err != nil {
		t.Fatal(err)
	}
	if err := re.SetMatchString(context.Background(), text); err != nil {
		t.Fatal(err)
	}
	return re
}

func TestPositionsCountCharacters(t *testing.T) {
	ctx := context.Background()
	re := newRegex(t, "ü.", "aüb üc", RegexFlags_None)
	for _, tc := range []struct {
		start, occurrence int
		end               bool
		want              int
	}{
		{1, 1, false, 2}, {1, 1, true, 4}, {1, 2, false, 5}, {3, 1, false, 5}, {1, 3, false, 0}, {7, 1, false, 0}, {9, 1, false, 0},
	} {
		if got, err := re.IndexOf(ctx, tc.start, tc.occurrence, tc.end); err != nil || got != tc.want {
			t.Errorf("%+v: got %d, %v", tc, got, err)
		}
	}
	if got, ok, err := re.Substring(ctx, 3, 1); got != "üc" || !ok || err != nil {
		t.Errorf("substring: %q, %v, %v", got, ok, err)
	}
}

func TestReplace(t *testing.T) {
	ctx := context.Background()
	re := newRegex(t, "([a-z])([0-9])", "a1 b2 c3", RegexFlags_None)
	for _, tc := range []struct {
		start, occurrence int
		want              string
	}{
		{1, 0, "1a 2b 3c"}, {4, 0, "a1 2b 3c"}, {1, 2, "a1 2b c3"}, {1, 9, "a1 b2 c3"}, {99, 0, "a1 b2 c3"},
	} {
		if got, err := re.Replace(ctx, "$2$1", tc.start, tc.occurrence); err != nil || got != tc.want {
			t.Errorf("%+v: got %q, %v", tc, got, err)
		}
	}
}

func TestFlags(t *testing.T) {
	ctx := context.Background()
	for _, tc := range []struct {
		pattern, text string
		flags         RegexFlags
		want          bool
	}{
		{"ABC", "abc", RegexFlags_None, false},
		{"ABC", "abc", RegexFlags_Case_Insensitive, true},
		{"a.b", "a\nb", RegexFlags_None, false},
		{"a.b", "a\nb", RegexFlags_Dot_All, true},
		{"^b", "a\nb", RegexFlags_None, false},
		{"^B", "a\nb", RegexFlags_Multiline | RegexFlags_Case_Insensitive, true},
	} {
		if got, err := newRegex(t, tc.pattern, tc.text, tc.flags).Matches(ctx, 1, 1); err != nil || got != tc.want {
			t.Errorf("%+v: got %v, %v", tc, got, err)
		}
	}
}

func TestErrors(t *testing.T) {
	ctx := context.Background()
	re := CreateRegex(0)
	if _, err := re.Matches(ctx, 1, 1); !errors.Is(err, ErrRegexNotYetSet) {
		t.Errorf("no pattern: %v", err)
	}
	if err := re.SetRegexString(ctx, `(a)\1`, RegexFlags_None); !errors.Is(err, ErrInvalidRegex) {
		t.Errorf("back reference: %v", err)
	}
	if err := re.SetRegexString(ctx, "a", RegexFlags_None); err != nil {
		t.Fatal(err)
	}
	if _, err := re.Matches(ctx, 1, 1); !errors.Is(err, ErrMatchNotYetSet) {
		t.Errorf("no text: %v", err)
	}
}
