package avrofile

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/apache/iceberg-go"

	"github.com/firndb/firn/maintenance"
)

// form is how values of a type are stored: the type in Avro's JSON, and how
// arrays of them are encoded.
type form struct {
	text string
	bind binder
}

// former makes forms of the types of one schema.
type former struct {
	// defined are the named types that the schema has so far: their definition
	// stands once.
	defined map[string]bool
}

// fieldText is a field of a record in Avro's JSON, in the order of Java's.
type fieldText struct {
	Name    string          `json:"name"`
	Type    json.RawMessage `json:"type"`
	Doc     string          `json:"doc,omitempty"`
	Default json.RawMessage `json:"default,omitempty"`
	Iceberg string          `json:"iceberg-field-name,omitempty"`
	ID      int             `json:"field-id"`
}

// String is the field as JSON.
func (f fieldText) String() string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(f); err != nil {
		return err.Error()
	}
	return strings.TrimSpace(b.String())
}

// record is the form of a struct.
func (f *former) record(name string, fields []iceberg.NestedField) (form, error) {
	texts, binders, err := f.fields(fields)
	return form{recordText(name, texts, ""), bindRecord(binders)}, err
}

// fields are the forms of a record's fields.
func (f *former) fields(fields []iceberg.NestedField) (texts []string, binders []binder, err error) {
	taken := map[string]string{}
	for _, field := range fields {
		value, err := f.field(field.Name, field.Type, field.ID, field.Required)
		if err != nil {
			return nil, nil, err
		}
		text := fieldText{Name: nameOf(field.Name), Type: json.RawMessage(value.text), Doc: field.Doc, ID: field.ID}
		if other, ok := taken[text.Name]; ok {
			return nil, nil, fmt.Errorf("%w: fields %q and %q are both named %q in Avro", maintenance.ErrUnsupported, other, field.Name, text.Name)
		}
		taken[text.Name] = field.Name
		if text.Name != field.Name {
			text.Iceberg = field.Name
		}
		if !field.Required {
			text.Default = json.RawMessage("null")
		}
		texts, binders = append(texts, text.String()), append(binders, value.bind)
	}
	return texts, binders, nil
}

// recordText is a record with these fields, and a logical type if that is not
// empty.
func recordText(name string, fields []string, logical string) string {
	if logical != "" {
		logical = fmt.Sprintf(`,"logicalType":"%s"`, logical)
	}
	return fmt.Sprintf(`{"type":"record","name":"%s","fields":[%s]%s}`, name, strings.Join(fields, ","), logical)
}

// field is the form of a field, an element, a key or a value with that id.
func (f *former) field(name string, t iceberg.Type, id int, required bool) (form, error) {
	value, err := f.value(t, id)
	if err != nil {
		return form{}, fmt.Errorf("field %q: %w", name, err)
	}
	if required {
		return form{value.text, bindRequired(name, value.bind)}, nil
	}
	return form{`["null",` + value.text + `]`, bindOptional(value.bind)}, nil
}

func (f *former) value(t iceberg.Type, id int) (form, error) {
	switch t := t.(type) {
	case *iceberg.StructType:
		return f.record(fmt.Sprintf("r%d", id), t.FieldList)
	case *iceberg.ListType:
		return f.list(t)
	case *iceberg.MapType:
		return f.mapping(t)
	case iceberg.VariantType:
		return form{recordText(fmt.Sprintf("r%d", id), []string{`{"name":"metadata","type":"bytes"}`, `{"name":"value","type":"bytes"}`}, "variant"), bindVariant}, nil
	}
	return f.primitive(t)
}

func (f *former) list(t *iceberg.ListType) (form, error) {
	element, err := f.field("element", t.Element, t.ElementID, t.ElementRequired)
	if err != nil {
		return form{}, err
	}
	return form{fmt.Sprintf(`{"type":"array","items":%s,"element-id":%d}`, element.text, t.ElementID), bindList(element.bind)}, nil
}

// mapping is the form of a map: Avro's own has keys of text only.
func (f *former) mapping(t *iceberg.MapType) (form, error) {
	key, err := f.field("key", t.KeyType, t.KeyID, true)
	if err != nil {
		return form{}, err
	}
	value, err := f.field("value", t.ValueType, t.ValueID, t.ValueRequired)
	if err != nil {
		return form{}, err
	}
	bind := bindMap(key.bind, value.bind)
	if _, ok := t.KeyType.(iceberg.StringType); ok {
		return form{fmt.Sprintf(`{"type":"map","values":%s,"key-id":%d,"value-id":%d}`, value.text, t.KeyID, t.ValueID), bind}, nil
	}
	keys := fieldText{Name: "key", Type: json.RawMessage(key.text), ID: t.KeyID}
	values := fieldText{Name: "value", Type: json.RawMessage(value.text), ID: t.ValueID}
	if !t.ValueRequired {
		values.Default = json.RawMessage("null")
	}
	entry := recordText(fmt.Sprintf("k%d_v%d", t.KeyID, t.ValueID), []string{keys.String(), values.String()}, "")
	return form{fmt.Sprintf(`{"type":"array","items":%s,"logicalType":"map"}`, entry), bind}, nil
}
