package predicate

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/datadriven"
)

func env(zone string) Env {
	z, err := time.LoadLocation(zone)
	if err != nil {
		panic(err)
	}
	return Env{Now: time.Date(2026, 1, 12, 2, 15, 0, 123456789, time.UTC), Zone: z}
}

// TestParse runs testdata: each line of a "parse" block is a condition, and
// the answer its tree, or the error; each line of a "value" block is an
// expression, and the answer what it folds to.
func TestParse(t *testing.T) {
	datadriven.Walk(t, "testdata", func(t *testing.T, path string) {
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			zone := "UTC"
			if d.HasArg("zone") {
				d.ScanArgs(t, "zone", &zone)
			}
			var out strings.Builder
			for line := range strings.Lines(d.Input) {
				text := strings.TrimSuffix(line, "\n")
				if d.Cmd == "value" {
					text = "x = " + text
				}
				e, err := Parse(text, env(zone))
				switch cmp, _ := e.(*Compare); {
				case err != nil:
					out.WriteString("error: " + err.Error() + "\n")
				case d.Cmd == "value":
					out.WriteString(show(cmp.Right) + "\n")
				default:
					out.WriteString(show(e) + "\n")
				}
			}
			return out.String()
		})
	})
}

// show writes a tree in brackets.
func show(e Expr) string {
	switch e := e.(type) {
	case *Constant:
		return fmt.Sprintf("%s:%s", e.Value.Kind(), e.Value)
	case *Column:
		return "[" + strings.Join(e.Path, " ") + "]"
	case *Call:
		return e.Name + "(" + showAll(e.Args) + ")"
	case *Cast:
		return "cast(" + show(e.Arg) + " as " + e.Type.String() + ")"
	case *Compare:
		return "(" + show(e.Left) + " " + e.Op.String() + " " + show(e.Right) + ")"
	case *In:
		return "(" + show(e.Arg) + " in " + showAll(e.List) + ")"
	case *IsNull:
		return "null(" + show(e.Arg) + ")"
	case *Like:
		return fmt.Sprintf("like(%s, %v)", show(e.Arg), e.Pattern.parts)
	case *And:
		return "(" + show(e.Left) + " and " + show(e.Right) + ")"
	case *Or:
		return "(" + show(e.Left) + " or " + show(e.Right) + ")"
	case *Not:
		return "not(" + show(e.Arg) + ")"
	}
	return fmt.Sprintf("%T", e)
}

func showAll(list []Expr) string {
	var out []string
	for _, e := range list {
		out = append(out, show(e))
	}
	return strings.Join(out, ", ")
}

// TestTexts checks that nodes are made from the text that they say.
func TestTexts(t *testing.T) {
	const text = "NOT (a.b < 1+2) AND f( x , 'é' ) IN (1, DATE '2026-01-01')"
	e, err := Parse(text, env("UTC"))
	if err != nil {
		t.Fatal(err)
	}
	and := e.(*And)
	in := and.Right.(*In)
	less := and.Left.(*Not).Arg.(*Compare)
	for _, tc := range []struct {
		e    Expr
		want string
	}{
		{e, text},
		{and.Left, "NOT (a.b < 1+2)"},
		{less, "a.b < 1+2"},
		{less.Left, "a.b"},
		{less.Right, "1+2"},
		{in, "f( x , 'é' ) IN (1, DATE '2026-01-01')"},
		{in.Arg, "f( x , 'é' )"},
		{in.Arg.(*Call).Args[1], "'é'"},
		{in.List[1], "DATE '2026-01-01'"},
	} {
		if got := tc.e.Text(); got != tc.want {
			t.Errorf("the text is %q, want %q", got, tc.want)
		}
	}
}

// TestLimits checks that hostile texts are refused in good time.
func TestLimits(t *testing.T) {
	for name, text := range map[string]string{
		"brackets":      strings.Repeat("(", 100_000) + "a" + strings.Repeat(")", 100_000),
		"not":           strings.Repeat("NOT ", 100_000) + "a",
		"minus":         "x = " + strings.Repeat("- ", 100_000) + "a",
		"casts":         strings.Repeat("CAST(", 10_000) + "1",
		"long":          "a = '" + strings.Repeat("x", maxText) + "'",
		"digits":        "a = " + strings.Repeat("9", 10_000),
		"exponent":      "a = 1e999999999BD",
		"decimal power": "a = 1" + strings.Repeat(" * 99999999999999999999.99", 10_000),
		"interval":      "a = INTERVAL 99999999999999999999999 YEARS",
		"months":        "a = add_months(DATE '2026-01-01', 9223372036854775807)",
		"days":          "a = date_sub(DATE '2026-01-01', -9223372036854775808)",
		"scaled":        "a = INTERVAL 1 MICROSECOND * 9223372036854775807",
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := Parse(text, env("UTC")); !errors.Is(err, ErrSyntax) || len(err.Error()) > 1000 {
				t.Errorf("got %.200v", err)
			}
		})
	}
	// Long chains are not nested.
	chain := "a = 1" + strings.Repeat(" OR a = 1", 50_000)
	if _, err := Parse(chain, env("UTC")); err != nil {
		t.Errorf("a long chain: %.200v", err)
	}
}

// FuzzParse looks for texts that panic, that give an error of no class, or
// nodes whose text is not in the condition.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		`event_time >= TIMESTAMP "2026-01-09T00:00:00Z" AND event_time < current_timestamp() - INTERVAL 7 DAYS`,
		"NOT a.`b c` IN (1, 2.5BD, -3E4D, NULL) OR x IS NOT DISTINCT FROM X'00ff' -- end",
		`s LIKE 'a\%_%' ESCAPE '|' AND date_trunc('DAY', t)::date BETWEEN date_sub(current_date, 2) AND '2026'`,
		`CAST(CAST('1.5' AS DECIMAL(10, 2)) AS STRING) = concat('1', ".50") /* why */`,
		"x = add_months(DATE '2026-01-31', 1) + INTERVAL '1 hour 30 minutes' - INTERVAL -2 WEEKS * 3",
		"!(EXTRACT(YEAR FROM t) <=> 7 div 2 % 3) AND r'\\' < '\\u00e9\\101'",
	} {
		f.Add(seed)
	}
	e := env("America/New_York")
	f.Fuzz(func(t *testing.T, text string) {
		tree, err := Parse(text, e)
		if err != nil {
			if errors.Is(err, ErrSyntax) == errors.Is(err, ErrUnsupported) {
				t.Fatalf("error of no class, or of both: %v", err)
			}
			return
		}
		if !strings.Contains(text, tree.Text()) {
			t.Fatalf("%q is not in %q", tree.Text(), text)
		}
	})
}
