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
	removeQuietly(ctx, env, committed, gone, "metadata files that the log no longer names")
}

// removeQuietly removes files that nothing needs and says whether all are gone. It
// goes on when ctx is cancelled, and a failure is a warning: the files take space,
// no more. what says what they are.
func removeQuietly(ctx context.Context, env Env, tbl *table.Table, paths []string, what string) bool {
	if len(paths) == 0 {
		return true
	}
	ctx = context.WithoutCancel(ctx)
	fs, err := tbl.FS(ctx)
	if err != nil {
		env.Logger().Warn("files were not deleted", "what", what, "paths", paths, "error", err)
		return false
	}
	failed := env.removeFiles(ctx, fs, paths, env.Limits.removals()).Failed
	env.warnFailed(failed, what)
	return len(failed) == 0
}
