package maintenance

import (
	"cmp"
	"context"
	"fmt"
	"hash/maphash"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/apache/iceberg-go"
	"github.com/apache/iceberg-go/table"
)

// pathRules say when two spellings mean one file.
type pathRules struct {
	schemes, authorities map[string]string
	mismatch             string
}

func newPathRules(o OrphanOptions) (pathRules, error) {
	r := pathRules{schemes: flatten(o.EqualSchemes), authorities: flatten(o.EqualAuthorities), mismatch: strings.ToLower(o.Mismatch)}
	for _, s3 := range []string{"s3a", "s3n"} {
		if _, ok := r.schemes[s3]; !ok {
			r.schemes[s3] = "s3"
		}
	}
	if r.mismatch == "" {
		r.mismatch = "error"
	}
	if !slices.Contains([]string{"error", "ignore", "delete"}, r.mismatch) {
		return r, fmt.Errorf("%w: %q must be error, ignore or delete, got %q", ErrInvalid, "prefix_mismatch_mode", o.Mismatch)
	}
	return r, nil
}

// flatten takes apart keys with commas.
func flatten(m map[string]string) map[string]string {
	flat := map[string]string{}
	for keys, value := range m {
		for key := range strings.SplitSeq(keys, ",") {
			flat[strings.TrimSpace(key)] = strings.TrimSpace(value)
		}
	}
	return flat
}

// split takes a location apart as text: what stands before the path, with equal
// schemes and authorities made one, and the path without repeated slashes.
func (r pathRules) split(location string) (prefix, path string) {
	scheme, authority := "file", ""
	if before, rest, ok := strings.Cut(location, "://"); ok {
		scheme = before
		authority, path, _ = strings.Cut(rest, "/")
	} else if before, rest, ok := strings.Cut(location, ":/"); ok && !strings.Contains(before, "/") {
		scheme, path = before, rest
	} else {
		path = location
	}
	if same, ok := r.schemes[scheme]; ok {
		scheme = same
	}
	if same, ok := r.authorities[authority]; ok {
		authority = same
	}
	parts := slices.DeleteFunc(strings.Split(path, "/"), func(part string) bool { return part == "" })
	return scheme + "://" + authority, "/" + strings.Join(parts, "/")
}

// usedFiles is a set of files by the hashes of their paths, 16 bytes each. Two
// paths of one hash can only keep a file that could go.
type usedFiles struct {
	rules pathRules
	seed  maphash.Seed
	most  int

	mu        sync.Mutex
	files     []usedFile
	prefixes  map[string]uint32
	conflicts map[string]bool
	links     linkDirs
}

func newUsedFiles(rules pathRules, most int) *usedFiles {
	return &usedFiles{rules: rules, seed: maphash.MakeSeed(), most: most, prefixes: map[string]uint32{}, conflicts: map[string]bool{}, links: linkDirs{}}
}

type usedFile struct {
	path   uint64
	prefix uint32
}

func compareUsed(a, b usedFile) int {
	return cmp.Or(cmp.Compare(a.path, b.path), cmp.Compare(a.prefix, b.prefix))
}

