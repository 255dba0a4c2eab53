package maintenance

import (
	"context"
	"slices"

	"github.com/apache/iceberg-go"
	"github.com/apache/iceberg-go/table"

	"github.com/firndb/firn/maintenance/internal/binpack"
)

// The defaults of Java's TableProperties; iceberg-go's own default does not
// merge.
const (
	mergeEnabledDefault   = true
	mergeMinCountDefault  = table.ManifestMinMergeCountDefault
	mergeTargetBytes      = table.ManifestTargetSizeBytesDefault
	manifestTargetSizeKey = table.ManifestTargetSizeBytesKey
)

// mergeManifests puts small manifests of one spec and content together, up to
// commit.manifest.target-size-bytes each. The bin with the newest manifest is
// left alone until it has commit.manifest.min-count-to-merge manifests, so that
// most commits merge nothing (Java's ManifestMergeManager). It returns how many
// of the parent's manifests were merged into others.
func (d *snapshotDraft) mergeManifests(ctx context.Context, manifests []iceberg.ManifestFile) (merged []iceberg.ManifestFile, replaced int, err error) {
	props := d.meta.Properties()
	if len(manifests) == 0 || !props.GetBool(table.ManifestMergeEnabledKey, mergeEnabledDefault) {
		return manifests, 0, nil
	}
	first := manifests[0]
	minCount := props.GetInt(table.ManifestMinMergeCountKey, mergeMinCountDefault)
	target := int64(props.GetInt(manifestTargetSizeKey, mergeTargetBytes))
	for _, group := range bySpec(manifests) {
		for _, bin := range binpack.PackEnd(group, target, iceberg.ManifestFile.Length) {
			if len(bin) == 1 || (slices.Contains(bin, first) && len(bin) < minCount) {
				merged = append(merged, bin...)
				continue
			}
			m, err := d.mergeBin(ctx, bin)
			if err != nil {
				return nil, 0, err
			}
			merged = append(merged, m)
			for _, old := range bin {
				if old.SnapshotID() != d.id {
					replaced++
				} else {
					d.drop(old.FilePath())
				}
			}
		}
	}
	return merged, replaced, nil
}

// bySpec groups manifests by their partition spec, the newest spec first.
func bySpec(manifests []iceberg.ManifestFile) [][]iceberg.ManifestFile {
	groups := map[int32][]iceberg.ManifestFile{}
	var ids []int32
	for _, m := range manifests {
		id := m.PartitionSpecID()
		if groups[id] == nil {
			ids = append(ids, id)
		}
		groups[id] = append(groups[id], m)
	}
	slices.Sort(ids)
	slices.Reverse(ids)
	out := make([][]iceberg.ManifestFile, len(ids))
	for i, id := range ids {
		out[i] = groups[id]
	}
	return out
}

// mergeBin writes the entries of several manifests into one. Files added and
// deleted by the new snapshot stay so; what older snapshots deleted is left out.
func (d *snapshotDraft) mergeBin(ctx context.Context, bin []iceberg.ManifestFile) (iceberg.ManifestFile, error) {
	w, err := d.copyOf(bin[0])
	if err != nil {
		return nil, err
	}
	for _, m := range bin {
		err = allEntries(ctx, d.fs, m, true, func(e iceberg.ManifestEntry) (bool, error) {
			ours := e.SnapshotID() == d.id
			switch {
			case e.Status() == iceberg.EntryStatusDELETED && ours:
				return false, w.Delete(e)
			case e.Status() == iceberg.EntryStatusDELETED:
				return false, nil
			case e.Status() == iceberg.EntryStatusADDED && ours:
				return false, w.Add(e)
			}
			return false, w.Existing(e)
		})
		if err != nil {
			break
		}
	}
	return w.finish(err)
}
