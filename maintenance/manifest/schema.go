package manifest

import (
	"errors"
	"fmt"

	"github.com/twmb/avro"
)

// node is a type of a writer's schema.
type node struct {
	typ     string // Avro's name of the type; "record", "union" and so on
	logical string
	scale   int
	size    int // of a fixed
	fields  []fieldNode
	items   *node   // of an array or map
	union   []*node // its branches
}

// fieldNode is a field of a record.
type fieldNode struct {
	name string
	// id is the specification's id, -1 if the writer gives none.
	id  int
	typ *node
}

// parseSchema reads a writer's schema.
func parseSchema(text []byte) (*node, error) {
	schema, err := avro.Parse(string(text))
	if err != nil {
		return nil, fmt.Errorf("avro schema: %w", err)
	}
	p := schemaParser{named: map[string]*node{}}
	root := p.node(schema.Root())
	if root.typ != "record" {
		return nil, errors.New("the avro schema is not that of a record")
	}
	return root, nil
}

// schemaParser knows the named types that have been defined so far.
type schemaParser struct{ named map[string]*node }

func (p schemaParser) node(from *avro.SchemaNode) *node {
	if known, ok := p.named[from.Type]; ok && from.Name == "" {
		return known
	}
	n := &node{typ: from.Type, logical: from.LogicalType, scale: from.Scale, size: from.Size}
	if from.Name != "" {
		p.named[from.Name] = n
		if from.Namespace != "" {
			p.named[from.Namespace+"."+from.Name] = n
		}
	}
	for i := range from.Fields {
		f := &from.Fields[i]
		n.fields = append(n.fields, fieldNode{f.Name, fieldID(f), p.node(&f.Type)})
	}
	for i := range from.Branches {
		n.union = append(n.union, p.node(&from.Branches[i]))
	}
	switch {
	case from.Items != nil:
		n.items = p.node(from.Items)
	case from.Values != nil:
		n.items = p.node(from.Values)
	}
	return n
}

func fieldID(f *avro.SchemaField) int {
	switch id := f.Props["field-id"].(type) {
	case int:
		return id
	case int64:
		return int(id)
	case float64:
		return int(id)
	}
	return -1
}

// optional takes a union of null and one type apart. null is the branch of
// null, -1 if the type is no such union.
func (n *node) optional() (null int, typ *node) {
	if n.typ == "union" && len(n.union) == 2 {
		for i, branch := range n.union {
			if branch.typ == "null" {
				return i, n.union[1-i]
			}
		}
	}
	return -1, n
}

// find looks for a field by id, and by name where the writer gives no id.
func (n *node) find(id int, name string) int {
	for i, f := range n.fields {
		if f.id == id || f.id < 0 && f.name == name {
			return i
		}
	}
	return -1
}
