package rewrite

import (
	"context"
	"fmt"

	"github.com/apache/iceberg-go"
	iceio "github.com/apache/iceberg-go/io"
	"github.com/apache/iceberg-go/table"

	"github.com/firndb/firn/maintenance"
)

// deleteScan looks for live delete files of one content.
type deleteScan struct {
	meta table.Metadata
	// where selects the files of partitions that may have a matching row; nil selects
	// all.
	where   iceberg.BooleanExpression
	content iceberg.ManifestEntryContent
	// stats says that the files' statistics are needed.
	stats bool
	// other, if set, is told of the files of other content.
	other func(f iceberg.DataFile, sequence int64)

	// unmatched is how many files are in partitions that are not selected.
	unmatched int64
}

// files lists the selected files of a snapshot in the order of the manifests.
func (s *deleteScan) files(ctx context.Context, fs iceio.IO, head *table.Snapshot) ([]DeleteFile, error) {
	filter, err := newPartitionFilter(s.meta, s.where)
	if err != nil {
		return nil, err
	}
	manifests, err := head.Manifests(fs)
	if err != nil {
		return nil, fmt.Errorf("read manifest list %q: %w", head.ManifestList, err)
	}
	var files []DeleteFile
	err = maintenance.LiveEntries(ctx, fs, manifests, iceberg.ManifestContentDeletes, s.stats, func(e iceberg.ManifestEntry) error {
		df := e.DataFile()
		if df.ContentType() != s.content {
			if s.other != nil {
				s.other(df, e.SequenceNum())
			}
			return nil
		}
		ok, err := filter.admits(df)
		if err != nil {
			return err
		}
		if !ok {
			s.unmatched++
			return nil
		}
		files = append(files, DeleteFile{File: df, Partition: maintenance.PartitionPath(s.meta, df), Sequence: e.SequenceNum()})
		return nil
	})
	return files, err
}
