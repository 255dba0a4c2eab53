package rewrite

import (
	"context"
	"crypto/sha256"
	"fmt"

	"github.com/apache/iceberg-go"
	iceio "github.com/apache/iceberg-go/io"
	"github.com/apache/iceberg-go/table"

	"github.com/firndb/firn/maintenance"
	"github.com/firndb/firn/maintenance/datafile"
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

// settle looks at which data files the groups' deletes are about. It sets how many
// files each group becomes, and leaves alone groups that are as their rewriting
// would leave them: each file is about a live data file of its own. Java would
// rewrite them with every run.
func (p *DeletePlan) settle(ctx context.Context, fs iceio.IO, head *table.Snapshot) error {
	if len(p.Groups) == 0 {
		return nil
	}
	var err error
	if p.live, err = readLive(ctx, fs, head); err != nil {
		return err
	}
	var groups []DeleteGroup
	for _, g := range p.Groups {
		targets, err := p.targets(ctx, fs, g)
		if err != nil {
			return err
		}
		if !p.Options.RewriteAll && targets == len(g.Files) && p.mayBeSettled(g) {
			p.skip(g.Files, "each file is about a live data file of its own")
			continue
		}
		g.OutputFiles = int64(targets)
		if byPartition := !p.byFile && p.table.Metadata().Version() < 3; byPartition && targets > 0 {
			g.OutputFiles = p.Options.expectedOutputFiles(g.Bytes)
		}
		groups = append(groups, g)
	}
	p.Groups = groups
	return nil
}

// targets is how many live data files the deletes of a group are about.
func (p *DeletePlan) targets(ctx context.Context, fs iceio.IO, g DeleteGroup) (int, error) {
	seen := map[pathDigest]bool{}
	for _, f := range g.Files {
		err := datafile.Targets(ctx, fs, p.table.Metadata(), f.File, func(path string) {
			if p.live.reached(path, f.Sequence) {
				seen[digest(path)] = true
			}
		})
		if err != nil {
			return 0, err
		}
	}
	return len(seen), nil
}

// mayBeSettled says whether each file of a group is about a data file of its own,
// and none is so large that it would be cut.
func (p *DeletePlan) mayBeSettled(g DeleteGroup) bool {
	seen := map[string]bool{}
	for _, f := range g.Files {
		path := maintenance.ReferencedFile(f.File)
		if path == "" || seen[path] || f.Size() > p.Options.MaxFileSize {
			return false
		}
		seen[path] = true
	}
	return p.byFile && p.table.Metadata().Version() < 3
}
