package functions

import (
	"flag"
	"os"
	"strings"
	"testing"
	"time"
)

func TestMain(m *testing.M) {
	flag.Bool("rewrite", false, "write docs/functions.md anew")
	flag.Parse()
	os.Exit(m.Run())
}

func TestReferenceIsCurrent(t *testing.T) {
	const path = "../../docs/functions.md"
	want := Reference()
	if flag.Lookup("rewrite").Value.String() == "true" {
		if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != want {
		t.Error("docs/functions.md is not what the functions say; run this test with -rewrite")
	}
}

// TestDeclarations wants every function described, under names of its own.
func TestDeclarations(t *testing.T) {
	seen := map[string]bool{}
	for _, g := range Groups() {
		for _, f := range g.Functions {
			for _, name := range f.Names {
				if seen[name] || name != strings.ToLower(name) {
					t.Errorf("%s is declared twice, or has capitals", name)
				}
				seen[name] = true
			}
			if !strings.HasSuffix(f.Doc, ".") || f.make == nil || f.max >= 0 && f.max < f.min {
				t.Errorf("%s is not declared in full", f.Names[0])
			}
			if f.min > 0 && f.Usage == "" {
				t.Errorf("%s does not show its arguments", f.Names[0])
			}
		}
	}
	for _, f := range internal() {
		if seen[f.Names[0]] {
			t.Errorf("%s hides a function of its name", f.Names[0])
		}
	}
}

// FuzzTimestamps shows that what is read as a timestamp or date reads the same
// when it is written.
func FuzzTimestamps(f *testing.F) {
	for _, s := range []string{"2026-01-09", "2026-01-09T10:11:12.5Z", "2026-1-9 1:2", "2026-01-09 10:11:12 Europe/Berlin", "-0001-01-01", "2026-01-09 10:11:12+5"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if at, ok := parseTimestamp(s, time.UTC); ok && at.Year() >= 0 && at.Year() <= 9999 {
			if again, ok := parseTimestamp(timestampText(at), time.UTC); !ok || !again.Equal(at) {
				t.Errorf("%q is %s, which reads as %s", s, timestampText(at), again)
			}
		}
		if d, ok := parseDate(s); ok && d.Year() >= 0 && d.Year() <= 9999 {
			if again, ok := parseDate(dateText(d)); !ok || !again.Equal(d) {
				t.Errorf("%q is %s, which reads as %s", s, dateText(d), again)
			}
		}
	})
}

// FuzzPatterns shows that no pattern breaks reading or writing.
func FuzzPatterns(f *testing.F) {
	for _, s := range []string{"yyyy-MM-dd HH:mm:ss.SSSSSS", "d MMM yy h a", "yyyyMMdd", "''y''", "D QQQ E VV XXX Z O"} {
		f.Add(s, "2026-01-09 10:11:12")
	}
	at := time.Date(2026, 1, 9, 13, 11, 12, 123456000, time.UTC)
	f.Fuzz(func(t *testing.T, layout, s string) {
		p, err := compilePattern(layout)
		if err != nil {
			return
		}
		p.format(at, time.UTC)
		p.parse(s, time.UTC)
	})
}

// TestPatternsRoundTrip wants a time to be read as it was written.
func TestPatternsRoundTrip(t *testing.T) {
	at := time.Date(2026, 1, 9, 13, 11, 12, 123456000, time.UTC)
	for _, layout := range []string{"yyyy-MM-dd HH:mm:ss.SSSSSS", "yyyyMMddHHmmssSSSSSS", "dd MMM yyyy hh:mm:ss.SSSSSS a", "EEEE, d MMMM yyyy H:m:s.SSSSSS XXX"} {
		p, err := compilePattern(layout)
		if err != nil {
			t.Fatal(err)
		}
		s := p.format(at, time.UTC)
		if got, ok := p.parse(s, time.UTC); !ok || !got.Equal(at) {
			t.Errorf("%s: %q reads as %s, %v", layout, s, got, ok)
		}
	}
}

// FuzzExpressions shows that no regular expression, path or LIKE pattern breaks
// what reads it.
func FuzzExpressions(f *testing.F) {
	for _, s := range []string{`(\d+)-\Z`, `$.a['b'][0]`, `a%_\_`, `$1 \$ $`, "["} {
		f.Add(s)
	}
	f.Fuzz(func(_ *testing.T, s string) {
		if re, err := compileJava(s); err == nil {
			re.ReplaceAllString("text", goReplacement(s))
		}
		if steps, err := jsonPath(s); err == nil {
			follow([]byte(`{"a":{"b":[1,{"c":null}]}}`), steps)
		}
		likePattern(s, `\`)
	})
}
