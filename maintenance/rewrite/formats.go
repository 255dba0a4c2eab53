package rewrite

import (
	"fmt"
	"io"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/iceberg-go"
	"github.com/apache/iceberg-go/table"

	"github.com/firndb/firn/maintenance"
)

// dataFormat is the format of a table's new data files.
func dataFormat(props iceberg.Properties) iceberg.FileFormat {
	return iceberg.FileFormat(strings.ToUpper(props.Get(table.WriteFormatDefaultKey, string(iceberg.ParquetFile))))
}

// deleteFormat is that of its new position delete files.
func deleteFormat(props iceberg.Properties) iceberg.FileFormat {
	return iceberg.FileFormat(strings.ToUpper(props.Get(deleteFormatKey, string(dataFormat(props)))))
}

// isWritten says whether files of a format can be written.
func isWritten(format iceberg.FileFormat) bool {
	return format == iceberg.ParquetFile || format == iceberg.AvroFile
}

// checkReadable refuses files that only other engines read.
func checkReadable(f iceberg.DataFile) error {
	format, what, read := f.FileFormat(), "data file", "parquet and avro"
	ok := format == iceberg.ParquetFile || format == iceberg.AvroFile
	if f.ContentType() != iceberg.EntryContentData {
		what, read = "delete file", "parquet, avro and deletion vectors"
		ok = ok || format == iceberg.PuffinFile
	}
	if !ok {
		return fmt.Errorf("%w: %s %q is %s; only %s can be read", maintenance.ErrUnsupported, what, f.FilePath(), format, read)
	}
	return nil
}

// encoder makes a file of rows.
type encoder interface {
	// write appends rows, given as the columns of the schema of files.
	write(columns []arrow.Array) error
	// size is about how long the file would be if it ended now.
	size() int64
	// left is about how many bytes of it may be written before something else ends,
	// such as a row group.
	left() int64
	close() error
	// describe makes the manifest's description of the file, once it is closed.
	describe(path string, partition map[int]any) (iceberg.DataFile, error)
}

// prepare reads what properties say about files, and makes what all have in
// common.
func (o *output) prepare(props iceberg.Properties) error {
	if o.format == iceberg.AvroFile {
		return o.prepareAvro(props)
	}
	return o.prepareParquet(props)
}

// newEncoder begins a file. Parquet's row groups end after rowGroup bytes, a row
// being taken to have rowBytes as long as no page is finished.
func (o *output) newEncoder(w io.Writer, rowBytes float64, rowGroup int64) (encoder, error) {
	if o.format == iceberg.AvroFile {
		return o.newAvroWriter(w)
	}
	return o.newParquetWriter(w, rowBytes, rowGroup)
}
