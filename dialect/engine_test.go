package dialect

import (
	"context"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"
	sqle "github.com/dolthub/go-mysql-server"
	"github.com/dolthub/go-mysql-server/memory"
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/types"
	ast "github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/firndb/firn/server/functions"
)

// member is struct_field() and element_at_index() for the tests: the value of a key of
// a JSON object, as text.
type member struct {
	expression.BinaryExpressionStub
	name string
}

func newMember(name string) sql.Function {
	return sql.Function2{Name: name, Fn: func(x, key sql.Expression) sql.Expression {
		return &member{expression.BinaryExpressionStub{LeftChild: x, RightChild: key}, name}
	}}
}

func (m *member) String() string {
	return fmt.Sprintf("%s(%s,%s)", m.name, m.LeftChild, m.RightChild)
}
func (m *member) Type() sql.Type   { return types.LongText }
func (m *member) IsNullable() bool { return true }

func (m *member) WithChildren(children ...sql.Expression) (sql.Expression, error) {
	return &member{expression.BinaryExpressionStub{LeftChild: children[0], RightChild: children[1]}, m.name}, nil
}

func (m *member) Eval(ctx *sql.Context, row sql.Row) (any, error) {
	x, err := m.LeftChild.Eval(ctx, row)
	if err != nil || x == nil {
		return nil, err
	}
	key, err := m.RightChild.Eval(ctx, row)
	if err != nil {
		return nil, err
	}
	if doc, ok := x.(sql.JSONWrapper); ok {
		if x, err = doc.ToInterface(); err != nil {
			return nil, err
		}
	}
	switch value := x.(map[string]any)[fmt.Sprint(key)].(type) {
	case nil, map[string]any:
		return value, nil
	default:
		return fmt.Sprint(value), nil
	}
}

// provider has the functions that the dialect's statements need.
type provider struct {
	*memory.DbProvider
	functions *functions.Set
}

func (p provider) Function(ctx *sql.Context, name string) (sql.Function, bool) {
	switch name {
	case "struct_field", "element_at_index":
		return newMember(name), true
	case "date_literal", "timestamp_literal":
		return sql.Function1{Name: name, Fn: func(text sql.Expression) sql.Expression { return text }}, true
	}
	return p.functions.Lookup(ctx, name)
}

// versions is a database whose tables at a version have one row, which says
// the version.
type versions struct{ *memory.Database }

func (v versions) GetTableInsensitiveAsOf(ctx *sql.Context, name string, asOf any) (sql.Table, bool, error) {
	name += fmt.Sprint("@", asOf)
	tbl := memory.NewTable(v.Database, name, sql.NewPrimaryKeySchema(sql.Schema{{Name: "version", Type: types.LongText, Source: name}}), nil)
	return tbl, true, tbl.Insert(ctx, sql.NewRow(fmt.Sprint(asOf)))
}

func (v versions) GetTableNamesAsOf(ctx *sql.Context, _ any) ([]string, error) {
	return v.GetTableNames(ctx)
}

// newEngine returns an engine with the parser under test over tables
// lake.ops.chain$files and lake.ops.chain.
func newEngine(t *testing.T) (*sqle.Engine, *sql.Context) {
	t.Helper()
	db := memory.NewDatabase("lake.ops")
	dbs := provider{memory.NewDBProvider(versions{db}), functions.NewSet()}
	session := memory.NewSession(sql.NewBaseSession(), dbs)
	ctx := sql.NewContext(context.Background(), sql.WithSession(session))
	add := func(name string, schema sql.Schema, rows ...sql.Row) {
		for _, col := range schema {
			col.Source = name
		}
		tbl := memory.NewTable(db, name, sql.NewPrimaryKeySchema(schema), nil)
		db.AddTable(name, tbl)
		for _, row := range rows {
			if err := tbl.Insert(ctx, row); err != nil {
				t.Fatal(err)
			}
		}
	}
	doc := func(text string) sql.JSONWrapper { return types.MustJSON(text) }
	add("chain$files", sql.Schema{
		{Name: "content", Type: types.Int32},
		{Name: "file_path", Type: types.LongText},
		{Name: "partition", Type: types.JSON},
		{Name: "record_count", Type: types.Int64, Nullable: true},
		{Name: "summary", Type: types.JSON},
	},
		sql.NewRow(int32(0), "a", doc(`{"day": "2026-01-08", "n": {"k": 1}}`), int64(10), doc(`{"added-files": "1"}`)),
		sql.NewRow(int32(0), "b", doc(`{"day": "2026-01-09", "n": {"k": 2}}`), int64(20), doc(`{"added-files": "2"}`)),
		sql.NewRow(int32(0), "c", doc(`{"day": "2026-01-09", "n": {"k": 3}}`), nil, doc(`{}`)),
		sql.NewRow(int32(1), "d", doc(`{"day": "2026-01-10", "n": {"k": 3}}`), int64(5), doc(`{}`)))
	add("chain", sql.Schema{{Name: "id", Type: types.Int64}, {Name: "path", Type: types.LongText}, {Name: "key", Type: types.LongText}},
		sql.NewRow(int64(1), "a", "x"), sql.NewRow(int64(2), "b", "y"), sql.NewRow(int64(3), "z", "y"))

	engine := sqle.NewDefault(dbs)
	engine.Parser = NewParser(lake{}, recorder{})
	t.Cleanup(func() { _ = engine.Close() })
	return engine, ctx
}

