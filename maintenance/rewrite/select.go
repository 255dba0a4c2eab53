package rewrite

import (
	"cmp"
	"fmt"
	"slices"
)

// What is here holds for data files and delete files alike (Java's
// SizeBasedFileRewritePlanner).

func (o Options) wrongSize(size int64) bool { return size < o.MinFileSize || size > o.MaxFileSize }

// rightSize says why a file is left alone.
func (o Options) rightSize(size int64) string {
	return fmt.Sprintf("%d bytes is between %s %d and %s %d", size, OptionMinFileSize, o.MinFileSize, OptionMaxFileSize, o.MaxFileSize)
}

// worthBySize says whether so many files of size bytes together are rewritten,
// and why or why not.
func (o Options) worthBySize(files int, size int64) (reason string, ok bool) {
	switch {
	case o.RewriteAll:
		return OptionRewriteAll, true
	case files > 1 && files >= int(o.MinInputFiles):
		return fmt.Sprintf("%d files, %s is %d", files, OptionMinInputFiles, o.MinInputFiles), true
	case files > 1 && size > o.TargetFileSize:
		return fmt.Sprintf("%d bytes fill more than a file of %s %d", size, OptionTargetFileSize, o.TargetFileSize), true
	case size > o.MaxFileSize:
		return fmt.Sprintf("%d bytes are more than %s %d", size, OptionMaxFileSize, o.MaxFileSize), true
	}
	return fmt.Sprintf("only %d files of %d bytes together: fewer than %s %d and not more than %s %d",
		files, size, OptionMinInputFiles, o.MinInputFiles, OptionTargetFileSize, o.TargetFileSize), false
}

// sortGroups puts groups in the order in which they are rewritten; those that
// compare equal stay as planned.
func sortGroups[G any](groups []G, order JobOrder, of func(G) (bytes int64, files int)) {
	slices.SortStableFunc(groups, func(a, b G) int {
		aBytes, aFiles := of(a)
		bBytes, bFiles := of(b)
		switch order {
		case OrderBytesAsc:
			return cmp.Compare(aBytes, bBytes)
		case OrderBytesDesc:
			return cmp.Compare(bBytes, aBytes)
		case OrderFilesAsc:
			return cmp.Compare(aFiles, bFiles)
		case OrderFilesDesc:
			return cmp.Compare(bFiles, aFiles)
		}
		return 0
	})
}

// groupsPerCommit is how many of so many groups make a commit when they are
// finished.
func (o Options) groupsPerCommit(groups int) int {
	if !o.PartialProgress {
		return max(1, groups)
	}
	commits := int(o.MaxCommits)
	return max(1, (groups+commits-1)/commits)
}

// commits is how many commits so many groups are spread over.
func (o Options) commits(groups int) int {
	per := o.groupsPerCommit(groups)
	return (groups + per - 1) / per
}
