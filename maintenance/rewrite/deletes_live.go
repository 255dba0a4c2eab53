package rewrite

import (
	"context"
	"crypto/sha256"
	"fmt"
	"slices"

	"github.com/apache/iceberg-go"
	iceio "github.com/apache/iceberg-go/io"
	"github.com/apache/iceberg-go/table"

	"github.com/firndb/firn/maintenance"
)

// liveFiles are the data files of a snapshot: their data sequence numbers by a
// digest of their paths, which takes a fraction of the memory.
type liveFiles map[pathDigest]int64

type pathDigest [16]byte

func digest(path string) pathDigest {
	sum := sha256.Sum256([]byte(path))
	return pathDigest(sum[:16])
}

// readLive lists the data files of a snapshot.
func readLive(ctx context.Context, fs iceio.IO, head *table.Snapshot) (liveFiles, error) {
	manifests, err := head.Manifests(fs)
	if err != nil {
		return nil, fmt.Errorf("read manifest list %q: %w", head.ManifestList, err)
	}
	live := liveFiles{}
	err = maintenance.LiveEntries(ctx, fs, manifests, iceberg.ManifestContentData, false, func(e iceberg.ManifestEntry) error {
		key := digest(e.DataFile().FilePath())
		if seq, ok := live[key]; !ok || e.SequenceNum() < seq {
			live[key] = e.SequenceNum()
		}
		return nil
	})
	return live, err
}

// reached says whether a position delete of that sequence number applies to a
// data file: whether the file is live and not newer. A position for which that is
// not so dangles.
func (l liveFiles) reached(path string, sequence int64) bool {
	seq, ok := l[digest(path)]
	return ok && seq <= sequence
}

// skipSettled leaves alone groups that are as their rewriting would leave them:
// each file is about a live data file of its own. Java would rewrite them with
// every run.
func (p *DeletePlan) skipSettled(ctx context.Context, fs iceio.IO, head *table.Snapshot) error {
	if p.Options.RewriteAll || !p.byFile || !slices.ContainsFunc(p.Groups, p.mayBeSettled) {
		return nil
	}
	live, err := readLive(ctx, fs, head)
	if err != nil {
		return err
	}
	p.Groups = slices.DeleteFunc(p.Groups, func(g DeleteGroup) bool {
		dangles := func(f DeleteFile) bool { return !live.reached(maintenance.ReferencedFile(f.File), f.Sequence) }
		if !p.mayBeSettled(g) || slices.ContainsFunc(g.Files, dangles) {
			return false
		}
		p.skip(g.Files, "each file is about a live data file of its own")
		return true
	})
	return nil
}

// mayBeSettled says whether each file of a group is about a data file of its own,
// and none is so large that it would be cut.
func (p *DeletePlan) mayBeSettled(g DeleteGroup) bool {
	seen := map[string]bool{}
	for _, f := range g.Files {
		path := maintenance.ReferencedFile(f.File)
		// A vector is there to be joined with other files.
		if path == "" || seen[path] || maintenance.IsDV(f.File) || f.Size() > p.Options.MaxFileSize {
			return false
		}
		seen[path] = true
	}
	return p.table.Metadata().Version() < 3
}
