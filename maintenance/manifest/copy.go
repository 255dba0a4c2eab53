package manifest

import (
	"bytes"
	"crypto/rand"
	"encoding/binary"
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/klauspost/compress/flate"
)

// Copyable is the Avro schema of all manifests that have been read with s, if
// they have one and their entries the form of format version 2: then entries can
// be copied as they are encoded into a manifest of that schema.
func (s *Schemas) Copyable() (schema []byte, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.known) != 1 {
		return nil, false
	}
	for key, w := range s.known {
		schema, ok = []byte(key[0]), w.root.isEntry()
	}
	return schema, ok
}

// isEntry says whether a record has the fields of an entry of format version 2,
// in the order of the specification, and no others.
func (n *node) isEntry() bool {
	want := []spec{specs()[Status], specs()[SnapshotID], specs()[SequenceNumber], specs()[FileSequenceNumber], specs()[DataFile]}
	if len(n.fields) != len(want) {
		return false
	}
	for i, f := range n.fields {
		null, typ := f.typ.optional()
		fits := f.id == want[i].id && f.name == want[i].name
		switch i {
		case 0:
			fits = fits && null < 0 && typ.typ == "int"
		case len(want) - 1:
			fits = fits && null < 0 && typ.typ == "record"
		default:
			fits = fits && null == 0 && typ.typ == "long"
		}
		if !fits {
			return false
		}
	}
	return true
}

// blockLength is how long the entries of a block are before they are packed.
const blockLength = 64 << 10

// Writer writes a manifest of entries that have been there before, whose data
// files are given as they are encoded.
type Writer struct {
	w     io.Writer
	mark  [16]byte
	block []byte
	count int64
	out   bytes.Buffer
	flate *flate.Writer
}

// NewWriter begins a manifest whose header is that of another, but for the Avro
// schema.
func NewWriter(w io.Writer, header io.Reader, schema []byte) (*Writer, error) {
	c, err := openContainer(header)
	if err != nil {
		return nil, err
	}
	c.close()
	c.meta["avro.schema"], c.meta["avro.codec"] = schema, []byte("deflate")
	m := &Writer{w: w}
	if _, err := rand.Read(m.mark[:]); err != nil {
		return nil, err
	}
	if m.flate, err = flate.NewWriter(&m.out, flate.DefaultCompression); err != nil {
		return nil, err
	}
	b := binary.AppendVarint([]byte{'O', 'b', 'j', 1}, int64(len(c.meta)))
	for _, key := range slices.Sorted(maps.Keys(c.meta)) {
		b = append(binary.AppendVarint(b, int64(len(key))), key...)
		b = append(binary.AppendVarint(b, int64(len(c.meta[key]))), c.meta[key]...)
	}
	_, err = w.Write(append(append(b, 0), m.mark[:]...))
	return m, err
}

// Existing adds an entry of status EXISTING.
func (m *Writer) Existing(snapshot, sequence, fileSequence int64, dataFile []byte) error {
	m.block = append(m.block, 0) // the status
	for _, v := range [...]int64{snapshot, sequence, fileSequence} {
		m.block = binary.AppendVarint(append(m.block, 2), v) // the second branch of the union
	}
	m.block = append(m.block, dataFile...)
	m.count++
	if len(m.block) < blockLength {
		return nil
	}
	return m.flush()
}

func (m *Writer) flush() error {
	if m.count == 0 {
		return nil
	}
	m.out.Reset()
	m.flate.Reset(&m.out)
	if _, err := m.flate.Write(m.block); err != nil {
		return fmt.Errorf("pack entries: %w", err)
	}
	if err := m.flate.Close(); err != nil {
		return fmt.Errorf("pack entries: %w", err)
	}
	head := binary.AppendVarint(binary.AppendVarint(nil, m.count), int64(m.out.Len()))
	for _, part := range [][]byte{head, m.out.Bytes(), m.mark[:]} {
		if _, err := m.w.Write(part); err != nil {
			return err
		}
	}
	m.block, m.count = m.block[:0], 0
	return nil
}

// Close writes what is left.
func (m *Writer) Close() error { return m.flush() }
