package nested

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/shopspring/decimal"
)

// Value is a struct, list or map inside the engine. It is never changed.
// The cells of a map are its keys and values in turn.
type Value struct {
	Type  *Type
	Cells []any
}

var _ types.JSONBytes = (*Value)(nil)

// Clone implements sql.JSONWrapper.
func (v *Value) Clone(context.Context) sql.JSONWrapper { return v }

// GetBytes implements types.JSONBytes.
func (v *Value) GetBytes() ([]byte, error) { return v.json(nil), nil }

// ToInterface implements sql.JSONWrapper, for MySQL's JSON functions.
func (v *Value) ToInterface() (any, error) {
	var doc any
	if err := json.Unmarshal(v.json(nil), &doc); err != nil {
		return nil, fmt.Errorf("read nested value as JSON: %w", err)
	}
	return doc, nil
}

// String is the value as JSON, which is also what the engine groups by. Fields
// are in the order of the type; decimals are numbers with all digits, times
// text with microseconds, binary hexadecimal text.
func (v *Value) String() string { return string(v.json(nil)) }

// json appends the value as JSON to dest.
func (v *Value) json(dest []byte) []byte {
	return v.appendJSON(slices.Grow(dest, v.sizeHint()))
}

// sizeHint is about how long the value is as JSON, rather too much than too little.
func (v *Value) sizeHint() int {
	const punctuation, number = 4, 20
	size := punctuation
	if v.Type.Kind == Struct {
		for _, name := range v.Type.Names {
			size += len(name) + punctuation
		}
	}
	for _, cell := range v.Cells {
		switch c := cell.(type) {
		case nil, int8, int32:
			size += number / 2
		case *Value:
			size += c.sizeHint()
		case string:
			size += len(c)
		case []byte:
			size += 2 * len(c)
		default:
			size += number
		}
		size += punctuation
	}
	return size
}

func (v *Value) appendJSON(b []byte) []byte {
	if v.Type.Kind == List {
		b = append(b, '[')
		for i, cell := range v.Cells {
			b = separate(b, i)
			b = appendCell(b, v.Type.Parts[0], cell)
		}
		return append(b, ']')
	}
	b = append(b, '{')
	if v.Type.Kind == Struct {
		for i, cell := range v.Cells {
			b = separate(b, i)
			b = append(AppendText(b, v.Type.Names[i]), ": "...)
			b = appendCell(b, v.Type.Parts[i], cell)
		}
		return append(b, '}')
	}
	for i := 0; i+1 < len(v.Cells); i += 2 {
		b = separate(b, i)
		b = appendKey(b, v.Type.Parts[0], v.Cells[i])
		b = append(b, ": "...)
		b = appendCell(b, v.Type.Parts[1], v.Cells[i+1])
	}
	return append(b, '}')
}

// appendKey appends a key of a map, which is text in JSON.
func appendKey(b []byte, p Part, key any) []byte {
	start := len(b)
	switch key.(type) {
	case int8, bool, int32, int64:
		b = appendCell(append(b, '"'), p, key)
		return append(b, '"')
	}
	b = appendCell(b, p, key)
	if b[start] == '"' {
		return b
	}
	text := string(b[start:])
	return AppendText(b[:start], text)
}

func separate(b []byte, i int) []byte {
	if i > 0 {
		return append(b, ", "...)
	}
	return b
}

// appendCell appends a cell as JSON.
func appendCell(b []byte, p Part, cell any) []byte {
	switch c := cell.(type) {
	case nil:
		return append(b, "null"...)
	case *Value:
		return c.appendJSON(b)
	case int8:
		if !IsBoolean(p.SQL) {
			return strconv.AppendInt(b, int64(c), 10)
		}
		return strconv.AppendBool(b, c != 0)
	case bool:
		return strconv.AppendBool(b, c)
	case int32:
		return strconv.AppendInt(b, int64(c), 10)
	case int64:
		return strconv.AppendInt(b, c, 10)
	case float32:
		return AppendFloat(b, float64(c), 32)
	case float64:
		return AppendFloat(b, c, 64)
	case decimal.Decimal:
		scale := -c.Exponent()
		if t, ok := p.SQL.(sql.DecimalType); ok && t != types.InternalDecimalType {
			scale = int32(t.Scale())
		}
		return append(b, c.StringFixed(max(0, scale))...)
	case time.Time:
		if types.Date.Equals(p.SQL) {
			return append(c.AppendFormat(append(b, '"'), sql.DateLayout), '"')
		}
		return append(c.AppendFormat(append(b, '"'), sql.DatetimeLayoutNoTrim), '"')
	case types.Timespan:
		return AppendText(b, c.String())
	case []byte:
		return AppendText(b, hex.EncodeToString(c))
	case string:
		if p.Raw {
			return append(b, c...)
		}
		return AppendText(b, c)
	}
	return AppendText(b, fmt.Sprint(cell))
}

// AppendFloat appends a number as JSON, or as text what JSON has no number for.
func AppendFloat(b []byte, f float64, bits int) []byte {
	switch {
	case math.IsNaN(f):
		return append(b, `"NaN"`...)
	case math.IsInf(f, 1):
		return append(b, `"Infinity"`...)
	case math.IsInf(f, -1):
		return append(b, `"-Infinity"`...)
	}
	return strconv.AppendFloat(b, f, 'g', -1, bits)
}

// AppendText appends s as a JSON string.
func AppendText(b []byte, s string) []byte {
	if plain(s) {
		b = append(b, '"')
		b = append(b, s...)
		return append(b, '"')
	}
	// json.Marshal would write < > & as escapes.
	var out strings.Builder
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(s); err != nil {
		return append(b, `""`...)
	}
	return append(b, strings.TrimSuffix(out.String(), "\n")...)
}

// plain says whether s has only ASCII that JSON writes as it is.
func plain(s string) bool {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c > '~' || c == '"' || c == '\\' {
			return false
		}
	}
	return true
}
