package datafile

import (
	"fmt"

	"github.com/apache/iceberg-go"
	"github.com/twmb/avro"

	"github.com/firndb/firn/maintenance"
)

// avroField is a field of an Avro record as a field of a table.
type avroField struct {
	field iceberg.NestedField
	name  string // in the file
	value avroValue
}

// avroReading is how an Avro type is read: as which Iceberg type, how its
// values are taken over, and the schema to decode them by, which has no logical
// types.
type avroReading struct {
	typ      iceberg.Type
	required bool
	value    avroValue
	plain    avro.SchemaNode
}

// avroReader makes readings of the types of one file ("Avro" in appendix A of
// the specification).
type avroReader struct {
	// named are the file's named types, seen those that the plain schema has.
	named map[string]*avro.SchemaNode
	seen  map[string]bool
}

// avroColumns finds the wanted columns in a file's schema, and the schema to
// read only them.
func avroColumns(root *avro.SchemaNode, wanted map[int]iceberg.NestedField, names iceberg.NameMapping) ([]avroField, *avro.SchemaNode, error) {
	if root.Type != "record" {
		return nil, nil, fmt.Errorf("%w: it has no records, but values of Avro type %s", maintenance.ErrUnsupported, root.Type)
	}
	r := &avroReader{named: map[string]*avro.SchemaNode{}, seen: map[string]bool{}}
	r.collect(root)
	fields, plain, err := r.fields(root.Fields, names, func(id int) bool { _, ok := wanted[id]; return ok })
	return fields, &avro.SchemaNode{Type: "record", Name: root.Name, Namespace: root.Namespace, Fields: plain}, err
}

// collect finds the definitions of named types.
func (r *avroReader) collect(n *avro.SchemaNode) {
	if n == nil {
		return
	}
	if n.Name != "" {
		r.named[fullName(n)] = n
	}
	r.collect(n.Items)
	r.collect(n.Values)
	for i := range n.Branches {
		r.collect(&n.Branches[i])
	}
	for i := range n.Fields {
		r.collect(&n.Fields[i].Type)
	}
}

func fullName(n *avro.SchemaNode) string {
	if n.Namespace == "" {
		return n.Name
	}
	return n.Namespace + "." + n.Name
}

// fields reads the fields of a record that have an id and are wanted.
func (r *avroReader) fields(of []avro.SchemaField, names []iceberg.MappedField, wanted func(id int) bool) ([]avroField, []avro.SchemaField, error) {
	var fields []avroField
	var plain []avro.SchemaField
	for i, f := range of {
		mapping := mapped(names, f.Name)
		id, ok := avroID(f.Props, "field-id", mapping)
		if !ok || !wanted(id) {
			continue
		}
		reading, err := r.read(&of[i].Type, below(mapping))
		if err != nil {
			return nil, nil, fmt.Errorf("field %q: %w", f.Name, err)
		}
		fields = append(fields, avroField{iceberg.NestedField{ID: id, Name: f.Name, Type: reading.typ, Required: reading.required}, f.Name, reading.value})
		plain = append(plain, avro.SchemaField{Name: f.Name, Type: reading.plain})
	}
	return fields, plain, nil
}

// avroID is an id that the schema has, or else the name mapping.
func avroID(props map[string]any, key string, mapping *iceberg.MappedField) (int, bool) {
	if id, ok := props[key].(int64); ok {
		return int(id), true
	}
	if mapping != nil && mapping.FieldID != nil {
		return *mapping.FieldID, true
	}
	return 0, false
}

// below are the mappings of what is inside a mapped field.
func below(mapping *iceberg.MappedField) []iceberg.MappedField {
	if mapping == nil {
		return nil
	}
	return mapping.Fields
}

func (r *avroReader) read(n *avro.SchemaNode, names []iceberg.MappedField) (avroReading, error) {
	if definition, ok := r.named[n.Type]; ok {
		n = definition
	}
	switch n.Type {
	case "union":
		return r.readUnion(n, names)
	case "record":
		return r.readRecord(n, names)
	case "array":
		return r.readArray(n, names)
	case "map":
		return r.readMap(n, names)
	}
	typ, value, err := avroPrimitive(n)
	if err != nil {
		return avroReading{}, err
	}
	plain := avro.SchemaNode{Type: n.Type}
	if n.Type == "fixed" {
		plain = r.define(n, avro.SchemaNode{Size: n.Size})
	}
	return avroReading{typ, true, value, plain}, nil
}

// define makes the plain form of a named type: its definition the first time,
// then its name.
func (r *avroReader) define(n *avro.SchemaNode, plain avro.SchemaNode) avro.SchemaNode {
	name := fullName(n)
	if r.seen[name] {
		return avro.SchemaNode{Type: name}
	}
	r.seen[name] = true
	plain.Type, plain.Name, plain.Namespace = n.Type, n.Name, n.Namespace
	return plain
}

