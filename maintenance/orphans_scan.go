package maintenance

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	iceio "github.com/apache/iceberg-go/io"
	"github.com/apache/iceberg-go/table"
	"github.com/klauspost/compress/zstd"

	"github.com/firndb/firn/catalog"
	"github.com/firndb/firn/maintenance/journal"
)

// statFunc tells the length of a file and when it was last modified.
type statFunc = func() (bytes int64, modified time.Time, err error)

// orphanScan looks at the files below a plan's location.
type orphanScan struct {
	env  Env
	plan *Orphans
	// tables are those whose files stay, first the one the plan is of.
	tables []*table.Table
	used   *usedFiles
	live   journal.Names
	found  *orphanList
	store  iceio.IO
	// partitions begin the names of folders that are no hidden ones.
	partitions []string

	// waiting are candidates that are asked for together, if that costs reading.
	waiting gathering[candidate]
	seen    atomic.Int64
	spared  atomic.Int64
}

func (s *orphanScan) run(ctx context.Context) (err error) {
	if s.store, err = s.tables[0].FS(ctx); err != nil {
		return err
	}
	if s.used.spilled() {
		s.waiting.most = int(s.env.Limits.memory() / 4 / (2 * candidateBytes))
	}
	if s.plan.Options.List != nil {
		err = s.listed(ctx)
	} else {
		err = s.list(ctx)
	}
	if err != nil {
		return err
	}
	return s.judge(ctx, s.waiting.items)
}

// list looks at what is there.
func (s *orphanScan) list(ctx context.Context) error {
	for _, tbl := range s.tables {
		for _, spec := range tbl.Metadata().PartitionSpecs() {
			for i := range spec.NumFields() {
				s.partitions = append(s.partitions, spec.Field(i).Name+"=")
			}
		}
	}
	how := catalog.Listing{Hidden: s.hidden, Parallel: s.env.Limits.reads(), Wait: s.env.wait}
	err := catalog.List(ctx, s.store, s.plan.Location, how, func(objects []catalog.Object) error {
		return s.take(ctx, s.candidates(objects))
	})
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%w: %q must be there: %w", ErrInvalid, "location", err)
	case errors.Is(err, errors.ErrUnsupported):
		return fmt.Errorf("%w: %w", ErrUnsupported, err)
	case err != nil:
		return fmt.Errorf("list %q: %w", s.plan.Location, err)
	}
	return nil
}

// candidates are the objects of a listing of the location, of which many are in one
// folder.
func (s *orphanScan) candidates(objects []catalog.Object) []candidate {
	all := make([]candidate, len(objects))
	var below, folder string
	for i, o := range objects {
		slash := strings.LastIndexByte(o.Below, '/') + 1
		if i == 0 || o.Below[:slash] != below {
			below = o.Below[:slash]
			folder = s.plan.Location + "/" + below
		}
		all[i] = candidate{folder, o.Below[slash:], o.Stat}
	}
	return all
}

// listed looks at the files of a list that are below the location, by the text of
// their names (Java's DeleteOrphanFilesSparkAction.filteredCompareToFileList).
func (s *orphanScan) listed(ctx context.Context) error {
	const batch = 1024
	var candidates []candidate
	err := s.plan.Options.List(ctx, func(path string, modified time.Time) error {
		if !strings.HasPrefix(path, s.plan.Location+"/") {
			return nil
		}
		if below := path[len(s.plan.Location):] + "/"; strings.Contains(below, "/../") || strings.Contains(below, "/./") {
			return fmt.Errorf("%w: %q must list files without . and .. in their paths, got %q", ErrInvalid, "file_list_view", path)
		}
		candidates = append(candidates, newCandidate(path, func() (int64, time.Time, error) { return 0, modified, nil }))
		if len(candidates) < batch {
			return nil
		}
		full := candidates
		candidates = nil
		return s.take(ctx, full)
	})
	if err != nil {
		return err
	}
	return s.take(ctx, candidates)
}

// candidateBytes is about what a candidate that waits takes; twice as much with
// the questions about it.
const candidateBytes = 250

// take looks at candidates, now or with others. It may be called from several
// goroutines.
func (s *orphanScan) take(ctx context.Context, candidates []candidate) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	seen := int(s.seen.Add(int64(len(candidates))))
	s.env.Report(Update{Phase: "comparing files", Done: seen, Total: seen})
	return s.waiting.add(candidates, func(all []candidate) error { return s.judge(ctx, all) })
}

// judge looks for orphans among candidates. A file of unknown age stays.
func (s *orphanScan) judge(ctx context.Context, candidates []candidate) error {
	free, err := s.used.orphans(candidates)
	if err != nil {
		return err
	}
	var files []OrphanFile
	for _, c := range free {
		path := c.path()
		if isMetadata(path) {
			if err := s.checkOwner(ctx, path); err != nil {
				return err
			}
		}
		bytes, modified, err := c.stat()
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return err
		}
		if modified.UnixMilli() <= 0 || !modified.Before(s.plan.OlderThan) {
			continue
		}
		if s.live.In(path) {
			s.spared.Add(1)
			continue
		}
		files = append(files, OrphanFile{Path: path, Bytes: bytes})
	}
	return s.found.add(files)
}

// hidden says whether a name is passed over (Java's
// PartitionAwareHiddenPathFilter).
func (s *orphanScan) hidden(name string) bool {
	if !strings.HasPrefix(name, "_") && !strings.HasPrefix(name, ".") {
		return false
	}
	return !slices.ContainsFunc(s.partitions, func(p string) bool { return strings.HasPrefix(name, p) })
}

func isMetadata(name string) bool {
	return strings.HasSuffix(strings.TrimSuffix(name, ".gz"), ".metadata.json")
}

// checkOwner refuses a metadata file that is another table's or may be: one that
// cannot be read or has no uuid. What is no JSON is no table's.
func (s *orphanScan) checkOwner(ctx context.Context, path string) error {
	content, err := readAll(ctx, s.store, exact(path))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("%w: whose the metadata file %q is cannot be told: %w", ErrRefused, path, err)
	}
	var owner struct {
		UUID string `json:"table-uuid"`
	}
	if !json.Valid(content) {
		return nil
	}
	err = json.Unmarshal(content, &owner)
	if err != nil || !slices.ContainsFunc(s.tables, func(tbl *table.Table) bool { return strings.EqualFold(owner.UUID, tbl.Metadata().TableUUID().String()) }) {
		return fmt.Errorf("%w: %q is the metadata of another table or view (uuid %q), whose files would go: choose a %q that is this table's alone", ErrRefused, path, owner.UUID, "location")
	}
	return nil
}

// readAll reads a file, unpacked if it is packed by gzip or zstd.
func readAll(ctx context.Context, store iceio.IO, path string) ([]byte, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	f, err := store.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	content, err := io.ReadAll(f)
	switch {
	case err != nil:
		return nil, err
	case bytes.HasPrefix(content, []byte{0x1f, 0x8b}):
		packed, err := gzip.NewReader(bytes.NewReader(content))
		if err != nil {
			return nil, err
		}
		return io.ReadAll(packed)
	case bytes.HasPrefix(content, []byte{0x28, 0xb5, 0x2f, 0xfd}):
		packed, err := zstd.NewReader(nil)
		if err != nil {
			return nil, err
		}
		defer packed.Close()
		return packed.DecodeAll(content, nil)
	}
	return content, nil
}
