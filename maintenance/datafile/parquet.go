package datafile

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/metadata"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"
	"github.com/apache/iceberg-go"
	"github.com/apache/iceberg-go/table"

	"github.com/firndb/firn/maintenance"
	"github.com/firndb/firn/maintenance/internal/filebuf"
	"github.com/firndb/firn/maintenance/internal/parquet/flat"
)

// parquetSource reads row groups of a Parquet file.
type parquetSource struct {
	release func()
	reader  *pqarrow.FileReader
	columns []iceberg.NestedField
	schema  *arrow.Schema
	leaves  []int
	// legacy are the columns of physical type INT96.
	legacy []int
	// batch is how many rows a batch has at most.
	batch int64
	// runs are the row groups to read, of which the first run is being read: by
	// batches, or if no column is read, not at all.
	runs    []groupRun
	batches array.RecordReader
	// pages reads the runs, if it can; otherwise batches does.
	pages *pages
	// read is how many rows of the first run have been read, known how many of those
	// that batches reads pages had read before.
	read, known int64
}

// groupRun is row groups that follow each other in a file.
type groupRun struct {
	groups []int
	// first is the position of the first row, rows is how many there are.
	first, rows int64
}

func (s *store) openParquet(ctx context.Context, task table.FileScanTask, wanted map[int]iceberg.NestedField, names iceberg.NameMapping) (source, error) {
	src := &parquetSource{batch: int64(s.options.BatchRows)}
	file, err := s.footer(task.File, src, len(wanted))
	if err == nil {
		err = src.prepare(file.Reader, task, wanted, names)
	}
	if err == nil {
		src.pages, err = newPages(&s.flat, file, src)
	}
	if err != nil {
		if src.release != nil {
			src.release()
		}
		return nil, err
	}
	return src, ctx.Err()
}

// openFile is a file whose footer has been read, and how its chunks are read.
type openFile struct {
	*file.Reader
	in    io.ReaderAt
	props *parquet.ReaderProperties
}

// footer opens a file. One that is small is read at once.
func (s *store) footer(df iceberg.DataFile, src *parquetSource, columns int) (openFile, error) {
	props := parquet.NewReaderProperties(memory.DefaultAllocator)
	props.BufferedStreamEnabled, props.BufferSize = true, s.options.chunkBuffer(columns)
	if s.given != nil {
		if df.FileSizeBytes() <= wholeFile {
			props.BufferSize = leastChunk
		}
		src.release = func() {}
		return readFooter(io.NewSectionReader(s.given, 0, df.FileSizeBytes()), props)
	}
	f, err := s.fs.Open(df.FilePath())
	if err != nil {
		return openFile{}, err
	}
	if s.options.Footers != nil {
		src.release = func() { f.Close() }
		reader, err := s.options.Footers.open(df, f, props)
		return openFile{reader, f, props}, err
	}
	if size := df.FileSizeBytes(); size > 0 && size <= wholeFile {
		b := s.buffers.Get(size)
		err := errors.Join(filebuf.ReadAll(f, b.Bytes), f.Close())
		if err == nil {
			// There is nothing to be gained by reading much at once.
			props.BufferSize = leastChunk
			src.release = func() { s.buffers.Put(b) }
			return readFooter(bytes.NewReader(b.Bytes), props)
		}
		s.buffers.Put(b)
		if !errors.Is(err, filebuf.ErrLength) {
			return openFile{}, err
		}
		// The manifest errs about the length.
		if f, err = s.fs.Open(df.FilePath()); err != nil {
			return openFile{}, err
		}
	}
	src.release = func() { f.Close() }
	return readFooter(f, props)
}

func readFooter(in parquet.ReaderAtSeeker, props *parquet.ReaderProperties) (openFile, error) {
	reader, err := file.NewParquetReader(in, file.WithReadProps(props))
	return openFile{reader, in, props}, err
}

// prepare chooses columns and row groups.
func (s *parquetSource) prepare(footer *file.Reader, task table.FileScanTask, wanted map[int]iceberg.NestedField, names iceberg.NameMapping) (err error) {
	s.reader, err = pqarrow.NewFileReader(footer, pqarrow.ArrowReadProperties{BatchSize: s.batch}, memory.DefaultAllocator)
	if err != nil {
		return err
	}
	if s.runs, err = groupRuns(footer, task); err != nil {
		return err
	}
	isLegacy := func(leaf int) bool {
		return footer.MetaData().Schema.Column(leaf).PhysicalType() == parquet.Types.Int96
	}
	if s.leaves, err = s.choose(s.reader.Manifest, wanted, names, isLegacy); err != nil {
		return err
	}
	s.reader.Props.BatchSize, err = s.rowsAtOnce(footer)
	return err
}

// rowsAtOnce is how many rows a batch has: fewer where values are long, by the
// row group with the longest.
func (s *parquetSource) rowsAtOnce(footer *file.Reader) (int64, error) {
	rows := s.batch
	for _, run := range s.runs {
		for _, i := range run.groups {
			group := footer.MetaData().RowGroup(i)
			var size int64
			for _, leaf := range s.leaves {
				chunk, err := group.ColumnChunk(leaf)
				if err != nil {
					return 0, err
				}
				size += chunk.TotalUncompressedSize()
			}
			if perRow := size / group.NumRows(); perRow > 0 {
				rows = min(rows, max(1, batchBytes/perRow))
			}
		}
	}
	return rows, nil
}

