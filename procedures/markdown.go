package procedures

import (
	"fmt"
	"strings"
)

// Markdown renders the reference of procedures, in the given order.
func Markdown(all []Procedure) string {
	var b strings.Builder
	b.WriteString("# Procedures\n\n")
	b.WriteString("Made from the declarations in `procedures/`; do not edit. Make it anew with\n`go test ./procedures -run TestReferenceIsCurrent -rewrite`.\n\n")
	b.WriteString("`CALL catalog.system.name(...)` or `CALL system.name(...)` runs a procedure; arguments come by position, by name\n(`name => value`) or both, positions first. `EXPLAIN CALL ...` shows what a call would do and changes nothing.\n\n")
	for _, p := range all {
		info := p.Info()
		fmt.Fprintf(&b, "- [%s](#%s): %s\n", info.Name, info.Name, info.Doc)
	}
	for _, p := range all {
		writeProcedure(&b, p.Info())
	}
	return b.String()
}

func writeProcedure(b *strings.Builder, info Info) {
	fmt.Fprintf(b, "\n## %s\n\n%s\n", info.Name, info.Doc)
	for _, note := range info.Notes {
		fmt.Fprintf(b, "\n%s\n", note)
	}
	writeParams(b, "Argument", info.Params)
	writeParams(b, "Option", info.Options)
	b.WriteString("\n| Output column | Type | Meaning |\n| --- | --- | --- |\n")
	for _, c := range info.Output {
		fmt.Fprintf(b, "| `%s` | %s | %s |\n", c.Name, c.Type, cell(c.Doc))
	}
}

func writeParams(b *strings.Builder, title string, params []Param) {
	if len(params) == 0 {
		return
	}
	fmt.Fprintf(b, "\n| %s | Type | Default | Meaning |\n| --- | --- | --- | --- |\n", title)
	for _, p := range params {
		value := p.Default
		if p.Required {
			value = "required"
		}
		fmt.Fprintf(b, "| `%s` | %s | %s | %s |\n", p.Name, p.Type, cell(value), cell(p.Doc))
	}
}

// cell makes text fit into a table.
func cell(text string) string {
	return strings.ReplaceAll(strings.ReplaceAll(text, "\n", " "), "|", `\|`)
}
