package maintenance

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/apache/iceberg-go/table"

	"github.com/firndb/firn/catalog"
)

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

// neighbour is another table that has a place at, in or around a location.
type neighbour struct {
	*table.Table
	place string
}

// checkNeighbours refuses a location that lies within, around or at a place of
// another table of the catalog.
func checkNeighbours(ctx context.Context, env Env, tbl *table.Table, location string, rules pathRules) error {
	found, err := neighbours(ctx, env, tbl, location, rules)
	if err != nil || len(found) == 0 {
		return err
	}
	return fmt.Errorf("%w: %q has files of table %q, too (%q), which would go: choose a %q that is this table's alone", ErrRefused, location, strings.Join(found[0].Identifier(), "."), found[0].place, "location")
}

// tables are those whose files stay: tbl and, if they are to count, its neighbours,
// in the order of the catalog. Otherwise neighbours are refused.
func (p *Orphans) tables(ctx context.Context, env Env, tbl *table.Table, rules pathRules) ([]*table.Table, error) {
	all := []*table.Table{tbl}
	if !p.Options.Neighbours {
		return all, checkNeighbours(ctx, env, tbl, p.Location, rules)
	}
	found, err := neighbours(ctx, env, tbl, p.Location, rules)
	if err != nil {
		return nil, err
	}
	for _, n := range found {
		if err := checkCollectable(n.Table); err != nil {
			return nil, fmt.Errorf("table %q, whose files are at %q: %w", strings.Join(n.Identifier(), "."), n.place, err)
		}
		all = append(all, n.Table)
	}
	return all, nil
}

// versions are the metadata files of tables.
func versions(tables []*table.Table) []string {
	files := make([]string, len(tables))
	for i, tbl := range tables {
		files[i] = tbl.MetadataLocation()
	}
	return files
}

// neighbours finds the other tables of the catalog that have a place at, in or
// around a location.
func neighbours(ctx context.Context, env Env, tbl *table.Table, location string, rules pathRules) (found []neighbour, err error) {
	here := rules.spellings(location)
	namespaces, err := env.Catalog.Namespaces(ctx)
	if err != nil {
		return nil, fmt.Errorf("look for other tables below %q: %w", location, err)
	}
	for _, namespace := range namespaces {
		tables, err := env.Catalog.Tables(ctx, namespace)
		if err != nil {
			return nil, fmt.Errorf("look for other tables below %q: %w", location, err)
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
				return nil, fmt.Errorf("%w: where the files of table %q are cannot be told: %w", ErrRefused, strings.Join(ident, "."), err)
			}
			for _, place := range places(other) {
				if overlap(here, rules.spellings(place)) {
					found = append(found, neighbour{other, place})
					break
				}
			}
		}
	}
	return found, nil
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