// groupRuns are the row groups that begin in a task's range, with the positions
// of their rows. The first of a file's pieces begins with the file.
func groupRuns(footer *file.Reader, task table.FileScanTask) ([]groupRun, error) {
	from, to := task.Start, task.Start+task.Length
	if offsets := task.File.SplitOffsets(); len(offsets) > 0 && from <= offsets[0] {
		from = 0
	}
	all, last := isWhole(task), to >= task.File.FileSizeBytes()
	var runs []groupRun
	var at int64
	for i := range footer.NumRowGroups() {
		group := footer.MetaData().RowGroup(i)
		rows := group.NumRows()
		in := all
		if !all {
			start, err := groupStart(group)
			if err != nil {
				return nil, err
			}
			in = start >= from && (last || start < to)
		}
		switch n := len(runs) - 1; {
		case !in || rows == 0:
		case n >= 0 && runs[n].first+runs[n].rows == at:
			runs[n].groups = append(runs[n].groups, i)
			runs[n].rows += rows
		default:
			runs = append(runs, groupRun{[]int{i}, at, rows})
		}
		at += rows
	}
	return runs, nil
}

// groupStart is where a row group begins (Java: BlockMetaData.getStartingPos).
func groupStart(group *metadata.RowGroupMetaData) (int64, error) {
	chunk, err := group.ColumnChunk(0)
	if err != nil {
		return 0, err
	}
	start := chunk.DataPageOffset()
	if d := chunk.DictionaryPageOffset(); chunk.HasDictionaryPage() && d > 0 {
		start = min(start, d)
	}
	return start, nil
}

func (s *parquetSource) fields() []iceberg.NestedField { return s.columns }

func (s *parquetSource) close() {
	s.pages.close()
	if s.batches != nil {
		s.batches.Release()
	}
	s.release()
}

// next implements source.
func (s *parquetSource) next(ctx context.Context) (arrow.RecordBatch, int64, error) {
	for len(s.runs) > 0 {
		if err := ctx.Err(); err != nil {
			return nil, 0, err
		}
		first := s.runs[0].first + s.read
		batch, err := s.nextOf(ctx, s.runs[0])
		if err != nil || batch != nil {
			return batch, first, err
		}
		s.runs, s.read = s.runs[1:], 0
	}
	return nil, 0, nil
}

// nextOf returns the next rows of the run being read, nil at its end. Without
// columns to read there is nothing but the number of rows. What pages does not
// understand is left to Arrow's reader, from the next row on.
func (s *parquetSource) nextOf(ctx context.Context, run groupRun) (arrow.RecordBatch, error) {
	if len(s.leaves) == 0 {
		n := min(s.batch, run.rows-s.read)
		if n == 0 {
			return nil, nil
		}
		s.read += n
		return array.NewRecordBatch(s.schema, nil, n), nil
	}
	if s.pages != nil {
		batch, err := s.pages.next(ctx, run.groups, s.reader.Props.BatchSize)
		if err == nil && batch != nil {
			s.read += batch.NumRows()
		}
		if !errors.Is(err, flat.ErrUnfit) {
			return batch, err
		}
		s.pages.close()
		s.pages = nil
	}
	return s.nextBatch(ctx, run)
}

// nextBatch returns the next rows that Arrow's reader reads.
func (s *parquetSource) nextBatch(ctx context.Context, run groupRun) (arrow.RecordBatch, error) {
	if s.batches == nil {
		var err error
		if s.batches, err = s.reader.GetRecordReader(ctx, s.leaves, run.groups); err != nil {
			return nil, err
		}
		s.known, s.read = s.read, 0
	}
	for s.batches.Next() {
		batch := s.batches.RecordBatch()
		s.read += batch.NumRows()
		unknown := s.read - s.known
		if unknown <= 0 {
			continue
		}
		if unknown < batch.NumRows() {
			batch = batch.NewSlice(batch.NumRows()-unknown, batch.NumRows())
			defer batch.Release()
		}
		return s.retype(batch)
	}
	err := s.batches.Err()
	if errors.Is(err, io.EOF) {
		err = nil
	}
	if err == nil && s.read != run.rows {
		err = fmt.Errorf("%w: it has %d rows, but its footer says %d", maintenance.ErrCorrupt, s.read, run.rows)
	}
	s.batches.Release()
	s.batches = nil
	return nil, err
}

// retype makes a batch one of the source's schema.
func (s *parquetSource) retype(batch arrow.RecordBatch) (arrow.RecordBatch, error) {
	columns := slices.Clone(batch.Columns())
	for _, i := range s.legacy {
		micros, err := microseconds(columns[i])
		if err != nil {
			return nil, err
		}
		defer micros.Release()
		columns[i] = micros
	}
	return array.NewRecordBatch(s.schema, columns, batch.NumRows()), nil
}
