package maintenance

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/apache/iceberg-go"
	"github.com/apache/iceberg-go/table"
)

// retention decides which snapshots of a table stay, by the rules of Java's
// RemoveSnapshots. Times are in milliseconds since the epoch.
type retention struct {
	now, olderThan int64
	atLeast        int
	ids            []int64

	snapshots []table.Snapshot
	byID      map[int64]table.Snapshot
	// live are the refs that stay, refs those that go.
	live map[string]table.SnapshotRef
	refs []ExpiredRef
}

// retentionOf reads the rules from the options and the table. The error wraps
// ErrRefused or ErrInvalid.
func retentionOf(meta table.Metadata, options ExpireOptions, at time.Time) (*retention, error) {
	props := meta.Properties()
	if gc, ok := props[table.GCEnabledKey]; ok && !strings.EqualFold(gc, "true") {
		return nil, fmt.Errorf("%w: %q is %q: its files may belong to other tables; set it to true if they do not", ErrRefused, table.GCEnabledKey, gc)
	}
	maxAge, err := longProperty(props, table.MaxSnapshotAgeMsKey, table.MaxSnapshotAgeMsDefault)
	if err != nil {
		return nil, err
	}
	atLeast, err := longProperty(props, table.MinSnapshotsToKeepKey, table.MinSnapshotsToKeepDefault)
	if err != nil {
		return nil, err
	}
	maxRefAge, err := longProperty(props, table.MaxRefAgeMsKey, table.MaxRefAgeMsDefault)
	if err != nil {
		return nil, err
	}
	r := &retention{now: at.UnixMilli(), ids: options.SnapshotIDs, snapshots: meta.Snapshots(), live: map[string]table.SnapshotRef{}}
	r.olderThan = r.now - maxAge
	if options.OlderThan != nil {
		r.olderThan = options.OlderThan.UnixMilli()
	}
	r.atLeast = int(min(atLeast, math.MaxInt32))
	if options.RetainLast != nil {
		r.atLeast = *options.RetainLast
	}
	r.byID = make(map[int64]table.Snapshot, len(r.snapshots))
	for _, s := range r.snapshots {
		r.byID[s.SnapshotID] = s
	}
	r.sortRefs(maps.Collect(meta.Refs()), maxRefAge)
	return r, nil
}

// sortRefs tells the refs that stay from those that are too old.
func (r *retention) sortRefs(refs map[string]table.SnapshotRef, maxAge int64) {
	for _, name := range slices.Sorted(maps.Keys(refs)) {
		ref := refs[name]
		limit := maxAge
		if ref.MaxRefAgeMs != nil {
			limit = *ref.MaxRefAgeMs
		}
		snapshot, ok := r.byID[ref.SnapshotID]
		if name == table.MainBranch || ok && r.now-snapshot.TimestampMs <= limit {
			r.live[name] = ref
			continue
		}
		reason := fmt.Sprintf("its snapshot is older than %v, the longest that a ref is kept", time.Duration(min(limit, math.MaxInt64/int64(time.Millisecond)))*time.Millisecond)
		if !ok {
			reason = "its snapshot does not exist"
		}
		r.refs = append(r.refs, ExpiredRef{Name: name, Type: ref.SnapshotRefType, Snapshot: ref.SnapshotID, Reason: reason})
	}
}

// keep finds the snapshots that stay: the heads of the refs, the ancestors of
// branches that are young or among the last, and young ones that no ref leads
// to, such as staged ones.
func (r *retention) keep() map[int64]bool {
	kept, led := map[int64]bool{}, map[int64]bool{}
	for _, ref := range r.live {
		kept[ref.SnapshotID], led[ref.SnapshotID] = true, true
		if ref.SnapshotRefType == table.BranchRef {
			r.keepBranch(ref, kept, led)
		}
	}
	for _, s := range r.snapshots {
		if !led[s.SnapshotID] && s.TimestampMs >= r.olderThan {
			kept[s.SnapshotID] = true
		}
	}
	return kept
}

func (r *retention) keepBranch(ref table.SnapshotRef, kept, led map[int64]bool) {
	olderThan, atLeast := r.olderThan, r.atLeast
	if ref.MaxSnapshotAgeMs != nil {
		olderThan = r.now - *ref.MaxSnapshotAgeMs
	}
	if ref.MinSnapshotsToKeep != nil {
		atLeast = *ref.MinSnapshotsToKeep
	}
	n, keeping, next := 0, true, &ref.SnapshotID
	for next != nil && n <= len(r.snapshots) {
		s, ok := r.byID[*next]
		if !ok {
			return
		}
		led[s.SnapshotID] = true
		keeping = keeping && (n < atLeast || s.TimestampMs >= olderThan)
		if keeping {
			kept[s.SnapshotID] = true
		}
		n++
		next = s.ParentSnapshotID
	}
}

// checkIDs refuses ids that a remaining ref points at.
func (r *retention) checkIDs() error {
	for _, id := range r.ids {
		var names []string
		for name, ref := range r.live {
			if ref.SnapshotID == id {
				names = append(names, name)
			}
		}
		if len(names) > 0 {
			slices.Sort(names)
			return fmt.Errorf("%w: %q: snapshot %d is still referenced by %s; drop or move these refs first", ErrInvalid, "snapshot_ids", id, strings.Join(names, ", "))
		}
	}
	return nil
}

// expired describes a snapshot that goes.
func (r *retention) expired(s table.Snapshot, kept map[int64]bool) ExpiredSnapshot {
	e := ExpiredSnapshot{ID: s.SnapshotID, Committed: utcMillis(s.TimestampMs), Reason: "given by its id"}
	if s.Summary != nil {
		e.Operation = string(s.Summary.Operation)
	}
	if !kept[s.SnapshotID] {
		e.Reason = fmt.Sprintf("of %s, older than what is kept; snapshots before %s are old", stamp(e.Committed), stamp(utcMillis(r.olderThan)))
	}
	return e
}

// stamp writes an instant in UTC for a person.
func stamp(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z07:00") }

// longProperty reads a number. A value that is none is an error: expiring by a
// default that the table's owner did not choose would delete too much.
func longProperty(props iceberg.Properties, key string, value int64) (int64, error) {
	text, ok := props[key]
	if !ok {
		return value, nil
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return 0, fmt.Errorf("%w: table property %q must be a number of type long, got %q", ErrInvalid, key, text)
	}
	return n, nil
}
