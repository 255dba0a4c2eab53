package procedures

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// sample has a parameter and an option of every kind.
type sample struct {
	text    string
	flag    bool
	n       *int32
	long    *int64
	ratio   *float64
	at      *time.Time
	ids     []int64
	options map[string]string
	target  *int64
	all     bool
}

func (s *sample) Info() Info {
	return Info{
		Name: "sample",
		Params: []Param{
			Required(StringParam(&s.text, "table", "")),
			BoolParam(&s.flag, "flag", ""), IntParam(&s.n, "n", ""), LongParam(&s.long, "long", ""),
			DoubleParam(&s.ratio, "ratio", ""), TimestampParam(&s.at, "at", ""), LongsParam(&s.ids, "ids", ""),
			MapParam(&s.options, "options", ""),
		},
		Options: []Param{LongParam(&s.target, "target-file-size-bytes", ""), BoolParam(&s.all, "rewrite-all", "")},
	}
}

func (s *sample) Plan(context.Context, Env) (Plan, error) { return nil, nil }

func positional(values ...any) []Arg {
	args := make([]Arg, len(values))
	for i, v := range values {
		args[i] = Arg{Value: v}
	}
	return args
}

func ptr[T any](v T) *T { return &v }

func TestBind(t *testing.T) {
	noon := time.Date(2026, 1, 9, 12, 0, 0, 0, time.UTC)
	tests := []struct {
		name string
		args []Arg
		want sample
	}{
		{"one", positional("ns.t"), sample{text: "ns.t"}},
		{
			"all in order", positional("t", true, int32(3), int64(4), 0.5, noon, []any{int64(1), int32(2)}, map[string]string{}),
			sample{text: "t", flag: true, n: ptr(int32(3)), long: ptr(int64(4)), ratio: ptr(0.5), at: &noon, ids: []int64{1, 2}, options: map[string]string{}},
		},
		{"named in any order and case", []Arg{{"FLAG", true}, {"Table", "t"}}, sample{text: "t", flag: true}},
		{"mixed", []Arg{{"", "t"}, {"n", int64(3)}}, sample{text: "t", n: ptr(int32(3))}},
		{"NULL is absent", []Arg{{"table", "t"}, {"n", nil}, {"at", nil}, {"ids", nil}, {"options", nil}}, sample{text: "t"}},
		{
			"text for anything", positional("t", " TRUE ", "3", " 4", "0.5", "2026-01-09 12:00:00", []any{"1"}),
			sample{text: "t", flag: true, n: ptr(int32(3)), long: ptr(int64(4)), ratio: ptr(0.5), at: &noon, ids: []int64{1}},
		},
		{"anything for text", positional(int64(5)), sample{text: "5"}},
		{"numbers for each other", []Arg{{"table", true}, {"n", 3.7}, {"ratio", int64(1)}}, sample{text: "true", n: ptr(int32(3)), ratio: ptr(1.0)}},
		{"empty array", []Arg{{"table", "t"}, {"ids", []any{}}}, sample{text: "t", ids: []int64{}}},
		{
			"options",
			[]Arg{{"table", "t"}, {"options", map[string]string{"target-file-size-bytes": "512", "rewrite-all": "true"}}},
			sample{text: "t", target: ptr(int64(512)), all: true, options: map[string]string{"target-file-size-bytes": "512", "rewrite-all": "true"}},
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var got sample
			if err := Bind(&got, test.args); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, got, cmp.AllowUnexported(sample{})); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

// The refusals of golden_calls/forms.json that are the binder's, and its own.
func TestBindRefusals(t *testing.T) {
	tests := []struct {
		name string
		args []Arg
		want []string
	}{
		{"positional and named", []Arg{{"", "t"}, {"table", "t"}}, []string{`"table" is given twice`, "as argument 1 and by name"}},
		{"named twice", []Arg{{"table", "t"}, {"TABLE", "t"}}, []string{`"table" is given twice`, "each time by name"}},
		{"unknown, near", []Arg{{"tables", "t"}}, []string{`no argument "tables"`, `did you mean "table"`, "table, flag, n"}},
		{"unknown, far", []Arg{{"table", "t"}, {"nope", int64(1)}}, []string{`no argument "nope"`}},
		{"none", nil, []string{`"table" is required`}},
		{"required is missing", []Arg{{"flag", true}}, []string{`"table" is required`}},
		{"required is NULL", positional(nil), []string{`"table" must not be NULL`}},
		{"positional after named", []Arg{{"table", "t"}, {"", true}}, []string{"argument 2 stands without a name"}},
		{"too many", positional("t", true, int64(1), int64(1), 1.0, nil, nil, nil, "x"), []string{"9 arguments are given, at most 8"}},
		{"array for text", positional([]any{"a"}), []string{`"table" must be of type string: got an array`}},
		{"number for boolean", []Arg{{"", "t"}, {"flag", int64(1)}}, []string{`"flag" must be of type boolean: got 1`}},
		{"word for number", []Arg{{"", "t"}, {"n", "three"}}, []string{`"n" must be of type int: got "three"`}},
		{"fraction in text for number", []Arg{{"", "t"}, {"n", "3.7"}}, []string{`"n" must be of type int: got "3.7"`}},
		{"too large a number", []Arg{{"", "t"}, {"n", int64(1) << 40}}, []string{`"n"`, "outside the range of int"}},
		{"NaN for a number", []Arg{{"", "t"}, {"long", 1e300}}, []string{`"long"`, "outside the range of bigint"}},
		{"number for time", []Arg{{"", "t"}, {"at", int64(1577836800000)}}, []string{`"at" must be of type timestamp: got 1577836800000`}},
		{"word for time", []Arg{{"", "t"}, {"at", "yesterday"}}, []string{`"at" must be of type timestamp: got "yesterday"`}},
		{"number for array", []Arg{{"", "t"}, {"ids", int64(1)}}, []string{`"ids" must be of type array<bigint>: got 1`}},
		{"bad element", []Arg{{"", "t"}, {"ids", []any{int64(1), "x"}}}, []string{"element 1"}},
		{"NULL element", []Arg{{"", "t"}, {"ids", []any{nil}}}, []string{"element 0: got NULL"}},
		{"array for map", []Arg{{"", "t"}, {"options", []any{"a"}}}, []string{`"options" must be of type map<string,string>: got an array`}},
		{"unknown option", []Arg{{"", "t"}, {"options", map[string]string{"target-size": "1"}}}, []string{`no option "target-size"`, `did you mean "target-file-size-bytes"`}},
		{"option in another case", []Arg{{"", "t"}, {"options", map[string]string{"REWRITE-ALL": "true"}}}, []string{`no option "REWRITE-ALL"`, `did you mean "rewrite-all"`}},
		{"bad option", []Arg{{"", "t"}, {"options", map[string]string{"target-file-size-bytes": "big"}}}, []string{`option "target-file-size-bytes" must be of type bigint: got "big"`}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			err := Bind(&sample{}, test.args)
			if !errors.Is(err, ErrArgument) {
				t.Fatalf("got %v", err)
			}
			for _, want := range append(test.want, "sample") {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("%q lacks %q", err, want)
				}
			}
		})
	}
}

