package maintenance

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"

	iceio "github.com/apache/iceberg-go/io"
	"github.com/apache/iceberg-go/table"

	"github.com/firndb/firn/catalog"
)

// orphanScan lists the files below a plan's location.
type orphanScan struct {
	plan  *Orphans
	tbl   *table.Table
	used  *usedFiles
	store iceio.IO
	// partitions begin the names of folders that are no hidden ones.
	partitions []string
}

func (s *orphanScan) run(ctx context.Context) (err error) {
	if s.store, err = s.tbl.FS(ctx); err != nil {
		return err
	}
	lister, ok := s.store.(iceio.ListableIO)
	if !ok {
		return fmt.Errorf("%w: the file system of the table cannot list %q", ErrUnsupported, s.plan.Location)
	}
	for _, spec := range s.tbl.Metadata().PartitionSpecs() {
		for i := range spec.NumFields() {
			s.partitions = append(s.partitions, spec.Field(i).Name+"=")
		}
	}
	root := strings.Trim(pathOf(s.plan.Location), "/")
	err = lister.WalkDir(s.plan.Location, func(path string, d fs.DirEntry, err error) error {
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return err
		}
		below, ok := strings.CutPrefix(strings.TrimLeft(pathOf(path), "/"), root+"/")
		if !ok || below == "" || strings.HasSuffix(below, "/") {
			return nil // the place itself, or an object that stands for a folder
		}
		if s.hidden(below[strings.LastIndexByte(below, '/')+1:]) {
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		if d.IsDir() || d.Type()&(fs.ModeSymlink|fs.ModeDevice|fs.ModeNamedPipe|fs.ModeSocket) != 0 {
			return nil
		}
		return s.file(ctx, s.plan.Location+"/"+below, d)
	})
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%w: %q must be there: %w", ErrInvalid, "location", err)
	}
	if err != nil {
		return fmt.Errorf("list %q: %w", s.plan.Location, err)
	}
	slices.SortFunc(s.plan.Files, func(a, b OrphanFile) int { return cmp.Compare(a.Path, b.Path) })
	return nil
}

// pathOf is a location without scheme and authority.
func pathOf(location string) string {
	if _, rest, ok := strings.Cut(location, "://"); ok {
		_, path, _ := strings.Cut(rest, "/")
		return path
	}
	return strings.TrimPrefix(location, "file:")
}

// hidden says whether a name is passed over (Java's
// PartitionAwareHiddenPathFilter).
func (s *orphanScan) hidden(name string) bool {
	if !strings.HasPrefix(name, "_") && !strings.HasPrefix(name, ".") {
		return false
	}
	return !slices.ContainsFunc(s.partitions, func(p string) bool { return strings.HasPrefix(name, p) })
}

// file looks at one file. A file of unknown age stays.
func (s *orphanScan) file(ctx context.Context, path string, d fs.DirEntry) error {
	if !s.used.orphan(path) {
		return nil
	}
	if isMetadata(d.Name()) {
		if err := s.checkOwner(ctx, path); err != nil {
			return err
		}
	}
	info, err := d.Info()
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if at := info.ModTime(); at.UnixMilli() > 0 && at.Before(s.plan.OlderThan) {
		s.plan.Files = append(s.plan.Files, OrphanFile{Path: path, Bytes: info.Size()})
	}
	return nil
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
	if err := json.Unmarshal(content, &owner); err != nil || !strings.EqualFold(owner.UUID, s.tbl.Metadata().TableUUID().String()) {
		return fmt.Errorf("%w: %q is the metadata of another table or view (uuid %q), whose files would go: choose a %q that is this table's alone", ErrRefused, path, owner.UUID, "location")
	}
	return nil
}

// readAll reads a file, unpacked if it is packed by gzip.
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
	if err != nil || !bytes.HasPrefix(content, []byte{0x1f, 0x8b}) {
		return content, err
	}
	packed, err := gzip.NewReader(bytes.NewReader(content))
	if err != nil {
		return nil, err
	}
	return io.ReadAll(packed)
}

// places are the locations where a table's properties put files.
func places(tbl *table.Table) []string {
	all := []string{tbl.Location()}
	for _, key := range []string{table.WriteDataPathKey, table.WriteMetadataPathKey, "write.object-storage.path", "write.folder-storage.path"} {
		if place := tbl.Properties()[key]; place != "" {
			all = append(all, place)
		}
	}
	return all
}

// checkNeighbours refuses a location that lies within, around or at a place of
// another table of the catalog.
func checkNeighbours(ctx context.Context, env Env, tbl *table.Table, location string, rules pathRules) error {
	here := rules.spellings(location)
	namespaces, err := env.Catalog.Namespaces(ctx)
	if err != nil {
		return fmt.Errorf("look for other tables below %q: %w", location, err)
	}
	for _, namespace := range namespaces {
		tables, err := env.Catalog.Tables(ctx, namespace)
		if err != nil {
			return fmt.Errorf("look for other tables below %q: %w", location, err)
		}
		for _, ident := range tables {
			if slices.Equal(ident, tbl.Identifier()) {
				continue
			}
			other, err := env.Catalog.Load(ctx, ident)
			if errors.Is(err, catalog.ErrNoSuchTable) {
				continue
			}
			if err != nil {
				return fmt.Errorf("%w: where the files of table %q are cannot be told: %w", ErrRefused, strings.Join(ident, "."), err)
			}
			for _, place := range places(other) {
				if overlap(here, rules.spellings(place)) {
					return fmt.Errorf("%w: %q has files of table %q, too (%q), which would go: choose a %q that is this table's alone", ErrRefused, location, strings.Join(ident, "."), place, "location")
				}
			}
		}
	}
	return nil
}

// overlap says whether one folder is at, in or around another, however either is
// spelled.
func overlap(here, there []string) bool {
	for _, a := range here {
		for _, b := range there {
			if within(a, b) || within(b, a) {
				return true
			}
		}
	}
	return false
}

// within says whether a path is root or below it.
func within(path, root string) bool {
	return strings.HasPrefix(strings.TrimRight(path, "/")+"/", strings.TrimRight(root, "/")+"/")
}