// readUnion reads a union of null and another type.
func (r *avroReader) readUnion(n *avro.SchemaNode, names []iceberg.MappedField) (avroReading, error) {
	var some *avro.SchemaNode
	plain := avro.SchemaNode{Type: "union"}
	for i, branch := range n.Branches {
		switch {
		case branch.Type == "null":
		case some != nil:
			return avroReading{}, fmt.Errorf("%w: a union of more than one type and null", maintenance.ErrUnsupported)
		default:
			some = &n.Branches[i]
		}
	}
	reading := avroReading{typ: iceberg.UnknownType{}, value: nullValue}
	if some != nil {
		var err error
		if reading, err = r.read(some, names); err != nil {
			return reading, err
		}
	}
	for _, branch := range n.Branches {
		if branch.Type == "null" {
			plain.Branches = append(plain.Branches, avro.SchemaNode{Type: "null"})
			continue
		}
		plain.Branches = append(plain.Branches, reading.plain)
	}
	return avroReading{reading.typ, false, reading.value, plain}, nil
}

func (r *avroReader) readRecord(n *avro.SchemaNode, names []iceberg.MappedField) (avroReading, error) {
	if n.LogicalType == "variant" {
		plain := r.define(n, avro.SchemaNode{Fields: []avro.SchemaField{
			{Name: "metadata", Type: avro.SchemaNode{Type: "bytes"}}, {Name: "value", Type: avro.SchemaNode{Type: "bytes"}},
		}})
		return avroReading{iceberg.VariantType{}, true, variantValue, plain}, nil
	}
	fields, plain, err := r.fields(n.Fields, names, func(int) bool { return true })
	if err != nil {
		return avroReading{}, err
	}
	typ := &iceberg.StructType{}
	for _, f := range fields {
		typ.FieldList = append(typ.FieldList, f.field)
	}
	return avroReading{typ, true, structValue(fields), r.define(n, avro.SchemaNode{Fields: plain})}, nil
}

func (r *avroReader) readArray(n *avro.SchemaNode, names []iceberg.MappedField) (avroReading, error) {
	if n.LogicalType == "map" {
		return r.readEntries(n, names)
	}
	mapping := mapped(names, "element")
	id, ok := avroID(n.Props, "element-id", mapping)
	if !ok {
		return avroReading{}, fmt.Errorf("%w: an array without the id of its element", maintenance.ErrUnsupported)
	}
	element, err := r.read(n.Items, below(mapping))
	if err != nil {
		return avroReading{}, err
	}
	typ := &iceberg.ListType{ElementID: id, Element: element.typ, ElementRequired: element.required}
	return avroReading{typ, true, listValue(element.value), avro.SchemaNode{Type: "array", Items: &element.plain}}, nil
}

// readMap reads a map with text keys.
func (r *avroReader) readMap(n *avro.SchemaNode, names []iceberg.MappedField) (avroReading, error) {
	mapping := mapped(names, "value")
	keyID, okKey := avroID(n.Props, "key-id", mapped(names, "key"))
	valueID, okValue := avroID(n.Props, "value-id", mapping)
	if !okKey || !okValue {
		return avroReading{}, fmt.Errorf("%w: a map without the ids of its key and value", maintenance.ErrUnsupported)
	}
	value, err := r.read(n.Values, below(mapping))
	if err != nil {
		return avroReading{}, err
	}
	typ := &iceberg.MapType{KeyID: keyID, KeyType: iceberg.PrimitiveTypes.String, ValueID: valueID, ValueType: value.typ, ValueRequired: value.required}
	return avroReading{typ, true, mapValue(value.value), avro.SchemaNode{Type: "map", Values: &value.plain}}, nil
}

// readEntries reads a map with other keys, which is an array of entries.
func (r *avroReader) readEntries(n *avro.SchemaNode, names []iceberg.MappedField) (avroReading, error) {
	entry := n.Items
	if definition, ok := r.named[entry.Type]; ok {
		entry = definition
	}
	fields, plain, err := r.fields(entry.Fields, names, func(int) bool { return true })
	if err != nil {
		return avroReading{}, err
	}
	if len(fields) != 2 {
		return avroReading{}, fmt.Errorf("%w: a map whose entries have %d fields with ids in place of a key and a value", maintenance.ErrUnsupported, len(fields))
	}
	key, value := fields[0].field, fields[1].field
	typ := &iceberg.MapType{KeyID: key.ID, KeyType: key.Type, ValueID: value.ID, ValueType: value.Type, ValueRequired: value.Required}
	items := r.define(entry, avro.SchemaNode{Fields: plain})
	return avroReading{typ, true, entriesValue(fields[0], fields[1]), avro.SchemaNode{Type: "array", Items: &items}}, nil
}
