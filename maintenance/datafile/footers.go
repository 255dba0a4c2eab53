package datafile

import (
	"sync"

	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/metadata"
	"github.com/apache/iceberg-go"
	iceio "github.com/apache/iceberg-go/io"
)

// Footers keeps the footers of files that are read several times. It is safe for
// use by several goroutines.
type Footers struct {
	mu    sync.Mutex
	kept  map[string]*metadata.FileMetaData
	bytes int64
	sizes map[int]int64
}

// NewFooters keeps footers of so many bytes together.
func NewFooters(bytes int64) *Footers {
	return &Footers{kept: map[string]*metadata.FileMetaData{}, bytes: bytes, sizes: map[int]int64{}}
}

// footerGrows is how much larger a footer is in memory than in its file.
const footerGrows = 8

// open reads the footer of an open file, unless it is known.
func (f *Footers) open(df iceberg.DataFile, r iceio.File, props *parquet.ReaderProperties) (*file.Reader, error) {
	path := df.FilePath()
	f.mu.Lock()
	known, seen := f.kept[path]
	f.mu.Unlock()
	if known != nil {
		return file.NewParquetReader(r, file.WithReadProps(props), file.WithMetadata(known))
	}
	reader, err := file.NewParquetReader(r, file.WithReadProps(props))
	if err != nil || seen {
		return reader, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if _, seen := f.kept[path]; seen {
		return reader, nil
	}
	meta := reader.MetaData()
	f.measure(meta)
	if size := footerGrows * int64(meta.Size()); size <= f.bytes {
		f.bytes -= size
		f.kept[path] = meta
		return reader, nil
	}
	f.kept[path] = nil
	return reader, nil
}

// measure adds the sizes of a file's columns.
func (f *Footers) measure(meta *metadata.FileMetaData) {
	for i := range meta.Schema.NumColumns() {
		// The id of the column at the top, where values of nested ones belong.
		id := int(meta.Schema.ColumnRoot(i).FieldID())
		for g := range meta.RowGroups {
			if chunk, err := meta.RowGroup(g).ColumnChunk(i); err == nil {
				f.sizes[id] += chunk.TotalUncompressedSize()
			}
		}
	}
}

// ColumnBytes is how large the values of a top-level column are, encoded but not
// compressed, in all files seen so far whose columns have field ids.
func (f *Footers) ColumnBytes(id int) int64 {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.sizes[id]
}
