package manifest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"sync"

	"github.com/apache/iceberg-go"
)

const (
	// BlockEntries is how many entries a block has at most.
	BlockEntries = 4096
	// blockBytes is the length of entries in the file, decompressed, after which
	// a block ends early. Blocks of a manifest begin at the same entries
	// whichever leaves are read.
	blockBytes = 32 << 20
)

// Block is the columns of a run of entries.
type Block struct {
	Rows    int
	Columns map[Leaf]Column
}

// Schemas keeps the writers' schemas that have been seen: most manifests of a
// table have the same. It may be used by several readers at once.
type Schemas struct {
	mu    sync.Mutex
	known map[[2]string]*writer
}

// writer is what a writer says about all entries.
type writer struct {
	root  *node
	tuple *tupleType
}

func (s *Schemas) writer(schema, spec []byte) (*writer, error) {
	key := [2]string{string(schema), string(spec)}
	s.mu.Lock()
	defer s.mu.Unlock()
	if w, ok := s.known[key]; ok {
		return w, nil
	}
	root, err := parseSchema(schema)
	if err != nil {
		return nil, err
	}
	w := &writer{root: root, tuple: &tupleType{&node{typ: "record"}, dayFields(spec)}}
	if at := root.find(2, "data_file"); at >= 0 {
		file := root.fields[at].typ
		if at := file.find(102, "partition"); at >= 0 {
			_, w.tuple.record = file.fields[at].typ.optional()
		}
	}
	if s.known == nil {
		s.known = map[[2]string]*writer{}
	}
	s.known[key] = w
	return w, nil
}

// dayFields are the partition fields of a spec that are days. A spec that
// cannot be read has none: the Avro schema must then say what is a date.
func dayFields(spec []byte) map[int]bool {
	var fields []iceberg.PartitionField
	if len(spec) == 0 || json.Unmarshal(spec, &fields) != nil {
		return nil
	}
	days := map[int]bool{}
	for _, f := range fields {
		if _, ok := f.Transform.(iceberg.DayTransform); ok {
			days[f.FieldID] = true
		}
	}
	return days
}

// Read reads leaves of the manifest that file stands for from r and hands them
// to emit, block by block. Status and Content are always among them.
func Read(ctx context.Context, r io.Reader, file iceberg.ManifestFile, schemas *Schemas, leaves []Leaf, emit func(*Block) error) error {
	c, err := openContainer(r)
	if err != nil {
		return err
	}
	defer c.close()
	if err := checkHeader(c.meta, file); err != nil {
		return err
	}
	w, err := schemas.writer(c.meta["avro.schema"], c.meta["partition-spec"])
	if err != nil {
		return err
	}
	all := []Leaf{Whole(Status), Whole(Content)}
	d := &decoder{content: file.ManifestContent(), leaves: Normalize(append(all, leaves...)), emit: emit}
	if d.plan, err = planFor(w, d.leaves); err != nil {
		return err
	}
	for {
		count, data, err := c.next()
		if errors.Is(err, io.EOF) {
			return d.flush()
		}
		if err == nil {
			err = ctx.Err()
		}
		if err == nil {
			err = d.decode(count, data)
		}
		if err != nil {
			return err
		}
	}
}

// checkHeader compares what a manifest says of itself with what the manifest
// list says.
func checkHeader(meta map[string][]byte, file iceberg.ManifestFile) error {
	version := 1
	if text := string(meta["format-version"]); text != "" {
		var err error
		if version, err = strconv.Atoi(text); err != nil {
			return fmt.Errorf("its format version is %q", text)
		}
	}
	if version < 1 || version > 3 {
		return fmt.Errorf("its format version is %d; 1 to 3 can be read", version)
	}
	if version > file.Version() {
		return fmt.Errorf("its format version is %d, that of the manifest list is %d", version, file.Version())
	}
	content := string(meta["content"])
	if content == "" && version == 1 {
		content = "data"
	}
	if want := file.ManifestContent().String(); content != want {
		return fmt.Errorf("its content is %q, in the manifest list it is %q", content, want)
	}
	return nil
}

// decoder turns the data of a file's blocks into blocks of columns.
type decoder struct {
	content iceberg.ManifestContent
	leaves  []Leaf
	plan    *plan
	emit    func(*Block) error
	// rows and bytes are those of the block that is being made.
	rows, bytes int
}

func (d *decoder) decode(count int64, data []byte) error {
	c := &cursor{data: data}
	for range count {
		from := c.at
		readFields(c, d.plan.entry)
		for _, add := range d.plan.absent {
			add()
		}
		if c.bad {
			return errBroken
		}
		d.rows++
		d.bytes += c.at - from
		if d.rows == BlockEntries || d.bytes >= blockBytes {
			if err := d.flush(); err != nil {
				return err
			}
		}
	}
	if c.left() > 0 {
		return errBroken
	}
	return nil
}

// flush hands over the block that is being made, if it has entries.
func (d *decoder) flush() error {
	if d.rows == 0 {
		return nil
	}
	b := &Block{Rows: d.rows, Columns: make(map[Leaf]Column, len(d.leaves))}
	leaves := d.leaves
	for _, s := range d.plan.sinks {
		for _, column := range s.columns() {
			b.Columns[leaves[0]] = column
			leaves = leaves[1:]
		}
	}
	d.rows, d.bytes = 0, 0
	if err := d.check(b); err != nil {
		return err
	}
	return d.emit(b)
}

// check refuses entries that no manifest of this content may have.
func (d *decoder) check(b *Block) error {
	status, content := b.Columns[Whole(Status)].(*Longs), b.Columns[Whole(Content)].(*Longs)
	for i := range b.Rows {
		if s, ok := status.At(i); !ok || s < 0 || s > 2 {
			return fmt.Errorf("an entry has the status %d; it can be 0 to 2", s)
		}
		c, ok := content.At(i)
		if !ok || c < 0 || c > 2 {
			return fmt.Errorf("an entry has the content %d; it can be 0 to 2", c)
		}
		if (c == int64(iceberg.EntryContentData)) != (d.content == iceberg.ManifestContentData) {
			return fmt.Errorf("an entry of a manifest of %s has the content %d", d.content, c)
		}
	}
	return nil
}
