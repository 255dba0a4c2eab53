package maintenance

import (
	"context"

	"github.com/apache/iceberg-go/table"
)

// pruneMetadata removes the metadata files that dropped out of the table's
// metadata log with a commit, if write.metadata.delete-after-commit.enabled is
// set. Only files that the log named are touched, as in Java's
// CatalogUtil.deleteRemovedMetadataFiles; failing to remove one is logged.
func pruneMetadata(ctx context.Context, env Env, base, committed *table.Table) {
	if !committed.Properties().GetBool(table.MetadataDeleteAfterCommitEnabledKey, table.MetadataDeleteAfterCommitEnabledDefault) {
		return
	}
	kept := map[string]bool{committed.MetadataLocation(): true, base.MetadataLocation(): true}
	for entry := range committed.Metadata().PreviousFiles() {
		kept[entry.MetadataFile] = true
	}
	var gone []string
	for entry := range base.Metadata().PreviousFiles() {
		if !kept[entry.MetadataFile] {
			gone = append(gone, entry.MetadataFile)
		}
	}
	removeQuietly(ctx, env, committed, gone, "old metadata file was not removed")
}

// removeQuietly removes files that nothing needs. It goes on when ctx is
// cancelled, and a failure is only logged: the files take space, no more.
func removeQuietly(ctx context.Context, env Env, tbl *table.Table, paths []string, message string) {
	if len(paths) == 0 {
		return
	}
	ctx = context.WithoutCancel(ctx)
	fs, err := tbl.FS(ctx)
	if err != nil {
		env.log().Warn(message, "paths", paths, "error", err)
		return
	}
	for _, f := range RemoveFiles(ctx, fs, paths, env.Limits.removals()).Failed {
		env.log().Warn(message, "path", f.Path, "error", f.Err)
	}
}