// referencedFiles are all files that a table's metadata names: metadata and its
// log, the version hint, manifest lists, manifests and files of all snapshots
// there are, staged ones included, and statistics. What cannot be read is an error.
func referencedFiles(ctx context.Context, env Env, tbl *table.Table, rules pathRules) (*usedFiles, error) {
	memory := env.Limits.MemoryBytes
	if memory <= 0 {
		memory = DefaultLimits().MemoryBytes
	}
	u := newUsedFiles(rules, int(memory/16))
	meta := tbl.Metadata()
	u.add(tbl.MetadataLocation())
	at := tbl.MetadataLocation()
	u.add(at[:strings.LastIndexByte(at, '/')+1] + "version-hint.text")
	u.add(strings.TrimRight(tbl.Location(), "/") + "/metadata/version-hint.text")
	for entry := range meta.PreviousFiles() {
		u.add(entry.MetadataFile)
	}
	for s := range meta.Statistics() {
		u.add(s.StatisticsPath)
	}
	for s := range meta.PartitionStatistics() {
		u.add(s.StatisticsPath)
	}
	for _, s := range meta.Snapshots() {
		if s.ManifestList == "" {
			return nil, fmt.Errorf("%w: snapshot %d has no manifest list, and its files cannot be told", ErrUnsupported, s.SnapshotID)
		}
		u.add(s.ManifestList)
	}
	store, err := tbl.FS(ctx)
	if err != nil {
		return nil, err
	}
	r := &reach{env: env, store: store}
	manifests, err := r.manifests(ctx, meta.Snapshots(), false)
	if err != nil {
		return nil, err
	}
	for _, m := range manifests {
		u.add(m.FilePath())
	}
	if err := r.read(ctx, "reading manifests", manifests, false, func(df iceberg.DataFile) { u.add(df.FilePath()) }); err != nil {
		return nil, err
	}
	u.compact()
	if len(u.files) > u.most {
		return nil, fmt.Errorf("%w: telling the table's %d files apart needs %d bytes of memory, %d more than the limit", ErrRefused, len(u.files), 16*len(u.files), 16*(len(u.files)-u.most))
	}
	return u, nil
}

func (u *usedFiles) add(location string) {
	if location == "" {
		return
	}
	prefix, path := u.rules.split(location)
	u.mu.Lock()
	defer u.mu.Unlock()
	id, ok := u.prefixes[prefix]
	if !ok {
		id = uint32(len(u.prefixes))
		u.prefixes[prefix] = id
	}
	u.files = append(u.files, usedFile{maphash.String(u.seed, path), id})
	if local, ok := decoded(location); ok {
		for _, other := range []string{local, u.links.real(path), u.links.real(local)} {
			if other != path {
				u.files = append(u.files, usedFile{maphash.String(u.seed, other), id})
			}
		}
	}
	if n := len(u.files); n == cap(u.files) && n > 1<<16 {
		u.compact()
	}
}

// compact sorts the set and drops repetitions.
func (u *usedFiles) compact() {
	slices.SortFunc(u.files, compareUsed)
	u.files = slices.Compact(u.files)
}

// orphan says whether nothing refers to a listed file. One that is referenced
// under another prefix is none, unless the rules say so, and noted as a conflict.
func (u *usedFiles) orphan(location string) bool {
	prefix, path := u.rules.split(location)
	same, other := u.find(prefix, path)
	if isLocal(location) && !same {
		var through bool
		same, through = u.find(prefix, u.links.real(path))
		other = other || through
	}
	if same {
		return false
	}
	if !other || u.rules.mismatch == "delete" {
		return true
	}
	u.conflicts[prefix] = true
	return false
}

// find says whether a path is referenced under its prefix, and whether under
// another.
func (u *usedFiles) find(prefix, path string) (same, other bool) {
	hash := maphash.String(u.seed, path)
	id, known := u.prefixes[prefix]
	i, _ := slices.BinarySearchFunc(u.files, usedFile{path: hash}, compareUsed)
	for ; i < len(u.files) && u.files[i].path == hash; i++ {
		if known && u.files[i].prefix == id {
			same = true
		} else {
			other = true
		}
	}
	return same, other
}

// conflict is the error for files referenced under other prefixes.
func (u *usedFiles) conflict() error {
	if u.rules.mismatch != "error" || len(u.conflicts) == 0 {
		return nil
	}
	return fmt.Errorf("%w: files listed under %s are referenced under %s: say which are equal with %q or %q, or set %q to ignore, or to delete if they are certainly different files",
		ErrRefused, strings.Join(slices.Sorted(maps.Keys(u.conflicts)), ", "), strings.Join(slices.Sorted(maps.Keys(u.prefixes)), ", "), "equal_schemes", "equal_authorities", "prefix_mismatch_mode")
}
