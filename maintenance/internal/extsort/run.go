package extsort

import (
	"fmt"
	"io"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
)

// run is rows in order in a scratch file, as blocks.
type run struct {
	scratch *Scratch
	file    File
	size    int64
	blocks  []place
	schema  *arrow.Schema
	// like has the types of the columns.
	like []arrow.ArrayData
}

// place is where a block is.
type place struct{ at, size int64 }

// newRun makes an empty run.
func (s *Sorter) newRun() (*run, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.scratch == nil {
		scratch, err := s.Scratch()
		if err != nil {
			return nil, err
		}
		s.scratch = scratch
	}
	file, err := s.scratch.Create()
	if err != nil {
		return nil, fmt.Errorf("make scratch file: %w", err)
	}
	r := &run{scratch: s.scratch, file: file}
	s.files = append(s.files, r)
	return r, nil
}

// append writes a block at the end.
func (r *run) append(b block) error {
	if r.like == nil {
		r.schema = b.batch.Schema()
		for _, c := range b.batch.Columns() {
			r.like = append(r.like, typesOf(c.Data()))
		}
	}
	packed := b.pack()
	n := int64(len(packed))
	if err := r.scratch.take(n); err != nil {
		return err
	}
	r.size += n
	if _, err := r.file.Write(packed); err != nil {
		return fmt.Errorf("write scratch file: %w", err)
	}
	r.blocks = append(r.blocks, place{r.size - n, n})
	return nil
}

// typesOf is an array without values.
func typesOf(data arrow.ArrayData) arrow.ArrayData {
	children := make([]arrow.ArrayData, len(data.Children()))
	for i, child := range data.Children() {
		children[i] = typesOf(child)
	}
	return array.NewData(data.DataType(), 0, noBuffers(len(data.Buffers())), children, 0, 0)
}

// read reads block i.
func (r *run) read(i int) (block, error) {
	packed := make([]byte, r.blocks[i].size)
	if _, err := r.file.ReadAt(packed, r.blocks[i].at); err != nil && err != io.EOF {
		return block{}, fmt.Errorf("read scratch file: %w", err)
	}
	b, err := unpack(packed, r.schema, r.like)
	if err != nil {
		return block{}, fmt.Errorf("read scratch file: %w", err)
	}
	return b, nil
}

// close gives its space back.
func (r *run) close() error {
	if r.file == nil {
		return nil
	}
	err := r.file.Close()
	r.file = nil
	r.scratch.give(r.size)
	return err
}
