package golden

import (
	"bytes"
	"database/sql"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// WireLines are rows as a MySQL client gets them, as text, in the form of
// [Rows]: sorted lines.
func (r Result) WireLines(rows [][]sql.NullString) ([]string, error) {
	lines := make([]string, len(rows))
	for i, row := range rows {
		cells := make([]string, len(row))
		for j, value := range row {
			text, err := wireCell(r.typeOf(j), value)
			if err != nil {
				return nil, fmt.Errorf("row %d, column %q: %w", i, r.Columns[j].Name, err)
			}
			cells[j] = text
		}
		lines[i] = "[" + strings.Join(cells, ",") + "]"
	}
	slices.Sort(lines)
	return lines, nil
}

// typeOf is the type of a column in Spark's JSON. Answers without a schema have
// simple types only, which their columns name.
func (r Result) typeOf(column int) json.RawMessage {
	if len(r.SchemaJSON.Fields) > 0 {
		return r.SchemaJSON.Fields[column].Type
	}
	return json.RawMessage(strconv.Quote(r.Columns[column].Type))
}

// WireTypes are the MySQL types that a client is to see in the answer's columns,
// and whether each may be NULL.
func (r Result) WireTypes() []string {
	types := make([]string, len(r.Columns))
	for i, c := range r.Columns {
		null := " NOT NULL"
		if c.Nullable {
			null = ""
		}
		types[i] = wireType(r.typeOf(i)) + null
	}
	return types
}

func wireType(typ json.RawMessage) string {
	var word string
	if json.Unmarshal(typ, &word) != nil {
		return "JSON"
	}
	switch word {
	case "integer", "int":
		return "INT"
	case "long", "bigint":
		return "BIGINT"
	case "boolean":
		return "TINYINT"
	case "timestamp", "timestamp_ntz":
		return "DATETIME"
	case "binary":
		return "BLOB"
	case "float", "double", "date":
		return strings.ToUpper(word)
	case "decimal(38,38)":
		return "TEXT"
	}
	if strings.HasPrefix(word, "decimal") {
		return "DECIMAL"
	}
	return "TEXT"
}

func wireCell(typ json.RawMessage, value sql.NullString) (string, error) {
	if !value.Valid {
		return "null", nil
	}
	var word string
	if json.Unmarshal(typ, &word) == nil {
		if word == "binary" {
			return binary([]byte(value.String)), nil
		}
		return wireScalar(word, value.String)
	}
	decoder := json.NewDecoder(strings.NewReader(value.String))
	decoder.UseNumber()
	var nested any
	if err := decoder.Decode(&nested); err != nil {
		return "", fmt.Errorf("%q: %w", value.String, err)
	}
	return wireNested(typ, nested)
}

// wireNested is a value from the JSON of a nested one.
func wireNested(typ json.RawMessage, value any) (string, error) {
	if value == nil {
		return "null", nil
	}
	var word string
	if json.Unmarshal(typ, &word) == nil {
		if word == "binary" {
			b, err := hex.DecodeString(fmt.Sprint(value))
			return binary(b), err
		}
		return wireScalar(word, fmt.Sprint(value))
	}
	var nested sparkNested
	if err := json.Unmarshal(typ, &nested); err != nil {
		return "", err
	}
	switch v := value.(type) {
	case []any:
		parts := make([]string, len(v))
		for i, element := range v {
			var err error
			if parts[i], err = wireNested(nested.ElementType, element); err != nil {
				return "", err
			}
		}
		return "[" + strings.Join(parts, ",") + "]", nil
	case map[string]any:
		if nested.Type == "map" {
			return wireMap(nested, v)
		}
		return wireStruct(nested, v)
	}
	return "", fmt.Errorf("%v is no %s", value, nested.Type)
}

func wireMap(typ sparkNested, entries map[string]any) (string, error) {
	var parts []string
	for k, v := range entries {
		var word string
		if err := json.Unmarshal(typ.KeyType, &word); err != nil {
			return "", err
		}
		key, err := wireScalar(word, k)
		if err != nil {
			return "", err
		}
		item, err := wireNested(typ.ValueType, v)
		if err != nil {
			return "", err
		}
		parts = append(parts, "["+key+","+item+"]")
	}
	slices.Sort(parts)
	return `{"$map":[` + strings.Join(parts, ",") + "]}", nil
}

// wireStruct has the fields of the type, all of them and no other.
func wireStruct(typ sparkNested, value map[string]any) (string, error) {
	if len(value) != len(typ.Fields) {
		return "", fmt.Errorf("%d fields, want %d: %v", len(value), len(typ.Fields), value)
	}
	fields := slices.SortedFunc(slices.Values(typ.Fields), func(a, b sparkField) int { return strings.Compare(a.Name, b.Name) })
	var b bytes.Buffer
	for i, f := range fields {
		v, ok := value[f.Name]
		if !ok {
			return "", fmt.Errorf("no field %q in %v", f.Name, value)
		}
		text, err := wireNested(f.Type, v)
		if err != nil {
			return "", err
		}
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(quote(f.Name) + ":" + text)
	}
	return "{" + b.String() + "}", nil
}

func wireScalar(word, text string) (string, error) {
	switch word {
	case "string":
		return quote(text), nil
	case "boolean":
		v, err := strconv.ParseBool(text)
		return strconv.FormatBool(v), err
	case "float":
		v, err := strconv.ParseFloat(text, 32)
		return floating(v), err
	case "double":
		v, err := strconv.ParseFloat(text, 64)
		return floating(v), err
	case "timestamp":
		return quote(strings.Replace(text, " ", "T", 1) + "Z"), nil
	case "timestamp_ntz":
		return quote(strings.Replace(text, " ", "T", 1)), nil
	case "variant":
		return object([]string{"$variant"}, func(string) string { return quote(text) }), nil
	case "integer", "int", "long", "bigint", "short", "byte":
		return text, nil
	}
	return quote(text), nil
}
