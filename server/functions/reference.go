package functions

import (
	"fmt"
	"strings"
)

// Reference is the documentation of all functions, in Markdown.
func Reference() string {
	var b strings.Builder
	b.WriteString(`# Functions

Made from the lists in ` + "`server/functions/`" + `; do not edit. Make it anew with
` + "`go test ./server/functions -run TestReferenceIsCurrent -rewrite`" + `.

These functions have Spark's meaning, in its ANSI mode: what is no number, or out of range, is an error. A function that is not
here is MySQL's. What Spark answered to hundreds of calls is replayed in a test; [where Firn answers
otherwise](../testdata/functions/differences.txt) is listed with the reasons. A function that is NULL if an argument is NULL does
not say so.
`)
	for _, g := range Groups() {
		fmt.Fprintf(&b, "\n## %s\n\n| Function | Gives |\n| --- | --- |\n", g.Title)
		for _, f := range g.Functions {
			names := make([]string, len(f.Names))
			for i, name := range f.Names {
				usage := ""
				if i == 0 {
					usage = f.signature(name)
				} else {
					usage = name
				}
				names[i] = "`" + strings.ReplaceAll(usage, "|", `\|`) + "`"
			}
			fmt.Fprintf(&b, "| %s | %s |\n", strings.Join(names, ", "), strings.ReplaceAll(f.Doc, "|", `\|`))
		}
	}
	return b.String()
}
