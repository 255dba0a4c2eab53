package nested

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/dolthub/go-mysql-server/sql/types"
)

// What is written without the encoder is what the encoder writes.
func FuzzAppendText(f *testing.F) {
	for _, s := range []string{"", "plain", `a"b`, `a\b`, "<&>", "tab\t", "\x7f", "ü", "\u2028", "\xff", "a b~"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		var want strings.Builder
		enc := json.NewEncoder(&want)
		enc.SetEscapeHTML(false)
		if err := enc.Encode(s); err != nil {
			t.Fatal(err)
		}
		if got := string(AppendText([]byte("x"), s)) + "\n"; got != "x"+want.String() {
			t.Errorf("got %s, want x%s", got, want.String())
		}
	})
}

func TestMapKeysAreText(t *testing.T) {
	one := &Value{Type: ListOf(types.LongText), Cells: []any{`a"`}}
	for _, c := range []struct {
		key  any
		typ  *Type
		want string
	}{
		{int32(-7), MapOf(types.Int32, types.Int64), `{"-7": 1}`},
		{int64(7), MapOf(types.Int64, types.Int64), `{"7": 1}`},
		{int8(1), MapOf(types.Boolean, types.Int64), `{"true": 1}`},
		{1.5, MapOf(types.Float64, types.Int64), `{"1.5": 1}`},
		{`a"`, MapOf(types.LongText, types.Int64), `{"a\"": 1}`},
		{one, MapOf(one.Type, types.Int64), `{"[\"a\\\"\"]": 1}`},
	} {
		v := &Value{Type: c.typ, Cells: []any{c.key, int64(1)}}
		if got := v.String(); got != c.want {
			t.Errorf("got %s, want %s", got, c.want)
		}
		if got, err := c.typ.SQL(nil, []byte("x"), v); err != nil || got.ToString() != "x"+c.want {
			t.Errorf("got %s, %v, want x%s", got.ToString(), err, c.want)
		}
	}
}
