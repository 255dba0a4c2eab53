package server

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/apache/iceberg-go"
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/shopspring/decimal"
)

// nestedValue is a struct, list or map inside the engine. It is never changed.
// The cells of a map are its keys and values in turn.
type nestedValue struct {
	typ   *nestedType
	cells []any
}

var _ types.JSONBytes = (*nestedValue)(nil)

// Clone implements sql.JSONWrapper.
func (v *nestedValue) Clone(context.Context) sql.JSONWrapper { return v }

// GetBytes implements types.JSONBytes.
func (v *nestedValue) GetBytes() ([]byte, error) { return v.appendJSON(nil), nil }

// ToInterface implements sql.JSONWrapper, for MySQL's JSON functions.
func (v *nestedValue) ToInterface() (any, error) {
	var doc any
	if err := json.Unmarshal(v.appendJSON(nil), &doc); err != nil {
		return nil, fmt.Errorf("read nested value as JSON: %w", err)
	}
	return doc, nil
}

// String is the value as JSON, which is also what the engine groups by. Fields
// are in the order of the type; decimals are numbers with all digits, times
// text with microseconds, binary hexadecimal text.
func (v *nestedValue) String() string { return string(v.appendJSON(nil)) }

func (v *nestedValue) appendJSON(b []byte) []byte {
	if v.typ.kind == listKind {
		b = append(b, '[')
		for i, cell := range v.cells {
			b = separate(b, i)
			b = appendCell(b, v.typ.parts[0].iceberg, cell)
		}
		return append(b, ']')
	}
	b = append(b, '{')
	if v.typ.kind == structKind {
		for i, cell := range v.cells {
			b = separate(b, i)
			b = append(appendText(b, v.typ.names[i]), ": "...)
			b = appendCell(b, v.typ.parts[i].iceberg, cell)
		}
		return append(b, '}')
	}
	for i := 0; i+1 < len(v.cells); i += 2 {
		b = separate(b, i)
		key := string(appendCell(nil, v.typ.parts[0].iceberg, v.cells[i]))
		if !strings.HasPrefix(key, `"`) {
			key = string(appendText(nil, key))
		}
		b = append(append(b, key...), ": "...)
		b = appendCell(b, v.typ.parts[1].iceberg, v.cells[i+1])
	}
	return append(b, '}')
}

func separate(b []byte, i int) []byte {
	if i > 0 {
		return append(b, ", "...)
	}
	return b
}

// appendCell appends a cell of Iceberg type t as JSON.
func appendCell(b []byte, t iceberg.Type, cell any) []byte {
	switch c := cell.(type) {
	case nil:
		return append(b, "null"...)
	case *nestedValue:
		return c.appendJSON(b)
	case int8:
		if _, ok := t.(iceberg.BooleanType); !ok {
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
		return appendFloat(b, float64(c), 32)
	case float64:
		return appendFloat(b, c, 64)
	case decimal.Decimal:
		return append(b, c.StringFixed(max(0, -c.Exponent()))...)
	case time.Time:
		if _, ok := t.(iceberg.DateType); ok {
			return append(c.AppendFormat(append(b, '"'), sql.DateLayout), '"')
		}
		return append(c.AppendFormat(append(b, '"'), sql.DatetimeLayoutNoTrim), '"')
	case types.Timespan:
		return appendText(b, c.String())
	case []byte:
		return appendText(b, hex.EncodeToString(c))
	case string:
		if _, ok := t.(iceberg.VariantType); ok {
			return append(b, c...)
		}
		return appendText(b, c)
	}
	return appendText(b, fmt.Sprint(cell))
}

// appendFloat appends a number as JSON, or as text what JSON has no number for.
func appendFloat(b []byte, f float64, bits int) []byte {
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

// appendText appends s as a JSON string.
func appendText(b []byte, s string) []byte {
	// json.Marshal would write < > & as escapes.
	var out strings.Builder
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(s); err != nil {
		return append(b, `""`...)
	}
	return append(b, strings.TrimSuffix(out.String(), "\n")...)
}
