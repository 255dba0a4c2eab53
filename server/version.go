package server

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/apache/iceberg-go/table"

	"github.com/firndb/firn/procedures"
)

// version selects the version of a table that a time-travel clause asks for.
// The zero value is the current one.
type version struct {
	// name is a snapshot id or the name of a branch or tag.
	name string
	// at is an instant.
	at time.Time
	// loose is set when name may also be the text of a timestamp, in zone.
	loose bool
	zone  *time.Location
}

// parseVersion reads the value of an AS OF clause. The dialect marks a version
// with "v:" and the text of a timestamp with "t:"; a timestamp of digits only
// is seconds since 1970. MySQL's own AS OF may also have a time, or text that
// is either.
func parseVersion(value any, zone *time.Location) (version, error) {
	switch v := value.(type) {
	case time.Time:
		return version{at: instant(v, zone)}, nil
	case string:
		if name, ok := strings.CutPrefix(v, "v:"); ok {
			return version{name: name}, nil
		}
		if text, ok := strings.CutPrefix(v, "t:"); ok {
			at, err := parseInstant(text, zone)
			return version{at: at}, err
		}
		return version{name: v, loose: true, zone: zone}, nil
	}
	return version{}, fmt.Errorf("%w: AS OF takes a snapshot id, a branch or tag, or a timestamp: got %v", procedures.ErrArgument, value)
}

func parseInstant(text string, zone *time.Location) (time.Time, error) {
	if seconds, err := strconv.ParseInt(text, 10, 64); err == nil && len(text) > 6 {
		return time.Unix(seconds, 0), nil
	}
	t, err := procedures.ParseTimestamp(text, zone)
	if err != nil {
		return time.Time{}, fmt.Errorf("%w: %w", procedures.ErrArgument, err)
	}
	return t, nil
}

// selection is the version of a table that is read. The zero value is the
// current one.
type selection struct {
	// snapshot is set for any other.
	snapshot *int64
	// branch is set for a branch, which is read with the table's schema; any
	// other snapshot is read with its own (Java Iceberg: SnapshotUtil.schemaFor).
	branch string
}

// of selects in tbl. The error wraps errNoVersion.
func (v version) of(tbl *table.Table) (selection, error) {
	switch {
	case v.name == "" && v.at.IsZero():
		return selection{}, nil
	case !v.at.IsZero():
		return selectAt(tbl, v.at)
	}
	if n, err := strconv.ParseInt(v.name, 10, 64); err == nil && tbl.SnapshotByID(n) != nil {
		return selection{snapshot: &n}, nil
	}
	for name, ref := range tbl.Metadata().Refs() {
		switch {
		case name != v.name:
		case ref.SnapshotRefType == table.BranchRef:
			return selection{snapshot: &ref.SnapshotID, branch: name}, nil
		default:
			return selection{snapshot: &ref.SnapshotID}, nil
		}
	}
	if v.loose {
		if at, err := parseInstant(v.name, v.zone); err == nil {
			return selectAt(tbl, at)
		}
	}
	return selection{}, fmt.Errorf("%w: table %q has no snapshot, branch or tag %q", errNoVersion, strings.Join(tbl.Identifier(), "."), v.name)
}

func selectAt(tbl *table.Table, at time.Time) (selection, error) {
	s := tbl.SnapshotAsOf(at.UnixMilli(), true)
	if s == nil {
		return selection{}, fmt.Errorf("%w: table %q had no snapshot at %s", errNoVersion, strings.Join(tbl.Identifier(), "."), at.UTC().Format(time.RFC3339Nano))
	}
	return selection{snapshot: &s.SnapshotID}, nil
}
