package maintenance

import (
	"context"
	"fmt"

	"github.com/apache/iceberg-go/table"
)

// versionsSince calls use with the versions that a table had after base and before
// now, as now's metadata log has them, until it says that it has seen enough. It
// returns false if the log does not tell: if it no longer goes back to base.
func versionsSince(ctx context.Context, base, now *table.Table, use func(table.Metadata) (enough bool)) (told bool, err error) {
	if now.MetadataLocation() == base.MetadataLocation() {
		return true, nil
	}
	var between []string
	for entry := range now.Metadata().PreviousFiles() {
		if told {
			between = append(between, entry.MetadataFile)
		}
		told = told || entry.MetadataFile == base.MetadataLocation()
	}
	for _, location := range between {
		version, err := table.NewFromLocation(ctx, base.Identifier(), location, base.FS, nil)
		if err != nil {
			return false, fmt.Errorf("read an earlier version of the table: %w", err)
		}
		if use(version.Metadata()) {
			return true, nil
		}
	}
	return told, nil
}

// hasBeenPart says whether a change without a trace of its own in now was part of
// the table in between: other writers may have built on it, and an expiry taken its
// snapshot away, before the table was looked at. Its files are the table's then. A
// metadata log that does not go back to base cannot tell; the parents of snapshots
// still may.
func (c *Change) hasBeenPart(ctx context.Context, base, now *table.Table) (been bool, err error) {
	if c.SnapshotID == 0 {
		return false, nil
	}
	for _, s := range now.Metadata().Snapshots() {
		if s.ParentSnapshotID != nil && *s.ParentSnapshotID == c.SnapshotID {
			return true, nil
		}
	}
	_, err = versionsSince(ctx, base, now, func(meta table.Metadata) bool {
		been = meta.SnapshotByID(c.SnapshotID) != nil
		return been
	})
	return been, err
}
