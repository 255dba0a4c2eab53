package maintenance

import (
	"context"

	"github.com/apache/iceberg-go/table"
)

// Change is one attempt to change a table, built against one base version.
type Change struct {
	// Requirements must hold for the updates to be applied. The committer adds
	// the assertion of the table's UUID.
	Requirements []table.Requirement
	Updates      []table.Update
	// SnapshotID is the snapshot that Updates add, by which the change is found
	// again when its outcome is unknown; 0 if they add none.
	SnapshotID int64
	// Applied tells, for a change that adds no snapshot, whether a re-read
	// table already has it. It may be nil when SnapshotID is set.
	Applied func(*table.Table) bool
	// Written are the files made for this attempt alone (manifests, manifest
	// lists). They are removed when the attempt is refused and kept when it is
	// committed or its outcome is unknown.
	Written []string
}

// Build makes a Change against base. It is called again with a newer base
// when an attempt is refused. An error ends the commit: one that wraps
// ErrConflict because base no longer allows the change. A nil Change means
// that nothing is to be committed.
type Build func(ctx context.Context, base *table.Table) (*Change, error)
