package dialect

import (
	"errors"
	"fmt"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	ast "github.com/dolthub/vitess/go/vt/sqlparser"
)

var errNoTable = errors.New("no such table")

// metadataTables are those that the tests' resolver knows.
const metadataTables = " history snapshots metadata_log_entries manifests all_manifests entries all_entries files data_files" +
	" delete_files all_files all_data_files all_delete_files partitions refs position_deletes "

// lake resolves names as the server does: catalogs "lake" (the default) and
// "oleander", each namespace one level deep.
type lake struct{}

func (lake) Database(_ *sql.Context, parts []string) (string, error) {
	if len(parts) == 1 && !strings.Contains(parts[0], ".") {
		return "lake." + parts[0], nil
	}
	return strings.Join(parts, "."), nil
}

func (l lake) Table(ctx *sql.Context, parts []string) (db, table string, err error) {
	n := len(parts)
	last := strings.ToLower(parts[n-1])
	if last == "nope" {
		return "", "", errNoTable
	}
	isCatalog := strings.EqualFold(parts[0], "lake") || strings.EqualFold(parts[0], "oleander")
	suffix := ""
	selector := strings.HasPrefix(last, "branch_") || strings.HasPrefix(last, "snapshot_id_") || strings.HasPrefix(last, "at_timestamp_")
	if n > 1 && (strings.Contains(metadataTables, " "+last+" ") || selector) {
		suffix = "$" + last
		n--
	}
	table = parts[n-1] + suffix
	switch space := parts[:n-1]; {
	case len(space) == 0:
		return "", table, nil
	case isCatalog:
		return strings.ToLower(strings.Join(space, ".")), table, nil
	default:
		return "lake." + strings.Join(space, "."), table, nil
	}
}

// recorder makes statements that say what they are.
type recorder struct{}

type recorded string

func (r recorded) WithResolvedChildren([]any) (any, error) { return nil, errors.New(string(r)) }

func (r recorded) String() string { return string(r) }

func (recorder) Call(c Call) ast.Injectable {
	return recorded(fmt.Sprintf("call explain=%v procedure=%q args=%q", c.Explain, c.Procedure, c.ArgNames))
}

func (recorder) ShowProcedures(catalog []string, like string) ast.Injectable {
	return recorded(fmt.Sprintf("show procedures in=%q like=%q", catalog, like))
}

func (recorder) DescribeProcedure(name []string) ast.Injectable {
	return recorded(fmt.Sprintf("describe procedure %q", name))
}

func (recorder) Describe(table []string, extended bool) ast.Injectable {
	return recorded(fmt.Sprintf("describe %q extended=%t", table, extended))
}

func (recorder) ShowTableProperties(table []string, key string) ast.Injectable {
	return recorded(fmt.Sprintf("show tblproperties %q key=%q", table, key))
}

// build parses the only statement in text and returns it with the text that the
// engine's grammar got.
func build(text string) (stmt ast.Statement, passed string, err error) {
	toks, err := lex(strings.TrimRight(text, "; \n\t\r"), false)
	if err != nil {
		return nil, "", err
	}
	if len(toks) == 0 {
		return nil, "", ast.ErrEmpty
	}
	src := &source{text: text, toks: toks, last: len(strings.TrimRight(text, " \n\t\r"))}
	if err := src.checkDepth(); err != nil {
		return nil, "", err
	}
	st := &statement{
		rewriter: rewriter{source: src, ctx: sql.NewEmptyContext(), names: lake{}},
		stmts:    recorder{},
		parse: func(text string) (stmt ast.Statement, err error) {
			defer recoverParse(&err)
			passed = text
			return ast.Parse(text)
		},
	}
	stmt, err = st.build()
	return stmt, passed, err
}

// passedText is what the engine's grammar gets of the only statement in text,
// or "" if that is not the whole of it.
func passedText(text string) (string, error) {
	stmt, passed, err := build(text)
	if _, ok := stmt.(ast.InjectedStatement); ok {
		return "", err
	}
	return passed, err
}

// describe is what a statement becomes, as the tests' files show it: the text
// that the engine's grammar gets, or the injected statement.
func describe(text string) string {
	stmt, passed, err := build(text)
	if err != nil {
		return "error: " + err.Error()
	}
	in, ok := stmt.(ast.InjectedStatement)
	if !ok {
		if passed == strings.TrimRight(strings.TrimSpace(text), "; \n") {
			return "unchanged"
		}
		return passed
	}
	if f, ok := in.Statement.(failure); ok {
		return "fails: " + f.err.Error()
	}
	out := fmt.Sprint(in.Statement)
	for _, child := range in.Children {
		out += "\n  " + ast.String(child)
	}
	return out
}
