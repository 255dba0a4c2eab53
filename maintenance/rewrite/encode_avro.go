package rewrite

import (
	"errors"
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/iceberg-go"

	"github.com/firndb/firn/maintenance"
	"github.com/firndb/firn/maintenance/internal/avrofile"
)

// Table properties of Avro files (Java's TableProperties).
const (
	avroCodecKey = avroPrefix + "compression-codec"
	avroLevelKey = avroPrefix + "compression-level"
)

// prepareAvro prepares writing Avro files.
func (o *output) prepareAvro(props iceberg.Properties) error {
	codec, err := avroCodec(props)
	if err != nil {
		return err
	}
	// There are no row groups.
	o.settings = parquetSettings{rowGroupBytes: math.MaxInt64, rowGroupRows: math.MaxInt64}
	o.avro, err = avrofile.NewFormat(o.schema, codec, o.texts)
	return err
}

// avroCodec is the codec of new files. The error names the property.
func avroCodec(props iceberg.Properties) (avrofile.Codec, error) {
	name := props.Get(avroCodecKey, avrofile.Gzip)
	codec, err := avrofile.NewCodec(name, props[avroLevelKey])
	switch {
	case errors.Is(err, maintenance.ErrInvalid):
		return codec, fmt.Errorf("table property %q: %w", avroLevelKey, err)
	case err != nil:
		return codec, fmt.Errorf("table property %q: %w", avroCodecKey, err)
	}
	return codec, nil
}

// avroWriter encodes rows into an Avro file. Less than a block, or one row, is in
// memory.
type avroWriter struct {
	out  *output
	file *avrofile.Writer
	// first and last are paths of a position delete file, which are in order.
	first, last string
}

func (o *output) newAvroWriter(w io.Writer) (*avroWriter, error) {
	file, err := o.avro.NewWriter(w)
	return &avroWriter{out: o, file: file}, err
}

func (w *avroWriter) write(columns []arrow.Array) error {
	if paths, ok := columns[0].(*array.String); ok && w.out.content == iceberg.EntryContentPosDeletes {
		if w.file.Rows() == 0 {
			w.first = strings.Clone(paths.Value(0))
		}
		w.last = strings.Clone(paths.Value(paths.Len() - 1))
	}
	return w.file.Write(columns)
}

// size is that of the finished blocks, by which Java ends files.
func (w *avroWriter) size() int64 { return w.file.Size() }

func (w *avroWriter) left() int64 { return math.MaxInt64 }

func (w *avroWriter) close() error { return w.file.Close() }

// describe tells of an Avro file what Java does (AvroMetrics): neither counts nor
// bounds of columns, and no offsets. Only that deletes are about one data file
// readers see by nothing but the bounds of the paths.
func (w *avroWriter) describe(path string, partition map[int]any) (iceberg.DataFile, error) {
	b, err := w.out.newDataFile(path, partition, w.file.Rows(), w.file.Size())
	if err != nil {
		return nil, err
	}
	if w.out.content == iceberg.EntryContentPosDeletes {
		b.LowerBoundValues(map[int][]byte{deletePathID: []byte(w.first)})
		b.UpperBoundValues(map[int][]byte{deletePathID: []byte(w.last)})
		return b.Build(), nil
	}
	return b.SortOrderID(w.out.sortOrder).Build(), nil
}
