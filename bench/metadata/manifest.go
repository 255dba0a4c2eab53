package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"time"

	"github.com/apache/iceberg-go"
)

// written is a manifest and what its files add up to.
type written struct {
	iceberg.ManifestFile
	records, bytes int64
}

// writeManifest writes the manifest with number m for the snapshot that adds it.
func (t layout) writeManifest(ctx context.Context, m int, snapshot int64) (done written, err error) {
	path := filepath.Join(t.folder, "metadata", fmt.Sprintf("%s-m%d.avro", uuidOf(t.files, m), m))
	f, err := os.Create(path)
	if err != nil {
		return done, err
	}
	defer func() {
		if closing := f.Close(); err == nil {
			err = closing
		}
	}()
	buffered := bufio.NewWriterSize(f, 1<<20)
	out := &counted{Writer: buffered}
	spec, schema := tableSpec(), tableSchema()
	w, err := iceberg.NewManifestWriter(2, out, spec, schema, snapshot)
	if err != nil {
		return done, err
	}
	random := rand.New(rand.NewPCG(uint64(t.files), uint64(m)))
	stats := newStatistics(random)
	first, end := m*t.files/t.manifests, (m+1)*t.files/t.manifests
	for i := first; i < end && ctx.Err() == nil; i++ {
		file, err := t.file(i, spec, random, stats)
		if err != nil {
			return done, err
		}
		if err := w.Add(iceberg.NewManifestEntry(iceberg.EntryStatusADDED, &snapshot, nil, nil, file)); err != nil {
			return done, err
		}
		done.records += file.Count()
		done.bytes += file.FileSizeBytes()
	}
	if err := ctx.Err(); err != nil {
		return done, err
	}
	if err := w.Close(); err != nil {
		return done, err
	}
	if err := buffered.Flush(); err != nil {
		return done, err
	}
	done.ManifestFile, err = w.ToManifestFile(uri(path), out.bytes)
	return done, err
}

// file makes up the file with number i. The files of one day are neighbours,
// as in a table that is written by the day.
func (t layout) file(i int, spec iceberg.PartitionSpec, random *rand.Rand, stats *statistics) (iceberg.DataFile, error) {
	day := firstDay + i*days/t.files
	records := 1000 + random.Int64N(89_000)
	size := stats.fill(day, records)
	name := fmt.Sprintf("event_time_day=%s/%05d-%d-%016x-00001.parquet", dayStart(day).Format(time.DateOnly), i%t.manifests, i, random.Uint64())
	b, err := iceberg.NewDataFileBuilder(spec, iceberg.EntryContentData, uri(filepath.Join(t.folder, "data", name)), iceberg.ParquetFile,
		map[int]any{partitionField: iceberg.Date(day)}, nil, nil, records, size)
	if err != nil {
		return nil, err
	}
	return b.ColumnSizes(stats.sizes).ValueCounts(stats.values).NullValueCounts(stats.nulls).NaNValueCounts(stats.nan).
		LowerBoundValues(stats.lower).UpperBoundValues(stats.upper).SplitOffsets([]int64{4}).SortOrderID(0).Build(), nil
}

func dayStart(day int) time.Time { return time.Unix(int64(day)*86_400, 0).UTC() }

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
