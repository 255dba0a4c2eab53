package sqltest

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"github.com/firndb/firn/catalog"
	"github.com/firndb/firn/internal/lakefixture"
)

// script runs one file.
type script struct {
	session *Session
	args    []any // for the next statement
}

// RunScript runs the script at path.
func RunScript(t *testing.T, path string) {
	t.Helper()
	s := &script{session: Start(t, catalog.Hooks{})}
	datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
		t.Helper()
		answer := s.run(t, d)
		if d.Cmd == "spark" && d.Rewrite {
			if strings.TrimSpace(d.Expected) != strings.TrimSpace(answer) {
				t.Errorf("%s: the answer differs from Spark's, which stays:\n%s", d.Pos, answer)
			}
			return d.Expected
		}
		return answer
	})
}

func (s *script) run(t *testing.T, d *datadriven.TestData) string {
	t.Helper()
	switch d.Cmd {
	case "query", "spark":
		return s.query(t, d)
	case "exec":
		if _, err := s.session.Query(t.Context(), d.Input, false, s.take()...); err != nil {
			return errorText(err)
		}
		return "ok"
	case "error":
		r, err := s.session.Query(t.Context(), d.Input, false, s.take()...)
		if err == nil {
			return "no error, but:\n" + format{}.text(r)
		}
		return errorText(err)
	case "check":
		return s.check(t, d)
	case "io":
		return s.io(t, d)
	case "view":
		s.addView(t, d)
		return "ok"
	case "args":
		for line := range strings.Lines(d.Input) {
			s.args = append(s.args, strings.TrimSuffix(line, "\n"))
		}
		return "ok"
	}
	d.Fatalf(t, "unknown command %q", d.Cmd)
	return ""
}

// take returns the args of the next statement, once.
func (s *script) take() []any {
	args := s.args
	s.args = nil
	return args
}

func (s *script) query(t *testing.T, d *datadriven.TestData) string {
	t.Helper()
	f := format{sorted: d.HasArg("rowsort"), headless: d.HasArg("nohead")}
	if hide, ok := d.Arg("hide"); ok {
		f.hidden = hide.Vals
	}
	args := s.take()
	answer, err := s.session.Query(t.Context(), d.Input, false, args...)
	if err != nil {
		return errorText(err)
	}
	if d.HasArg("prepared") {
		again, err := s.session.Query(t.Context(), d.Input, true, args...)
		if err != nil {
			return "as a prepared statement: " + errorText(err)
		}
		if one, two := f.text(answer), f.text(again); one != two {
			return fmt.Sprintf("as text:\n%s\nas a prepared statement:\n%s", one, two)
		}
	}
	return f.text(answer)
}

func (s *script) check(t *testing.T, d *datadriven.TestData) string {
	t.Helper()
	if len(d.CmdArgs) == 0 {
		d.Fatalf(t, "check needs a table")
	}
	find := s.session.Lake.Problems
	if d.HasArg("files") {
		find = s.session.Lake.FileProblems
	}
	problems := find(t, strings.Split(d.CmdArgs[0].Key, ".")...)
	if len(problems) > 0 {
		return strings.Join(problems, "\n")
	}
	return "ok"
}

// addView puts a view into the catalog: its columns stand in the first line, each
// with its type, and its text in the others.
func (s *script) addView(t *testing.T, d *datadriven.TestData) {
	t.Helper()
	columns, text, _ := strings.Cut(d.Input, "\n")
	v := lakefixture.View{Name: strings.Split(d.CmdArgs[0].Key, "."), Dialect: "spark", Text: text}
	for column := range strings.SplitSeq(columns, ", ") {
		at := strings.LastIndexByte(column, ' ')
		v.Columns = append(v.Columns, [2]string{column[:at], column[at+1:]})
	}
	for _, arg := range d.CmdArgs[1:] {
		switch arg.Key {
		case "dialect":
			v.Dialect = arg.Vals[0]
		case "catalog":
			v.Catalog = arg.Vals[0]
		case "namespace":
			v.Namespace = strings.Split(arg.Vals[0], ".")
		default:
			d.Fatalf(t, "unknown argument %q", arg.Key)
		}
	}
	s.session.Lake.AddView(t, v)
}

func (s *script) io(t *testing.T, d *datadriven.TestData) string {
	t.Helper()
	s.session.Lake.Requests()
	if _, err := s.session.Query(t.Context(), d.Input, false, s.take()...); err != nil {
		return errorText(err)
	}
	return requestsText(s.session.Lake.Requests())
}

// requestsText counts equal requests and leaves out what differs from run to
// run: a request is its kind and the kind of its object.
func requestsText(requests []lakefixture.Request) string {
	counts := map[string]int{}
	for _, r := range requests {
		counts[r.Op+" "+kindOf(r.Key)]++
	}
	var lines []string
	for what, n := range counts {
		lines = append(lines, fmt.Sprintf("%d × %s", n, strings.TrimSpace(what)))
	}
	slices.SortFunc(lines, func(a, b string) int { return strings.Compare(after(a), after(b)) })
	if len(lines) == 0 {
		return "none"
	}
	return strings.Join(lines, "\n")
}

func after(line string) string {
	_, what, _ := strings.Cut(line, "× ")
	return what
}

// kindOf tells what an object is by its name.
func kindOf(key string) string {
	name := key[strings.LastIndexByte(key, '/')+1:]
	switch {
	case key == "":
		return ""
	case strings.HasSuffix(name, ".metadata.json"):
		return "metadata"
	case strings.HasPrefix(name, "snap-"):
		return "manifest list"
	case strings.HasSuffix(name, ".avro") && strings.Contains(key, "/metadata/"):
		return "manifest"
	case strings.HasSuffix(name, ".stats") || strings.HasSuffix(name, ".puffin"):
		return "puffin"
	case strings.Contains(key, "/data/"):
		return "data"
	}
	return key
}
