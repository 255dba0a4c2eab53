package maintenance

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/apache/iceberg-go/table"
)

// usedFiles is the set of files that a table refers to.
type usedFiles struct {
	fileSet
	rules     pathRules
	links     *linkDirs
	prefixes  map[string]uint32
	conflicts map[string]bool
}

// newUsedFiles makes a set that takes so many bytes of memory.
func newUsedFiles(rules pathRules, memory int64, scratch *scratchSpace) *usedFiles {
	return &usedFiles{fileSet: newFileSet(memory, scratch), rules: rules, links: newLinkDirs(), prefixes: map[string]uint32{}, conflicts: map[string]bool{}}
}

// referencedFiles are all files that the metadata of tables names: metadata and its
// log, the version hint, manifest lists, manifests and files of all snapshots
// there are, staged ones included, and statistics. What cannot be read is an
// error. The caller closes the set.
func referencedFiles(ctx context.Context, env Env, tables []*table.Table, rules pathRules) (_ *usedFiles, err error) {
	u := newUsedFiles(rules, env.Limits.memory()/4, newScratchSpace(env.Limits))
	defer func() {
		if err != nil {
			u.close()
		}
	}()
	for _, tbl := range tables {
		if err := u.addTable(ctx, env, tbl); err != nil {
			return nil, err
		}
	}
	u.finish()
	return u, nil
}

// addTable takes in the files of a table.
func (u *usedFiles) addTable(ctx context.Context, env Env, tbl *table.Table) error {
	own, err := metadataFiles(tbl)
	if err != nil {
		return err
	}
	store, err := tbl.FS(ctx)
	if err != nil {
		return err
	}
	r := &reach{env: env, store: store}
	manifests, err := r.manifests(ctx, tbl.Metadata().Snapshots(), false)
	if err != nil {
		return err
	}
	for _, m := range manifests {
		own = append(own, m.FilePath())
	}
	if err := u.addLocations(own); err != nil {
		return err
	}
	return r.read(ctx, "reading manifests", manifests, false, u.add)
}

// metadataFiles are the files that a table's metadata itself names, and those
// that say where it is.
func metadataFiles(tbl *table.Table) ([]string, error) {
	meta, at := tbl.Metadata(), tbl.MetadataLocation()
	files := []string{
		at, at[:strings.LastIndexByte(at, '/')+1] + "version-hint.text", strings.TrimRight(tbl.Location(), "/") + "/metadata/version-hint.text",
	}
	for entry := range meta.PreviousFiles() {
		files = append(files, entry.MetadataFile)
	}
	for s := range meta.Statistics() {
		files = append(files, s.StatisticsPath)
	}
	for s := range meta.PartitionStatistics() {
		files = append(files, s.StatisticsPath)
	}
	for _, s := range meta.Snapshots() {
		if s.ManifestList == "" {
			return nil, fmt.Errorf("%w: snapshot %d has no manifest list, and its files cannot be told", ErrUnsupported, s.SnapshotID)
		}
		files = append(files, s.ManifestList)
	}
	return files, nil
}

// addLocations takes in files by their locations.
func (u *usedFiles) addLocations(locations []string) error {
	files := make([]liveFile, 0, len(locations))
	for _, location := range locations {
		if location != "" {
			slash := strings.LastIndexByte(location, '/') + 1
			files = append(files, liveFile{folder: location[:slash], name: []byte(location[slash:])})
		}
	}
	return u.add(files)
}

// add takes in files. It may be called from several goroutines.
func (u *usedFiles) add(files []liveFile) error {
	type hashed struct {
		prefix string
		path   uint64
	}
	all := make([]hashed, 0, len(files))
	s := speller{u: u}
	for _, f := range files {
		prefix, hashes := s.hash(f.folder, f.name)
		for _, h := range hashes {
			all = append(all, hashed{prefix, h})
		}
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	for _, h := range all {
		id, ok := u.prefixes[h.prefix]
		if !ok {
			id = uint32(len(u.prefixes))
			u.prefixes[h.prefix] = id
		}
		if err := u.fileSet.add(setFile{h.path, id}); err != nil {
			return err
		}
	}
	return nil
}

// conflict is the error for files referenced under other prefixes.
func (u *usedFiles) conflict() error {
	if u.rules.mismatch != "error" || len(u.conflicts) == 0 {
		return nil
	}
	return fmt.Errorf("%w: files listed under %s are referenced under %s: say which are equal with %q or %q, or set %q to ignore, or to delete if they are certainly different files",
		ErrRefused, strings.Join(slices.Sorted(maps.Keys(u.conflicts)), ", "), strings.Join(slices.Sorted(maps.Keys(u.prefixes)), ", "), "equal_schemes", "equal_authorities", "prefix_mismatch_mode")
}
