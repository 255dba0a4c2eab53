package rewrite

import (
	"context"

	"github.com/apache/iceberg-go/table"

	"github.com/firndb/firn/maintenance/datafile"
	"github.com/firndb/firn/maintenance/internal/gather"
)

const (
	// sampleFiles and sampleRows are how many are looked at.
	sampleFiles = 8
	sampleRows  = 1000
)

// takeSample estimates how large the columns are of files that are not Parquet, and
// have no footers to tell it: by their first rows.
func (s *sorting) takeSample(ctx context.Context) error {
	var tasks []table.FileScanTask
	var all, rows int64
	for _, t := range s.undeleted() {
		if !movable(t) {
			tasks = append(tasks, t)
			all += t.File.Count()
		}
	}
	fields := s.stored()
	bytes := make([]int64, len(fields))
	for i := range min(sampleFiles, len(tasks)) {
		one := []table.FileScanTask{tasks[i*len(tasks)/min(sampleFiles, len(tasks))]}
		reader := datafile.NewReader(s.fs, s.r.table.Metadata(), fields, one, datafile.Options{BatchRows: sampleRows, FilesAtOnce: 1, Uncommitted: s.g.fresh})
		for batch, err := range reader.Rows(one).All(ctx) {
			if err != nil {
				return err
			}
			rows += batch.NumRows()
			for c := range fields {
				bytes[c] += gather.Size(batch.Column(c))
			}
			batch.Release()
			break
		}
	}
	s.sampled = map[int]int64{}
	for c, f := range fields {
		s.sampled[f.ID] = int64(float64(bytes[c]) * float64(all) / float64(max(1, rows)))
	}
	return nil
}
