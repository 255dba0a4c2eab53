package maintenance

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/apache/iceberg-go"
	"github.com/apache/iceberg-go/table"
	"golang.org/x/sync/errgroup"

	"github.com/firndb/firn/guard"
)

// filePathFieldID is the reserved id of the column file_path of position
// delete files.
const filePathFieldID = 2147483546

// validate checks that nothing committed after r.Since makes the replacement
// wrong (BaseRewriteFiles.validate): the plan's snapshot must be an ancestor of
// the branch's head, and no new delete file may apply to a replaced data file,
// except equality deletes that apply to the new files as well. That the
// replaced files are still there is checked when they are taken out. A data file
// for which a deletion vector is added must not have got another one
// (MergingSnapshotProducer.validateAddedDVs).
func (r Replace) validate(ctx context.Context, d *snapshotDraft, manifests []iceberg.ManifestFile) error {
	if d.parent.SnapshotID == r.Since {
		return nil
	}
	since := d.meta.SnapshotByID(r.Since)
	if since == nil || !isAncestor(d.meta, r.Since, d.parent) {
		return &Conflict{Data: r.paths(), Deletes: r.Deletes, cause: fmt.Sprintf("branch %q no longer descends from snapshot %d, on which the job was planned", r.Branch, r.Since)}
	}
	if err := r.validateConverted(ctx, d, manifests); err != nil {
		return err
	}
	if v := d.meta.Version(); v < 2 || len(r.Data) == 0 && (v < 3 || len(r.AddDeletes) == 0) {
		return nil
	}
	check, added := newDeleteCheck(r, d.meta), snapshotsSince(d.meta, r.Since, d.parent)
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(max(1, d.env.Limits.Concurrency))
	var mu sync.Mutex
	for _, m := range manifests {
		if m.ManifestContent() != iceberg.ManifestContentDeletes || m.SequenceNum() <= since.SequenceNumber {
			continue
		}
		guard.Go(g, func() error {
			return manifestEntries(ctx, d.fs, m, true, func(e iceberg.ManifestEntry) (bool, error) {
				mu.Lock()
				defer mu.Unlock()
				if e.SequenceNum() > since.SequenceNumber {
					check.entry(e.DataFile())
				} else if added[e.SnapshotID()] {
					check.old(e.DataFile())
				}
				return false, nil
			})
		})
	}
	if err := g.Wait(); err != nil {
		return err
	}
	return check.conflict()
}

// isAncestor says whether the snapshot id is head or one of its ancestors.
func isAncestor(meta table.Metadata, id int64, head *table.Snapshot) bool {
	for s := head; s != nil; {
		if s.SnapshotID == id {
			return true
		}
		if s.ParentSnapshotID == nil {
			return false
		}
		s = meta.SnapshotByID(*s.ParentSnapshotID)
	}
	return false
}

// snapshotsSince are the snapshots after since up to head, of which since is an
// ancestor.
func snapshotsSince(meta table.Metadata, since int64, head *table.Snapshot) map[int64]bool {
	ids := map[int64]bool{}
	for s := head; s.SnapshotID != since; s = meta.SnapshotByID(*s.ParentSnapshotID) {
		ids[s.SnapshotID] = true
	}
	return ids
}

// deleteCheck finds new delete files that apply to replaced data files.
type deleteCheck struct {
	r       Replace
	meta    table.Metadata
	byPath  map[string]bool
	byPlace map[string][]string
	// vectors are the data files for which deletion vectors are added.
	vectors map[string]bool
	// touched are the data files found to have new deletes, one of which cause
	// names.
	touched map[string]bool
	cause   string
}

func newDeleteCheck(r Replace, meta table.Metadata) *deleteCheck {
	c := &deleteCheck{r: r, meta: meta, byPath: map[string]bool{}, byPlace: map[string][]string{}, vectors: map[string]bool{}, touched: map[string]bool{}}
	for _, del := range r.AddDeletes {
		if IsDV(del.File) {
			c.vectors[referencedFile(del.File)] = true
		}
	}
	for _, f := range r.Data {
		c.byPath[f.Path] = true
		c.byPlace[f.Partition] = append(c.byPlace[f.Partition], f.Path)
	}
	return c
}

// conflict is the error if some file is touched.
func (c *deleteCheck) conflict() error {
	if len(c.touched) == 0 {
		return nil
	}
	return &Conflict{Data: c.touched, cause: c.cause}
}

// old looks at a delete file committed since the plan that says what was said
// before, such as a vector in the place of older deletes.
func (c *deleteCheck) old(del iceberg.DataFile) {
	if path := referencedFile(del); IsDV(del) && c.vectors[path] {
		c.touch(path, del)
	}
}

// touch takes note of a data file that has a new delete.
func (c *deleteCheck) touch(path string, del iceberg.DataFile) {
	if c.cause == "" {
		c.cause = fmt.Sprintf("a delete was committed for %q while it was being rewritten (%q)", path, del.FilePath())
	}
	c.touched[path] = true
}

