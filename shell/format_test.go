package shell

import (
	"strings"
	"testing"
)

func TestFormats(t *testing.T) {
	text := func(s string) Cell { return Cell{Text: s} }
	null := Cell{Null: true}
	result := Result{
		Columns: []Column{{"n", KindNumber}, {"name", KindText}, {"partition", KindJSON}},
		Rows: [][]Cell{
			{text("1"), text("a,\"b\"\nc"), text(`{"day": "2026-01-09"}`)},
			{text("20"), null, null},
		},
	}
	for format, want := range map[Format]string{
		FormatTable: `
+----+----------+-----------------------+
| n  | name     | partition             |
+----+----------+-----------------------+
|  1 | a,"b"\nc | {"day": "2026-01-09"} |
| 20 | NULL     | NULL                  |
+----+----------+-----------------------+
`,
		FormatCSV: `
n,name,partition
1,"a,""b""
c","{""day"": ""2026-01-09""}"
20,,
`,
		FormatJSON: `
[
  {"n": 1, "name": "a,\"b\"\nc", "partition": {"day": "2026-01-09"}},
  {"n": 20, "name": null, "partition": null}
]
`,
		FormatVertical: `
*************************** 1. row ***************************
        n: 1
     name: a,"b"
c
partition: {"day": "2026-01-09"}
*************************** 2. row ***************************
        n: 20
     name: NULL
partition: NULL
`,
	} {
		var b strings.Builder
		if err := result.Print(&b, format); err != nil {
			t.Fatal(err)
		}
		got := b.String()
		if got != want[1:] {
			t.Errorf("%s:\n%s\nwant\n%s", format, got, want[1:])
		}
	}
}

func TestCSVKeepsRowsOfOneEmptyCell(t *testing.T) {
	result := Result{Columns: []Column{{"a", KindText}}, Rows: [][]Cell{{{Text: "x"}}, {{Null: true}}, {{}}, {{Text: "y"}}}}
	var b strings.Builder
	if err := result.Print(&b, FormatCSV); err != nil {
		t.Fatal(err)
	}
	if got, want := b.String(), "a\nx\n\"\"\n\"\"\ny\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestParseFormat(t *testing.T) {
	if f, err := ParseFormat("JSON"); err != nil || f != FormatJSON {
		t.Errorf("got %q, %v", f, err)
	}
	if _, err := ParseFormat("xml"); err == nil || !strings.Contains(err.Error(), `"xml"`) {
		t.Errorf("got %v", err)
	}
}
