package functions

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"

	"github.com/firndb/firn/server/nested"
)

// jsons are the functions of JSON text. An array, map or struct stands for its
// JSON.
func jsons() []Function {
	return []Function{
		{
			Names: []string{"get_json_object"}, Usage: "json, path", min: 2, max: 2, make: makeGetJSON,
			Doc: "What is at a path such as '$.a.b[0]', as text; NULL if there is nothing or the text is no JSON.",
		},
		{
			Names: []string{"to_json"}, Usage: "a", min: 1, max: 1, make: makeToJSON,
			Doc: "The array, map or struct as JSON; fields that are NULL are left out.",
		},
		{
			Names: []string{"json_array_length"}, Usage: "json", min: 1, max: 1, make: makeJSONLength,
			Doc: "The number of elements of an array; NULL for other text.",
		},
		{
			Names: []string{"json_object_keys"}, Usage: "json", min: 1, max: 1, make: makeJSONKeys,
			Doc: "An array of the keys of an object; NULL for other text.",
		},
	}
}

// jsonText is the JSON that v is.
func jsonText(ctx *sql.Context, v any) (string, error) {
	doc, ok := v.(sql.JSONWrapper)
	if !ok {
		return text(v, nil), nil
	}
	return types.JsonToMySqlString(doc)
}

// jsonPath is the steps of a path: names and indexes.
func jsonPath(path string) ([]any, error) {
	rest, ok := strings.CutPrefix(path, "$")
	if !ok {
		return nil, fmt.Errorf("the path %q does not begin with $", path)
	}
	var steps []any
	for rest != "" {
		switch {
		case rest[0] == '.':
			end := strings.IndexAny(rest[1:], ".[")
			if end < 0 {
				end = len(rest) - 1
			}
			steps, rest = append(steps, rest[1:end+1]), rest[end+1:]
		case rest[0] == '[':
			end := strings.IndexByte(rest, ']')
			if end < 0 {
				return nil, fmt.Errorf("the path %q has a [ without ]", path)
			}
			inside := rest[1:end]
			rest = rest[end+1:]
			if n, ok := digits(inside); ok {
				steps = append(steps, n)
				continue
			}
			if len(inside) < 2 || inside[0] != '\'' || inside[len(inside)-1] != '\'' {
				return nil, fmt.Errorf("the path %q has [%s]; allowed are a number and a name in quotes", path, inside)
			}
			steps = append(steps, inside[1:len(inside)-1])
		default:
			return nil, fmt.Errorf("the path %q is none; write it as $.a.b[0]", path)
		}
	}
	return steps, nil
}

// follow takes the steps of a path; nil if they lead nowhere.
func follow(doc json.RawMessage, steps []any) json.RawMessage {
	for _, step := range steps {
		switch s := step.(type) {
		case string:
			var object map[string]json.RawMessage
			if json.Unmarshal(doc, &object) != nil {
				return nil
			}
			doc = object[s]
		case int:
			var list []json.RawMessage
			if json.Unmarshal(doc, &list) != nil || s >= len(list) {
				return nil
			}
			doc = list[s]
		}
		if doc == nil {
			return nil
		}
	}
	return doc
}

func makeGetJSON(c call) (sql.Expression, error) {
	compiled := &memo[[]any]{}
	return c.strict(types.LongText, func(ctx *sql.Context, args []any) (any, error) {
		steps, err := compiled.get(text(args[1], nil), jsonPath)
		if err != nil {
			return nil, c.bad("%s", err)
		}
		doc, err := jsonText(ctx, args[0])
		if err != nil {
			return nil, err
		}
		found := follow(json.RawMessage(doc), steps)
		if !json.Valid(found) || string(found) == "null" {
			return nil, nil
		}
		if found[0] == '"' {
			var s string
			err := json.Unmarshal(found, &s)
			return s, err
		}
		var b bytes.Buffer
		err = json.Compact(&b, found)
		return b.String(), err
	})
}

