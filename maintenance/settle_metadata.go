package maintenance

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"slices"
	"strings"
	"time"

	iceio "github.com/apache/iceberg-go/io"
	"github.com/apache/iceberg-go/table"

	"github.com/firndb/firn/catalog"
	"github.com/firndb/firn/maintenance/journal"
)

// A catalog that keeps a pointer to a table's metadata writes the next version's
// file, whose name it makes up, and then moves the pointer. A process that is
// killed in between leaves the file. That a run's commit has written it is seen
// by its content.

// versionFile is what a metadata file says of itself.
type versionFile struct {
	UUID    string `json:"table-uuid"`
	Updated int64  `json:"last-updated-ms"`
	Log     []struct {
		File string `json:"metadata-file"`
	} `json:"metadata-log"`
	Snapshots []struct {
		ID int64 `json:"snapshot-id"`
	} `json:"snapshots"`
}

// base is the version that it was made from, empty if it is the first.
func (v *versionFile) base() string {
	if len(v.Log) == 0 {
		return ""
	}
	return v.Log[len(v.Log)-1].File
}

// madeBy says whether a run's commit has written the file, and the table has no
// snapshot of that commit: it is made from the version that the run tried to
// change, and has the snapshot that the run was adding, or if it was adding none, is
// no older than the run.
func (v *versionFile) madeBy(e *journal.Entry) bool {
	return slices.ContainsFunc(e.Attempts, func(a journal.Attempt) bool {
		if a.Outcome == journal.Committed || fileKey(a.Base) != fileKey(v.base()) {
			return false
		}
		if a.Snapshot == 0 {
			return v.Updated >= e.Started.UnixMilli()
		}
		for _, s := range v.Snapshots {
			if s.ID == a.Snapshot {
				return true
			}
		}
		return false
	})
}

// addVersion notes a metadata file that a run's commit may have written.
func (l *leftovers) addVersion(ctx context.Context, store iceio.IO, path string, o catalog.Object) error {
	_, modified, err := o.Stat()
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	// The clocks of the store and of this machine may differ.
	if l.current[path[strings.LastIndexByte(path, '/')+1:]] || modified.Before(l.ripe[0].Started.Add(-time.Hour)) {
		return nil
	}
	content, err := readAll(ctx, store, path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	var version versionFile
	if json.Unmarshal(content, &version) != nil || !strings.EqualFold(version.UUID, l.uuid) {
		return nil
	}
	for _, e := range l.ripe {
		if version.madeBy(e) {
			return l.add(e, path, version.base(), o.Stat)
		}
	}
	return nil
}

// metadataVersions are the metadata files that a table has and had, as far as its
// metadata log tells.
func metadataVersions(tbl *table.Table) []string {
	files := []string{tbl.MetadataLocation()}
	for entry := range tbl.Metadata().PreviousFiles() {
		files = append(files, entry.MetadataFile)
	}
	return files
}

// unpublished says of the metadata file that was made from the version base
// whether it never was the table's, as far as the table's metadata log tells: a
// successor of a version in the log is in the log, too, or the table's own.
func unpublished(tbl *table.Table, base string) bool {
	return slices.ContainsFunc(metadataVersions(tbl), func(path string) bool { return fileKey(path) == fileKey(base) })
}