func TestNewKnowsNamesInAnyCase(t *testing.T) {
	p, err := New("Expire_Snapshots")
	if err != nil || p.Info().Name != "expire_snapshots" {
		t.Errorf("got %v, %v", p, err)
	}
	if _, err := New("nope"); !errors.Is(err, ErrNoSuchProcedure) || !strings.Contains(err.Error(), "expire_snapshots") {
		t.Errorf("got %v", err)
	}
}

// TestDeclarations checks what every procedure owes its users.
func TestDeclarations(t *testing.T) {
	last := ""
	for _, p := range All() {
		info := p.Info()
		if info.Name <= last {
			t.Errorf("%s stands after %s", info.Name, last)
		}
		last = info.Name
		if info.Doc == "" || len(info.Output) == 0 {
			t.Errorf("%s: documentation or output is missing", info.Name)
		}
		seen := map[string]bool{}
		for _, param := range append(info.Params, info.Options...) {
			if param.Doc == "" || param.set == nil || !param.Required && param.Default == "" {
				t.Errorf("%s: %s: documentation, default or variable is missing", info.Name, param.Name)
			}
			if seen[param.Name] {
				t.Errorf("%s: %s is declared twice", info.Name, param.Name)
			}
			seen[param.Name] = true
		}
	}
}

func FuzzParseTime(f *testing.F) {
	for _, text := range []string{"2026-01-09", "2026-01-09 10:00:00 America/New_York", "2026-1-9T1:2:3.123456789Z", "2026-02-30", "yesterday"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		at, err := parseTime(text, time.UTC)
		if err != nil {
			return
		}
		again, err := parseTime(at.UTC().Format("2006-01-02 15:04:05.999999"), time.UTC)
		if err != nil || !again.Equal(at) {
			t.Errorf("%q is %v, which reads as %v, %v", text, at, again, err)
		}
	})
}

func FuzzParseIdentifier(f *testing.F) {
	for _, text := range []string{"ns.t", "`a``b`.t", "ops..chain", "s3://lake", "`", "5"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		parts, err := ParseIdentifier(text)
		if err != nil {
			return
		}
		quoted := make([]string, len(parts))
		for i, p := range parts {
			quoted[i] = "`" + strings.ReplaceAll(p, "`", "``") + "`"
		}
		again, err := ParseIdentifier(strings.Join(quoted, "."))
		if err != nil || !cmp.Equal(parts, again) {
			t.Errorf("%q is %q, which reads as %q, %v", text, parts, again, err)
		}
	})
}

// TestBindSaysTheNameFirst pins the form that all errors of a call have: the
// procedure, the class, the reason.
func TestBindSaysTheNameFirst(t *testing.T) {
	name := (&sample{}).Info().Name
	err := Bind(&sample{}, []Arg{{Name: "nope"}})
	if err == nil || !strings.HasPrefix(err.Error(), name+": "+ErrArgument.Error()+": ") || strings.Count(err.Error(), name+":") != 1 {
		t.Errorf("got %v", err)
	}
}