func makeToJSON(c call) (sql.Expression, error) {
	if !c.open() && c.nested(0) == nil {
		return nil, c.bad("%s is a %s; an array, map or struct is wanted", c.args[0], typeName(c.typ(0)))
	}
	return c.cells(types.LongText, func(_ *sql.Context, args []*nested.Value) (any, error) {
		return string(appendSparkJSON(nil, args[0])), nil
	})
}

// appendSparkJSON appends v as Spark's to_json writes it.
func appendSparkJSON(b []byte, v *nested.Value) []byte {
	first := true
	separate := func() {
		if !first {
			b = append(b, ',')
		}
		first = false
	}
	switch v.Type.Kind {
	case nested.List:
		b = append(b, '[')
		for i, cell := range v.Cells {
			separate()
			b = appendJSONCell(b, cell, v.Type.PartOf(i).SQL)
		}
		return append(b, ']')
	case nested.Struct:
		b = append(b, '{')
		for i, cell := range v.Cells {
			if cell == nil {
				continue
			}
			separate()
			b = append(nested.AppendText(b, v.Type.Names[i]), ':')
			b = appendJSONCell(b, cell, v.Type.PartOf(i).SQL)
		}
		return append(b, '}')
	}
	b = append(b, '{')
	for i := 0; i+1 < len(v.Cells); i += 2 {
		separate()
		b = append(nested.AppendText(b, text(v.Cells[i], v.Type.Parts[0].SQL)), ':')
		b = appendJSONCell(b, v.Cells[i+1], v.Type.Parts[1].SQL)
	}
	return append(b, '}')
}

func appendJSONCell(b []byte, cell any, t sql.Type) []byte {
	switch x := cell.(type) {
	case nil:
		return append(b, "null"...)
	case *nested.Value:
		return appendSparkJSON(b, x)
	case []byte:
		return nested.AppendText(b, base64Of(x))
	}
	s := text(cell, t)
	switch {
	case types.IsTime(t) && !types.IsDateType(t):
		if at, err := moment(nil, cell); err == nil {
			s = at.Format("2006-01-02T15:04:05.000Z")
		}
	case t == types.Boolean, isNumber(t) && s != "NaN" && !strings.HasSuffix(s, "Infinity"):
		return append(b, s...)
	}
	return nested.AppendText(b, s)
}

func makeJSONLength(c call) (sql.Expression, error) {
	return c.strict(types.Int32, func(ctx *sql.Context, args []any) (any, error) {
		doc, err := jsonText(ctx, args[0])
		if err != nil {
			return nil, err
		}
		var list []json.RawMessage
		if json.Unmarshal([]byte(doc), &list) != nil {
			return nil, nil
		}
		return int32(len(list)), nil
	})
}

func makeJSONKeys(c call) (sql.Expression, error) {
	t := nested.ListOf(types.LongText)
	return c.strict(t, func(ctx *sql.Context, args []any) (any, error) {
		doc, err := jsonText(ctx, args[0])
		if err != nil {
			return nil, err
		}
		var object map[string]json.RawMessage
		if json.Unmarshal([]byte(doc), &object) != nil {
			return nil, nil
		}
		v := &nested.Value{Type: t}
		dec := json.NewDecoder(strings.NewReader(doc))
		for depth := 0; ; {
			tok, err := dec.Token()
			if err != nil {
				return v, nil
			}
			switch d := tok.(type) {
			case json.Delim:
				if d == '{' || d == '[' {
					depth++
				} else {
					depth--
				}
			case string:
				if depth == 1 {
					v.Cells = append(v.Cells, d)
					var skipped json.RawMessage
					if dec.Decode(&skipped) != nil {
						return v, nil
					}
				}
			}
		}
	})
}

// positionsOf is what a generator makes rows of: the positions of an array's
// elements or a map's entries, as a JSON array of numbers.
func positionsOf(n int) string {
	b := []byte{'['}
	for i := range n {
		if i > 0 {
			b = append(b, ',')
		}
		b = strconv.AppendInt(b, int64(i), 10)
	}
	return string(append(b, ']'))
}