// entry looks at a delete file committed since the plan.
func (c *deleteCheck) entry(del iceberg.DataFile) {
	touch := func(path string) { c.touch(path, del) }
	if del.ContentType() == iceberg.EntryContentEqDeletes {
		for _, path := range c.hurtByEquality(del) {
			touch(path)
		}
		return
	}
	if path := referencedFile(del); path != "" {
		if c.byPath[path] || IsDV(del) && c.vectors[path] {
			touch(path)
		}
		return
	}
	for _, path := range c.byPlace[PartitionKey(del)] {
		if MayName(del, path) {
			touch(path)
		}
	}
}

// hurtByEquality are the data files of which an equality delete committed since
// the plan would be lost, or take rows that it does not apply to. It would do
// neither if it applies to the new files as to the old: they keep the plan's
// sequence number, and the delete is either of an unpartitioned spec, which
// applies everywhere, or of a partition that stays the same. A change of partition
// spec moves rows out of the delete's reach, or into it.
func (c *deleteCheck) hurtByEquality(del iceberg.DataFile) []string {
	global, here := c.unpartitioned(del.SpecID()), c.byPlace[PartitionKey(del)]
	switch {
	case c.r.Sequence == nil && global:
		return c.replaced(func(DataFileRef) bool { return true })
	case c.r.Sequence == nil:
		return here
	case global:
		return nil
	case c.sameSpec(del.SpecID()):
		here = nil
	}
	// Files of another spec whose rows may now be in the delete's partition.
	key := PartitionKey(del)
	if slices.ContainsFunc(c.r.Add, func(df iceberg.DataFile) bool { return PartitionKey(df) == key }) {
		here = append(here, c.replaced(func(f DataFileRef) bool { return f.SpecID != del.SpecID() })...)
	}
	return here
}

// replaced are the paths of replaced files that are wanted.
func (c *deleteCheck) replaced(wanted func(DataFileRef) bool) []string {
	var paths []string
	for _, f := range c.r.Data {
		if wanted(f) {
			paths = append(paths, f.Path)
		}
	}
	return paths
}

func (c *deleteCheck) sameSpec(id int32) bool {
	return !slices.ContainsFunc(c.r.Add, func(df iceberg.DataFile) bool { return df.SpecID() != id })
}

func (c *deleteCheck) unpartitioned(specID int32) bool {
	spec := c.meta.PartitionSpecByID(int(specID))
	return spec != nil && spec.IsUnpartitioned()
}

// referencedFile is the one data file that a position delete file or deletion
// vector applies to, told by its own field or by equal bounds of its file_path
// column, or empty (Java's ContentFileUtil.referencedDataFile).
func referencedFile(del iceberg.DataFile) string {
	if ref := del.ReferencedDataFile(); ref != nil {
		return *ref
	}
	lower, upper := del.LowerBoundValues()[filePathFieldID], del.UpperBoundValues()[filePathFieldID]
	if len(lower) > 0 && bytes.Equal(lower, upper) {
		return string(lower)
	}
	return ""
}

// MayName says whether the bounds of a position delete file's file_path column
// admit path.
func MayName(del iceberg.DataFile, path string) bool {
	lower, upper := del.LowerBoundValues()[filePathFieldID], del.UpperBoundValues()[filePathFieldID]
	return (lower == nil || bytes.Compare(lower, []byte(path)) <= 0) && (upper == nil || bytes.Compare(upper, []byte(path)) >= 0)
}

// ReferencedFile is the one data file that a delete file applies to: that of a
// position delete file or deletion vector, empty for an equality delete and for
// a position delete file that may apply to several.
func ReferencedFile(del iceberg.DataFile) string {
	if del.ContentType() != iceberg.EntryContentPosDeletes {
		return ""
	}
	return referencedFile(del)
}

// PartitionKey is equal for two files if and only if they have the same spec
// and partition values.
func PartitionKey(df iceberg.DataFile) string {
	return PartitionValuesKey(df.SpecID(), df.Partition())
}

// PartitionValuesKey is [PartitionKey] of a spec's id and partition values by
// field id.
func PartitionValuesKey(spec int32, values map[int]any) string {
	var b strings.Builder
	b.WriteString(strconv.Itoa(int(spec)))
	ids := make([]int, 0, len(values))
	for id, value := range values {
		// A value that is absent, such as that of a void transform, is null.
		if value != nil {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	for _, id := range ids {
		fmt.Fprintf(&b, "|%d:%s", id, valueKey(values[id]))
	}
	return b.String()
}

// valueKey tells partition values apart: floats by their bits, with one NaN.
func valueKey(v any) string {
	switch v := v.(type) {
	case float64:
		if math.IsNaN(v) {
			return "NaN"
		}
		return strconv.FormatUint(math.Float64bits(v), 16)
	case float32:
		if math.IsNaN(float64(v)) {
			return "NaN"
		}
		return strconv.FormatUint(uint64(math.Float32bits(v)), 16)
	case string:
		return strconv.Quote(v)
	case []byte:
		return strconv.Quote(string(v))
	}
	return fmt.Sprintf("%v", v)
}
