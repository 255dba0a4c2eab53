package maintenance

import (
	"context"
	"fmt"
	"strings"

	"github.com/apache/iceberg-go"
	iceio "github.com/apache/iceberg-go/io"
	"github.com/apache/iceberg-go/table"
)

// RemoveDanglingDeletes takes the delete files out of a branch that apply to no
// live data file, in a snapshot of its own, and returns how many they were
// (Java's RemoveDanglingDeleteFiles). It makes no snapshot if there are none.
//
// A position delete file dangles if it is older than every data file of its
// partition, an equality delete file if it is not newer than any, and a
// deletion vector if its data file is gone. Equality deletes of an
// unpartitioned spec apply to all partitions and are compared with all data
// files.
func RemoveDanglingDeletes(ctx context.Context, env Env, ident table.Identifier, branch string) (int, error) {
	if env.Run != nil {
		return removeDanglingDeletes(ctx, env, ident, branch)
	}
	env = begin(env, "remove_dangling_deletes")
	removed, err := removeDanglingDeletes(ctx, env, ident, branch)
	env.Run.End()
	return removed, err
}

// removeDanglingDeletes is RemoveDanglingDeletes as part of a job.
func removeDanglingDeletes(ctx context.Context, env Env, ident table.Identifier, branch string) (int, error) {
	removed := 0
	_, err := Commit(ctx, env, ident, func(ctx context.Context, base *table.Table) (*Change, error) {
		removed = 0
		describe(env, base)
		meta := base.Metadata()
		head, err := branchHead(meta, branch)
		if err != nil {
			return nil, err
		}
		fs, err := base.FS(ctx)
		if err != nil {
			return nil, fmt.Errorf("open files of table %q: %w", strings.Join(ident, "."), err)
		}
		dangling := map[string]bool{}
		err = findDangling(ctx, fs, meta, head, func(df iceberg.DataFile) { dangling[DeleteFileKey(df)] = true })
		if err != nil || len(dangling) == 0 {
			return nil, err
		}
		removed = len(dangling)
		return Replace{Branch: branch, Since: head.SnapshotID, Deletes: dangling}.Build(env)(ctx, base)
	})
	if err != nil {
		return 0, fmt.Errorf("remove dangling deletes: %w", err)
	}
	return removed, nil
}

// DanglingDeletes are the delete files that [RemoveDanglingDeletes] would take out
// of a branch.
func DanglingDeletes(ctx context.Context, tbl *table.Table, branch string) ([]iceberg.DataFile, error) {
	head, err := branchHead(tbl.Metadata(), branch)
	if err != nil {
		return nil, err
	}
	fs, err := tbl.FS(ctx)
	if err != nil {
		return nil, fmt.Errorf("open files of table %q: %w", strings.Join(tbl.Identifier(), "."), err)
	}
	var files []iceberg.DataFile
	err = findDangling(ctx, fs, tbl.Metadata(), head, func(df iceberg.DataFile) { files = append(files, df) })
	return files, err
}

// liveData is what deletes are compared with: the least data sequence number
// of each partition and of all, and the paths of files.
type liveData struct {
	oldest map[string]int64
	all    int64
	any    bool
	paths  map[string]bool
}

// findDangling tells the dangling delete files of a snapshot to use.
func findDangling(ctx context.Context, fs iceio.IO, meta table.Metadata, head *table.Snapshot, use func(iceberg.DataFile)) error {
	manifests, err := head.Manifests(fs)
	if err != nil {
		return fmt.Errorf("read manifest list %q: %w", head.ManifestList, err)
	}
	live := liveData{oldest: map[string]int64{}, paths: map[string]bool{}}
	err = LiveEntries(ctx, fs, manifests, iceberg.ManifestContentData, false, func(e iceberg.ManifestEntry) error {
		live.add(e)
		return nil
	})
	if err != nil {
		return err
	}
	return LiveEntries(ctx, fs, manifests, iceberg.ManifestContentDeletes, false, func(e iceberg.ManifestEntry) error {
		if live.dangling(meta, e) {
			use(e.DataFile())
		}
		return nil
	})
}

func (l *liveData) add(e iceberg.ManifestEntry) {
	df, seq := e.DataFile(), e.SequenceNum()
	key := PartitionKey(df)
	if old, ok := l.oldest[key]; !ok || seq < old {
		l.oldest[key] = seq
	}
	if !l.any || seq < l.all {
		l.all, l.any = seq, true
	}
	l.paths[df.FilePath()] = true
}

func (l *liveData) dangling(meta table.Metadata, e iceberg.ManifestEntry) bool {
	df, seq := e.DataFile(), e.SequenceNum()
	oldest, ok := l.oldest[PartitionKey(df)]
	switch {
	case IsDV(df):
		ref := df.ReferencedDataFile()
		return ref != nil && !l.paths[*ref]
	case df.ContentType() == iceberg.EntryContentEqDeletes:
		if spec := meta.PartitionSpecByID(int(df.SpecID())); spec != nil && spec.IsUnpartitioned() {
			oldest, ok = l.all, l.any
		}
		return !ok || seq <= oldest
	}
	return !ok || seq < oldest
}
