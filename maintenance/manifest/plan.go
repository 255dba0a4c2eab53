package manifest

import (
	"errors"
	"fmt"
)

// plan says what to do with the fields of an entry, in the order in which a
// writer's schema has them.
type plan struct {
	entry []fieldPlan
	// sinks take the leaves, in their order.
	sinks []sink
	// absent adds what stands for leaves that the writer's schema does not have.
	absent []func()
}

// fieldPlan says what to do with one field.
type fieldPlan struct {
	name string
	// null is the branch of a union that stands for NULL, -1 if there is none.
	null int64
	// inner has the fields of a record that is looked into.
	inner []fieldPlan
	// raw takes such a record as it is encoded, too.
	raw *bytesBuilder
	// to takes the value; it is passed over if that is nil.
	to   sink
	skip skipper
}

// planFor makes the plan for reading leaves, which are normalized.
func planFor(w *writer, leaves []Leaf) (*plan, error) {
	at := w.root.find(2, "data_file")
	if at < 0 || w.root.fields[at].typ.typ != "record" {
		return nil, errors.New("the avro schema has no record data_file")
	}
	file := w.root.fields[at].typ
	p := &plan{entry: skipAll(w.root)}
	p.entry[at].inner = skipAll(file)
	all := specs()
	for len(leaves) > 0 {
		n := 1
		for n < len(leaves) && leaves[n].Kind == leaves[0].Kind {
			n++
		}
		s := all[leaves[0].Kind]
		to := newSink(s.shape, leaves[:n], w.tuple)
		leaves = leaves[n:]
		p.sinks = append(p.sinks, to)
		if raw, ok := to.(*bytesSink); ok && s.shape == rawShape {
			p.entry[at].raw = &raw.bytesBuilder
			continue
		}
		record, fields := w.root, p.entry
		if s.inFile {
			record, fields = file, p.entry[at].inner
		}
		i := record.find(s.id, s.name)
		switch {
		case i >= 0:
			if err := fields[i].plan(s, to, record.fields[i].typ); err != nil {
				return nil, err
			}
		case s.required:
			return nil, fmt.Errorf("the avro schema has no field %s", s.name)
		case s.id == contentID:
			// Format version 1 has data files only, and does not say so.
			p.absent = append(p.absent, to.(*longSink).add0)
		default:
			p.absent = append(p.absent, to.addMissing)
		}
	}
	return p, nil
}

func skipAll(record *node) []fieldPlan {
	fields := make([]fieldPlan, len(record.fields))
	for i, f := range record.fields {
		fields[i] = fieldPlan{name: f.name, null: -1, skip: skipperOf(f.typ)}
	}
	return fields
}

// plan makes f read a field whose type is typ.
func (f *fieldPlan) plan(s spec, to sink, typ *node) error {
	null, typ := typ.optional()
	if !fits(s.shape, typ) {
		return fmt.Errorf("the avro schema has the type %s for field %s", typ.typ, s.name)
	}
	f.null, f.to = int64(null), to
	return nil
}

// readFields reads the fields of a record.
func readFields(c *cursor, fields []fieldPlan) {
	for i := range fields {
		f := &fields[i]
		switch {
		case f.inner != nil:
			from := c.at
			readFields(c, f.inner)
			if f.raw != nil {
				f.raw.add(c.data[from:c.at])
			}
			continue
		case f.to == nil:
			f.skip.skip(c)
			continue
		}
		if f.null >= 0 {
			switch c.long() {
			case f.null:
				f.to.addMissing()
				continue
			case 1 - f.null:
			default:
				c.fail()
			}
		}
		f.to.read(c)
	}
}

// fits says whether a type has the form that a field must have.
func fits(form shape, n *node) bool {
	switch form {
	case longShape:
		return whole(n)
	case bytesShape, pathShape, dictShape:
		return text(n)
	case tupleShape:
		return n.typ == "record"
	case listShape:
		return n.typ == "array" && whole(n.items)
	}
	if n.typ != "array" || n.items.typ != "record" || len(n.items.fields) != 2 {
		return false
	}
	key, value := n.items.fields[0], n.items.fields[1]
	if key.name != "key" || !whole(key.typ) {
		return false
	}
	return form == countsShape && whole(value.typ) || form == boundsShape && text(value.typ)
}

func whole(n *node) bool { return n.typ == "int" || n.typ == "long" }
func text(n *node) bool  { return n.typ == "string" || n.typ == "bytes" }
