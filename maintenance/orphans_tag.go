package maintenance

import (
	"context"
	"errors"
	"fmt"

	"github.com/apache/iceberg-go/table"
	"golang.org/x/sync/errgroup"

	"github.com/firndb/firn/catalog"
	"github.com/firndb/firn/guard"
)

// OrphanTag and OrphanTagValue are the tag of orphan files that are tagged in place
// of deleted. A rule of S3 selects objects by both, so that the value must not differ
// from one call to the next.
const (
	OrphanTag      = "firn-orphan"
	OrphanTagValue = "true"
)

// checkTags refuses to tag files of a store that has no tags.
func (p *Orphans) checkTags(ctx context.Context, tbl *table.Table) error {
	if !p.Options.Tag {
		return nil
	}
	store, err := tbl.FS(ctx)
	if err == nil && catalog.TaggerOf(store) == nil {
		err = fmt.Errorf("%w: %q can be tag where objects have tags, in S3; %q is not there", ErrUnsupported, "mode", p.Location)
	}
	return err
}

// done is what is done to the files.
func (p *Orphans) done() string {
	if p.Options.Tag {
		return taggedFiles
	}
	return deletedFiles
}

// tagFiles gives files the tag of orphans, several at once; those that have it are
// left as they are. As Removed are those that have it now, or are not there. The
// error wraps ErrUnsupported if the store knows no tags.
func (e Env) tagFiles(ctx context.Context, tagger *catalog.Tagger, paths []string, concurrency int) (Removal, error) {
	paths = distinct(paths)
	errs := make([]error, len(paths))
	group, gctx := errgroup.WithContext(ctx)
	group.SetLimit(concurrency)
	for i, path := range paths {
		guard.Go(group, func() error {
			errs[i] = e.patiently(gctx, path, func() error {
				if err := gctx.Err(); err != nil {
					return err
				}
				return tagger.Tag(gctx, path, OrphanTag, OrphanTagValue)
			})
			if errors.Is(errs[i], errors.ErrUnsupported) {
				return fmt.Errorf("%w: the store does not know tags: %w", ErrUnsupported, errs[i])
			}
			return nil
		})
	}
	err := group.Wait()
	return newRemoval(paths, errs), err
}
