package lake

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"math/rand/v2"
	"os"
	"path/filepath"
	"time"

	"github.com/apache/iceberg-go"
)

// SnapshotID is that of the snapshot with number s, from 0.
func (t *Table) SnapshotID(s int) int64 {
	return rand.New(rand.NewPCG(t.Seed, 1<<32+uint64(s))).Int64()
}

// Entry is a file in a manifest: added by the snapshot with the number By, from
// 0, and if that is an earlier one than the manifest's, still there or deleted.
type Entry struct {
	// File is the number of the file and Day that of its partition, from 0.
	File, Day int
	By        int
	Deleted   bool
}

// Manifest is a manifest and what the files that it adds come to.
type Manifest struct {
	iceberg.ManifestFile
	Records, Bytes int64
}

// WriteManifest writes the manifest with number m, of the snapshot with number s.
func (t *Table) WriteManifest(ctx context.Context, m, s int, entries iter.Seq[Entry]) (done Manifest, err error) {
	path := filepath.Join(t.Folder, "metadata", fmt.Sprintf("%s-m%d.avro", t.uuid(m), m))
	f, err := os.Create(path)
	if err != nil {
		return done, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	buffered := bufio.NewWriterSize(f, 1<<20)
	out := &counted{Writer: buffered}
	w, err := iceberg.NewManifestWriter(2, out, tableSpec(), tableSchema(), t.SnapshotID(s))
	if err != nil {
		return done, err
	}
	files := newFiles(t)
	for e := range entries {
		file, err := files.make(e)
		if err == nil {
			err = ctx.Err()
		}
		if err == nil {
			err = t.write(w, s, e, file)
		}
		if err != nil {
			return done, err
		}
		if e.By == s {
			done.Records += file.Count()
			done.Bytes += file.FileSizeBytes()
		}
	}
	if err := errors.Join(w.Close(), buffered.Flush()); err != nil {
		return done, err
	}
	done.ManifestFile, err = w.ToManifestFile(uri(path), out.bytes)
	return done, err
}

func (t *Table) write(w *iceberg.ManifestWriter, s int, e Entry, file iceberg.DataFile) error {
	added, sequence := t.SnapshotID(e.By), int64(e.By+1)
	switch {
	case e.By == s:
		return w.Add(iceberg.NewManifestEntry(iceberg.EntryStatusADDED, &added, nil, nil, file))
	case e.Deleted:
		return w.Delete(iceberg.NewManifestEntry(iceberg.EntryStatusDELETED, &added, &sequence, &sequence, file))
	}
	return w.Existing(iceberg.NewManifestEntry(iceberg.EntryStatusEXISTING, &added, &sequence, &sequence, file))
}

// files makes up data files.
type files struct {
	table  *Table
	spec   iceberg.PartitionSpec
	random *rand.PCG
	stats  *statistics
}

func newFiles(t *Table) *files {
	random := rand.NewPCG(0, 0)
	return &files{table: t, spec: tableSpec(), random: random, stats: newStatistics(rand.New(random))}
}

// make makes up a file, the same for the same number.
func (f *files) make(e Entry) (iceberg.DataFile, error) {
	f.random.Seed(f.table.Seed, uint64(e.File))
	records := 1000 + f.stats.random.Int64N(89_000)
	size := f.stats.fill(FirstDay+e.Day, records)
	b, err := iceberg.NewDataFileBuilder(f.spec, iceberg.EntryContentData, uri(f.table.DataPath(e.File, e.Day)), iceberg.ParquetFile,
		map[int]any{partitionField: iceberg.Date(FirstDay + e.Day)}, nil, nil, records, size)
	if err != nil {
		return nil, err
	}
	s := f.stats
	return b.ColumnSizes(s.sizes).ValueCounts(s.values).NullValueCounts(s.nulls).NaNValueCounts(s.nan).
		LowerBoundValues(s.lower).UpperBoundValues(s.upper).SplitOffsets([]int64{4}).SortOrderID(0).Build(), nil
}

// DataPath is where a file would be.
func (t *Table) DataPath(file, day int) string {
	word := rand.New(rand.NewPCG(t.Seed, 2<<32+uint64(file))).Uint64()
	name := fmt.Sprintf("%05d-%d-%016x-00001.parquet", file%200, file, word)
	return filepath.Join(t.Folder, "data", "event_time_day="+DayStart(FirstDay+day).Format(time.DateOnly), name)
}

// DayStart is the beginning of a day that is a number since 1970.
func DayStart(day int) time.Time { return time.Unix(int64(day)*86_400, 0).UTC() }

// counted counts what is written through it.
type counted struct {
	io.Writer
	bytes int64
}

func (c *counted) Write(b []byte) (int, error) {
	n, err := c.Writer.Write(b)
	c.bytes += int64(n)
	return n, err
}