// run gives the columns and rows of a statement, or its error.
func run(engine *sqle.Engine, ctx *sql.Context, query string) string {
	schema, rows, _, err := engine.Query(ctx, query)
	if err != nil {
		return "error: " + err.Error() + "\n"
	}
	var out strings.Builder
	for i, col := range schema {
		if i > 0 {
			out.WriteString(" | ")
		}
		out.WriteString(col.Name)
	}
	out.WriteByte('\n')
	for {
		row, err := rows.Next(ctx)
		if err == io.EOF {
			return out.String()
		}
		if err != nil {
			return "error: " + err.Error() + "\n"
		}
		for i, v := range row {
			if i > 0 {
				out.WriteString(" | ")
			}
			if doc, ok := v.(sql.JSONWrapper); ok {
				v, _ = types.JsonToMySqlString(doc)
			}
			fmt.Fprint(&out, v)
		}
		out.WriteByte('\n')
	}
}

// TestEngine runs rewritten statements. The command "run" gives what the engine
// answers.
func TestEngine(t *testing.T) {
	engine, ctx := newEngine(t)
	datadriven.RunTest(t, "../testdata/dialect/engine/engine.test", func(t *testing.T, d *datadriven.TestData) string {
		if d.Cmd != "run" {
			d.Fatalf(t, "unknown command %q", d.Cmd)
		}
		return run(engine, ctx, d.Input)
	})
}

// TestResolverError shows that a name that does not resolve fails with the
// resolver's error, not as a syntax error.
func TestResolverError(t *testing.T) {
	engine, ctx := newEngine(t)
	for _, query := range []string{
		"SELECT * FROM lake.ops.nope",
		"SELECT 1 FROM lake.ops.chain WHERE id IN (SELECT id FROM lake.ops.nope)",
		"CALL lake.system.p((SELECT max(id) FROM lake.ops.nope))",
		"DESCRIBE lake.ops.nope",
	} {
		_, _, _, err := engine.Query(ctx, query)
		if err == nil || err.Error() != errNoTable.Error() {
			t.Errorf("%s: error %v, want %v", query, err, errNoTable)
		}
	}
}

// TestCallChildren shows that the engine resolves the arguments of a call.
func TestCallChildren(t *testing.T) {
	engine, ctx := newEngine(t)
	seen := &capture{}
	engine.Parser = NewParser(lake{}, seen)
	_, _, _, err := engine.Query(ctx, `CALL lake.system.p(table => concat('ops.', "chain"), where => 'a = "b" AND c = ''d''', n => 1 + 2, t => TIMESTAMP '2026-01-01')`)
	if err == nil || !strings.Contains(err.Error(), "captured") {
		t.Fatalf("error %v, want the one of the statement", err)
	}
	want := []any{"ops.chain", `a = "b" AND c = 'd'`, int64(3), "2026-01-01"}
	if len(seen.children) != len(want) {
		t.Fatalf("%d children, want %d", len(seen.children), len(want))
	}
	for i, child := range seen.children {
		got, err := child.(sql.Expression).Eval(ctx, nil)
		if err != nil {
			t.Fatal(err)
		}
		if fmt.Sprint(got) != fmt.Sprint(want[i]) {
			t.Errorf("argument %d is %v, want %v", i, got, want[i])
		}
	}
}

// capture keeps the children of the call that it makes.
type capture struct {
	recorder
	children []any
}

func (c *capture) Call(Call) ast.Injectable { return c }

func (c *capture) WithResolvedChildren(children []any) (any, error) {
	c.children = children
	return nil, fmt.Errorf("captured %d", len(children))
}
