package sqltest

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// SparkType is a Spark type, as in the JSON of a schema: a name such as "long",
// or a struct, map or array.
type SparkType struct {
	Name         string
	Fields       []SparkField
	Key, Element *SparkType
}

// SparkField is a field of a struct or a column of a result.
type SparkField struct {
	Name string    `json:"name"`
	Type SparkType `json:"type"`
}

// UnmarshalJSON reads a type from Spark's schema JSON.
func (t *SparkType) UnmarshalJSON(data []byte) error {
	if len(data) > 0 && data[0] == '"' {
		return json.Unmarshal(data, &t.Name)
	}
	var nested struct {
		Type                            string
		Fields                          []SparkField
		KeyType, ValueType, ElementType *SparkType
	}
	if err := json.Unmarshal(data, &nested); err != nil {
		return err
	}
	*t = SparkType{Name: nested.Type, Fields: nested.Fields, Key: nested.KeyType, Element: nested.ElementType}
	if t.Element == nil {
		t.Element = nested.ValueType
	}
	return nil
}

// FromSpark brings a value of a golden file into the form that values are
// compared in. The value was decoded from JSON with numbers kept as text.
func (t SparkType) FromSpark(value any) (string, error) {
	if value == nil {
		return "NULL", nil
	}
	object, _ := value.(map[string]any)
	switch t.Name {
	case "struct":
		return t.object(object, SparkType.FromSpark)
	case "map":
		pairs, ok := object["$map"].([]any)
		if !ok {
			return "", fmt.Errorf("not a map: %v", value)
		}
		entries := map[string]string{}
		for _, pair := range pairs {
			p, ok := pair.([]any)
			if !ok || len(p) != 2 {
				return "", fmt.Errorf("not a pair: %v", pair)
			}
			key, err := t.Key.FromSpark(p[0])
			if err != nil {
				return "", err
			}
			if entries[key], err = t.Element.FromSpark(p[1]); err != nil {
				return "", err
			}
		}
		return mapText(entries), nil
	case "array":
		return t.list(value, SparkType.FromSpark)
	case "binary":
		text, ok := object["$bin"].(string)
		if !ok {
			return "", fmt.Errorf("not binary: %v", value)
		}
		return "x" + text, nil
	case "variant":
		return canonicalJSON(object["$variant"])
	}
	if float, ok := object["$float"]; ok {
		return t.scalar(fmt.Sprint(float))
	}
	return t.scalar(fmt.Sprint(value))
}

// FromWire brings a cell of a result into the same form. Nested values arrive
// as JSON, which has keys of maps as text and binary in hexadecimal.
func (t SparkType) FromWire(value Value) (string, error) {
	if !value.Valid {
		return "NULL", nil
	}
	switch t.Name {
	case "struct", "map", "array":
		decoder := json.NewDecoder(strings.NewReader(value.String))
		decoder.UseNumber()
		var nested any
		if err := decoder.Decode(&nested); err != nil {
			return "", fmt.Errorf("%q: %w", value.String, err)
		}
		return t.fromJSON(nested)
	case "binary":
		return "x" + hex.EncodeToString([]byte(value.String)), nil
	case "variant":
		return canonicalJSON(value.String)
	}
	return t.scalar(value.String)
}

// fromJSON is FromWire for what stands inside a nested value.
func (t SparkType) fromJSON(value any) (string, error) {
	if value == nil {
		return "NULL", nil
	}
	switch t.Name {
	case "struct":
		object, _ := value.(map[string]any)
		return t.object(object, SparkType.fromJSON)
	case "map":
		object, ok := value.(map[string]any)
		if !ok {
			return "", fmt.Errorf("not a map: %v", value)
		}
		entries := map[string]string{}
		for key, element := range object {
			k, err := t.Key.scalar(key)
			if err != nil {
				return "", err
			}
			if entries[k], err = t.Element.fromJSON(element); err != nil {
				return "", err
			}
		}
		return mapText(entries), nil
	case "array":
		return t.list(value, SparkType.fromJSON)
	case "binary":
		return "x" + fmt.Sprint(value), nil
	}
	return t.scalar(fmt.Sprint(value))
}

// object shows a struct: the fields in the type's order, all of them and no
// other.
func (t SparkType) object(value map[string]any, of func(SparkType, any) (string, error)) (string, error) {
	if len(value) != len(t.Fields) {
		return "", fmt.Errorf("%d fields, want %d: %v", len(value), len(t.Fields), value)
	}
	parts := make([]string, len(t.Fields))
	for i, field := range t.Fields {
		element, ok := value[field.Name]
		if !ok {
			return "", fmt.Errorf("no field %q in %v", field.Name, value)
		}
		text, err := of(field.Type, element)
		if err != nil {
			return "", err
		}
		parts[i] = field.Name + ":" + text
	}
	return "{" + strings.Join(parts, ",") + "}", nil
}

func (t SparkType) list(value any, of func(SparkType, any) (string, error)) (string, error) {
	elements, ok := value.([]any)
	if !ok {
		return "", fmt.Errorf("not a list: %v", value)
	}
	parts := make([]string, len(elements))
	for i, element := range elements {
		var err error
		if parts[i], err = of(*t.Element, element); err != nil {
			return "", err
		}
	}
	return "[" + strings.Join(parts, ",") + "]", nil
}

// scalar brings the text of a value into the compared form: times in
// microseconds, floats as Go writes them, booleans as words.
func (t SparkType) scalar(text string) (string, error) {
	switch t.Name {
	case "timestamp", "timestamp_ntz":
		at, err := time.Parse("2006-01-02 15:04:05", strings.TrimSuffix(strings.Replace(text, "T", " ", 1), "Z"))
		return at.Format("2006-01-02 15:04:05.000000"), err
	case "boolean":
		value, err := strconv.ParseBool(text)
		return strconv.FormatBool(value), err
	case "float", "double":
		value, err := strconv.ParseFloat(text, 64)
		if t.Name == "float" {
			return strconv.FormatFloat(value, 'g', -1, 32), err
		}
		return strconv.FormatFloat(value, 'g', -1, 64), err
	case "string":
		return strconv.Quote(text), nil
	}
	return text, nil
}

func mapText(entries map[string]string) string {
	var parts []string
	for key, value := range entries {
		parts = append(parts, key+"="+value)
	}
	slices.Sort(parts)
	return "{" + strings.Join(parts, ",") + "}"
}

func canonicalJSON(value any) (string, error) {
	var parsed any
	if err := json.Unmarshal([]byte(fmt.Sprint(value)), &parsed); err != nil {
		return "", err
	}
	text, err := json.Marshal(parsed)
	return string(text), err
}
