package golden

import (
	"encoding/json"
	"fmt"

	"github.com/apache/iceberg-go"
)

// sparkStruct is a struct type in Spark's JSON form.
type sparkStruct struct {
	Fields []sparkField `json:"fields"`
}

type sparkField struct {
	Name     string          `json:"name"`
	Type     json.RawMessage `json:"type"`
	Nullable bool            `json:"nullable"`
	Metadata struct {
		Comment string `json:"comment"`
	} `json:"metadata"`
}

// sparkNested is what a type that is not one word may be.
type sparkNested struct {
	Type              string          `json:"type"`
	Fields            []sparkField    `json:"fields"`
	ElementType       json.RawMessage `json:"elementType"`
	ContainsNull      bool            `json:"containsNull"`
	KeyType           json.RawMessage `json:"keyType"`
	ValueType         json.RawMessage `json:"valueType"`
	ValueContainsNull bool            `json:"valueContainsNull"`
}

// Schema is the answer's schema as lines, one a column or nested field: path,
// type in Spark's word, "not null" if so, and the comment.
func (r Result) Schema() []string {
	return sparkLines("", r.SchemaJSON.Fields)
}

func sparkLines(prefix string, fields []sparkField) []string {
	var lines []string
	for _, f := range fields {
		lines = append(lines, sparkLine(prefix+f.Name, f.Type, !f.Nullable, f.Metadata.Comment)...)
	}
	return lines
}

func sparkLine(path string, typ json.RawMessage, required bool, comment string) []string {
	var word string
	if json.Unmarshal(typ, &word) == nil {
		return []string{line(path, word, required, comment)}
	}
	var nested sparkNested
	if err := json.Unmarshal(typ, &nested); err != nil {
		return []string{path + ": " + err.Error()}
	}
	lines := []string{line(path, nested.Type, required, comment)}
	switch nested.Type {
	case "struct":
		lines = append(lines, sparkLines(path+".", nested.Fields)...)
	case "array":
		lines = append(lines, sparkLine(path+".element", nested.ElementType, !nested.ContainsNull, "")...)
	case "map":
		lines = append(lines, sparkLine(path+".key", nested.KeyType, true, "")...)
		lines = append(lines, sparkLine(path+".value", nested.ValueType, !nested.ValueContainsNull, "")...)
	}
	return lines
}

func line(path, typ string, required bool, comment string) string {
	s := path + " " + typ
	if required {
		s += " not null"
	}
	if comment != "" {
		s += " // " + comment
	}
	return s
}

// Schema is an Iceberg schema as [Result.Schema] writes Spark's.
func Schema(schema *iceberg.Schema) []string { return icebergLines("", schema.Fields()) }

func icebergLines(prefix string, fields []iceberg.NestedField) []string {
	var lines []string
	for _, f := range fields {
		lines = append(lines, icebergLine(prefix+f.Name, f.Type, f.Required, f.Doc)...)
	}
	return lines
}

func icebergLine(path string, typ iceberg.Type, required bool, doc string) []string {
	switch t := typ.(type) {
	case *iceberg.StructType:
		return append([]string{line(path, "struct", required, doc)}, icebergLines(path+".", t.FieldList)...)
	case *iceberg.ListType:
		return append([]string{line(path, "array", required, doc)}, icebergLine(path+".element", t.Element, t.ElementRequired, "")...)
	case *iceberg.MapType:
		lines := append([]string{line(path, "map", required, doc)}, icebergLine(path+".key", t.KeyType, true, "")...)
		return append(lines, icebergLine(path+".value", t.ValueType, t.ValueRequired, "")...)
	default:
		return []string{line(path, sparkWord(typ), required, doc)}
	}
}

// sparkWord is the Spark type that Iceberg's stands for.
func sparkWord(typ iceberg.Type) string {
	switch t := typ.(type) {
	case iceberg.Int32Type:
		return "integer"
	case iceberg.TimestampTzType:
		return "timestamp"
	case iceberg.TimestampType:
		return "timestamp_ntz"
	case iceberg.FixedType, iceberg.BinaryType:
		return "binary"
	case iceberg.UUIDType:
		return "string"
	case iceberg.UnknownType:
		return "void"
	case iceberg.DecimalType:
		return fmt.Sprintf("decimal(%d,%d)", t.Precision(), t.Scale())
	default:
		return t.String()
	}
}
