package server

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/shopspring/decimal"

	"github.com/firndb/firn/procedures"
	"github.com/firndb/firn/server/nested"
)

// argument turns the engine's value of a call's argument into one that
// procedures know.
func argument(name string, value any, t sql.Type, zone *time.Location) (procedures.Arg, error) {
	v, err := goValue(value, t, zone)
	return procedures.Arg{Name: name, Value: v}, err
}

// goValue turns a value of the engine of type t into a plain Go value.
func goValue(value any, t sql.Type, zone *time.Location) (any, error) {
	switch v := value.(type) {
	case nil, string, bool, int32, int64, float64:
		return v, nil
	case int8:
		return int64(v), nil
	case int16:
		return int64(v), nil
	case int:
		return int64(v), nil
	case uint8:
		return int64(v), nil
	case uint16:
		return int64(v), nil
	case uint32:
		return int64(v), nil
	case uint64:
		if v > 1<<63-1 {
			return nil, fmt.Errorf("%d is outside the range of bigint", v)
		}
		return int64(v), nil
	case float32:
		return float64(v), nil
	case decimal.Decimal:
		f, _ := v.Float64()
		return f, nil
	case []byte:
		return string(v), nil
	case time.Time:
		return instant(v, zone), nil
	case *nested.Value:
		return goNested(v, zone)
	}
	return nil, fmt.Errorf("a value of type %s cannot be passed to a procedure", t)
}

// goNested turns a map into map[string]string and an array into []any.
func goNested(v *nested.Value, zone *time.Location) (any, error) {
	if v.Type.Kind == nested.List {
		list := make([]any, len(v.Cells))
		for i, cell := range v.Cells {
			element, err := goValue(cell, v.Type.Parts[0].SQL, zone)
			if err != nil {
				return nil, fmt.Errorf("element %d: %w", i, err)
			}
			list[i] = element
		}
		return list, nil
	}
	if v.Type.Kind != nested.Map {
		return nil, fmt.Errorf("a struct cannot be passed to a procedure")
	}
	m := make(map[string]string, len(v.Cells)/2)
	for i := 0; i+1 < len(v.Cells); i += 2 {
		key := cellText(v.Cells[i])
		if _, ok := m[key]; ok {
			return nil, fmt.Errorf("key %q is given twice", key)
		}
		if v.Cells[i+1] == nil {
			return nil, fmt.Errorf("key %q: the value must not be NULL", key)
		}
		m[key] = cellText(v.Cells[i+1])
	}
	return m, nil
}

func cellText(cell any) string {
	if s, ok := cell.(string); ok {
		return s
	}
	return fmt.Sprint(cell)
}

// adapt turns arguments that clients of the prepared protocol cannot spell
// otherwise into what the parameter is: 0 and 1 into a boolean, a JSON object
// into a map, a JSON array into an array. A name that no parameter has is left
// for binding to refuse.
func adapt(params []procedures.Param, args []procedures.Arg) {
	for i := range args {
		param := findParam(params, args[i].Name, i)
		if param == nil {
			continue
		}
		switch v := args[i].Value.(type) {
		case int64:
			if param.Type == procedures.TypeBoolean && (v == 0 || v == 1) {
				args[i].Value = v == 1
			}
		case string:
			adaptJSON(param.Type, v, &args[i])
		}
	}
}

func adaptJSON(t procedures.Type, text string, arg *procedures.Arg) {
	switch t {
	case procedures.TypeStringMap:
		var m map[string]json.RawMessage
		if json.Unmarshal([]byte(text), &m) != nil || m == nil {
			return
		}
		plain := make(map[string]string, len(m))
		for key, raw := range m {
			var s string
			if json.Unmarshal(raw, &s) != nil {
				s = string(raw)
			}
			plain[key] = s
		}
		arg.Value = plain
	case procedures.TypeLongArray, procedures.TypeStringArray:
		var list []json.RawMessage
		if json.Unmarshal([]byte(text), &list) != nil || list == nil {
			return
		}
		plain := make([]any, len(list))
		for i, raw := range list {
			var s string
			if json.Unmarshal(raw, &s) != nil {
				s = string(raw)
			}
			plain[i] = s
		}
		arg.Value = plain
	}
}

func findParam(params []procedures.Param, name string, position int) *procedures.Param {
	for i := range params {
		if name == "" && i == position || name != "" && strings.EqualFold(params[i].Name, name) {
			return &params[i]
		}
	}
	return nil
}
