package splice

import (
	"fmt"
	"math/bits"
	"slices"
	"strings"

	"github.com/firndb/firn/maintenance/internal/parquet/format"
)

// The field ids of the columns of row lineage (Iceberg specification, Reserved
// Field IDs).
const (
	rowIDField    = 2147483540
	sequenceField = 2147483539
)

// Settings is what the files written are like. Sizes are bytes.
type Settings struct {
	// Codec is how pages are compressed, as in parquet.thrift; Level applies to
	// pages that are compressed anew.
	Codec int32
	Level int
	// RowGroupBytes is where a row group ends, compressed. Row groups of sources
	// of CopyBytes or more are not merged with others.
	RowGroupBytes, CopyBytes int64
	// PageBytes and PageRows bound pages that are not moved as they are.
	PageBytes, PageRows int64
	// DictionaryBytes bounds a merged dictionary.
	DictionaryBytes int64
	// PageV2 writes pages of version 2 where they are not moved.
	PageV2 bool
	// Bloom are the columns, with dots, that must have a Bloom filter.
	Bloom []string
	// Filters says how large they are where columns are encoded.
	Filters Bloom
	// NoDictionary are the columns, with dots, that are encoded plain.
	NoDictionary []string
	// NoStatistics are the columns, with dots, whose bounds are left out.
	NoStatistics []string
	// Valued are the field ids of top-level columns that are not null where a file
	// lacks them.
	Valued []int
}

// Target is what the files written have in common. It is safe for use by
// several goroutines.
type Target struct {
	Settings
	footer  *format.Footer
	root    *node
	columns []*column
}

// column is a leaf of the target.
type column struct {
	path    []string
	fieldID int
	typ     format.Type
	length  int
	kind    kind
	lineage int32 // rowIDField, sequenceField or 0
	// maxDef and maxRep are the greatest levels.
	maxDef, maxRep uint8
	order          order
	bloom          bool
	// unbounded says that bounds are left out.
	unbounded bool
	index     int
}

func (c *column) name() string { return strings.Join(c.path, ".") }

func (c *column) defWidth() int { return bits.Len8(c.maxDef) }
func (c *column) repWidth() int { return bits.Len8(c.maxRep) }

// NewTarget takes the schema, key-value metadata and name of the writer from an
// empty Parquet file.
func NewTarget(model []byte, s Settings) (*Target, error) {
	b, err := footerBytes(model)
	if err != nil {
		return nil, err
	}
	f, err := format.ReadFooter(b)
	if err != nil {
		return nil, err
	}
	t := &Target{Settings: s, footer: f}
	leaves := 0
	if t.root, leaves, err = schemaTree(f.Schema); err != nil {
		return nil, err
	}
	if len(f.RowGroups) > 0 || leaves == 0 {
		return nil, fmt.Errorf("%w: %d row groups and %d columns where an empty file of some columns is expected", ErrUnfit, len(f.RowGroups), leaves)
	}
	for _, n := range t.root.children {
		if err := t.addColumns(n, nil, 0, 0); err != nil {
			return nil, err
		}
		if id := n.FieldID.V; n.leaf >= 0 && n.FieldID.Set && (id == rowIDField || id == sequenceField) && n.Type.V == format.Int64 {
			t.columns[n.leaf].lineage = id
		}
	}
	for i, c := range t.columns {
		if i >= len(f.Ordered) || !f.Ordered[i] {
			c.order = nil
		}
	}
	return t, nil
}

// Paths are the names of the columns in files, with dots, by their field ids.
func (t *Target) Paths() map[int]string {
	out := map[int]string{}
	for _, c := range t.columns {
		out[c.fieldID] = c.name()
	}
	return out
}

func (t *Target) addColumns(n *node, path []string, def, rep int) error {
	path = append(path[:len(path):len(path)], n.Name)
	if n.Repetition != format.Required {
		def++
	}
	if n.Repetition == format.Repeated {
		rep++
	}
	for _, child := range n.children {
		if err := t.addColumns(child, path, def, rep); err != nil {
			return err
		}
	}
	if n.leaf < 0 {
		return nil
	}
	c := &column{path: path, fieldID: int(n.FieldID.V), typ: n.Type.V, length: int(n.TypeLength), kind: kindOf(n), maxDef: uint8(def), maxRep: uint8(rep), index: n.leaf}
	c.order = orderOf(c.kind)
	for _, name := range t.Bloom {
		c.bloom = c.bloom || name == c.name()
	}
	c.unbounded = slices.Contains(t.NoStatistics, c.name())
	if c.typ == format.Fixed && c.length <= 0 {
		return fmt.Errorf("%w: column %q has values of %d bytes", ErrUnfit, c.name(), c.length)
	}
	t.columns = append(t.columns, c)
	return nil
}
