package rewrite

import (
	"context"
	"fmt"

	"github.com/apache/iceberg-go"
	"github.com/apache/iceberg-go/table/dv"

	"github.com/firndb/firn/maintenance"
)

// vectorSink writes one deletion vector for each data file into Puffin files.
type vectorSink struct {
	w         *deleteWriter
	spec      iceberg.PartitionSpec
	partition map[int]any
	folder    string
	name      string

	open *dv.DVWriter
	held int64

	files []iceberg.DataFile
	paths []string
}

func newVectorSink(w *deleteWriter, spec iceberg.PartitionSpec, name string, partition map[int]any) *vectorSink {
	s := &vectorSink{w: w, spec: spec, name: name, partition: partition}
	s.folder = maintenance.PartitionValuesPath(w.meta, spec, partition)
	return s
}

func (s *vectorSink) add(ctx context.Context, path string, deleted *dv.RoaringPositionBitmap) error {
	if s.open == nil {
		s.open = dv.NewDVWriter(s.w.fs, func(int32) *iceberg.PartitionSpec { return &s.spec })
	}
	s.open.Load(path, deleted, int32(s.spec.ID()), s.partition)
	s.held += bytesPerPosition * deleted.Cardinality()
	if s.w.held > 0 && s.held >= s.w.held {
		return s.finish(ctx)
	}
	return nil
}

// finish writes the vectors at hand.
func (s *vectorSink) finish(ctx context.Context) error {
	vectors := s.open
	s.open, s.held = nil, 0
	if vectors == nil {
		return nil
	}
	path := s.w.places.path(s.folder, fmt.Sprintf("%s-%s-%05d-deletes.puffin", s.name, s.w.output.run, len(s.paths)))
	s.paths = append(s.paths, path)
	written, err := vectors.Flush(ctx, path)
	if err != nil {
		return fmt.Errorf("write deletion vectors %q: %w", path, err)
	}
	for _, df := range written {
		// The library leaves out by what types partition values are encoded.
		b, err := iceberg.NewDataFileBuilder(s.spec, iceberg.EntryContentPosDeletes, path, iceberg.PuffinFile, s.partition, logicalTypes(s.w.meta, s.spec), nil, df.Count(), df.FileSizeBytes())
		if err != nil {
			return fmt.Errorf("describe deletion vector in %q: %w", path, err)
		}
		b.ReferencedDataFile(*df.ReferencedDataFile()).ContentOffset(*df.ContentOffset()).ContentSizeInBytes(*df.ContentSizeInBytes())
		s.files = append(s.files, b.Build())
	}
	return nil
}

func (s *vectorSink) abort() { s.open = nil }

func (s *vectorSink) written() ([]iceberg.DataFile, []string) { return s.files, s.paths }
