package maintenance_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/apache/iceberg-go"
	icecat "github.com/apache/iceberg-go/catalog"
	"github.com/apache/iceberg-go/table"

	"github.com/firndb/firn/maintenance"
)

// neighboured is a littered world with a second table, ns.u, in the same
// namespace's folder, or at the same location; both have rows.
func neighboured(t *testing.T, same bool) (w, other *world, orphans []string) {
	t.Helper()
	w, old, _ := littered(t)
	location := w.load().Location()
	if !same {
		location += "_2"
	}
	schema := iceberg.NewSchema(0, w.load().Schema().Fields()...)
	if _, err := w.c.Iceberg().CreateTable(t.Context(), table.Identifier{"ns", "u"}, schema, icecat.WithLocation(location), icecat.WithProperties(iceberg.Properties{"format-version": "2"})); err != nil {
		t.Fatal(err)
	}
	copied := *w
	other = &copied
	other.ident, other.rows, other.others = table.Identifier{"ns", "u"}, map[int64][]string{}, map[string]bool{}
	other.appendIDs(table.MainBranch, []int64{7, 8})
	other.remember(false)
	second := other.put("data/lost.parquet")
	other.age(oldEnough * 8)
	w.age(oldEnough * 8)
	return w, other, []string{old, second}
}

// TestOrphansOfManyTables is of field reports, 25 and 38: one run cleans the folder
// of a namespace, or a location that tables share, and takes what any of them
// refers to for used.
func TestOrphansOfManyTables(t *testing.T) {
	for name, same := range map[string]bool{"a namespace": false, "one location": true} {
		t.Run(name, func(t *testing.T) {
			w, other, want := neighboured(t, same)
			root := w.load().Location()
			options := maintenance.OrphanOptions{Location: root[:strings.LastIndexByte(root, '/')]}
			if _, err := w.orphans(options); !errors.Is(err, maintenance.ErrRefused) {
				t.Errorf("not asked to count neighbours: %v", err)
			}
			options.Neighbours = true
			plan, err := w.orphans(options)
			if err != nil {
				t.Fatal(err)
			}
			want = append(want, filepath.Join(strings.TrimPrefix(root, "file://"), "data/young.parquet"))
			slices.Sort(want)
			if got := pathsOfOrphans(plan.Files); !slices.Equal(got, want) {
				t.Errorf("orphans %q, want %q", got, want)
			}
			// The neighbour is changed, and the plan made to name a file that it has.
			other.appendIDs(table.MainBranch, []int64{9})
			for path := range other.referenced() {
				plan.Files = append(plan.Files, maintenance.OrphanFile{Path: "file://" + path})
			}
			done, err := plan.Execute(t.Context(), w.env)
			if got := pathsOfOrphans(done.Files); err != nil || !slices.Equal(got, want) || done.Removed != int64(len(want)) {
				t.Errorf("%q were deleted (%v), want %q", got, err, want)
			}
			for _, each := range []*world{w, other} {
				for path := range each.referenced() {
					if !there(path) {
						t.Errorf("%v: %s is gone", each.ident, path)
					}
				}
			}
		})
	}
}

// TestOrphansOfTablesThatMustStay has a neighbour whose files may not go, and one
// that the catalog does not have.
func TestOrphansOfTablesThatMustStay(t *testing.T) {
	w, other, _ := neighboured(t, true)
	options := maintenance.OrphanOptions{Neighbours: true}
	other.apply("gc", table.NewSetPropertiesUpdate(iceberg.Properties{"gc.enabled": "false"}))
	if _, err := w.orphans(options); !errors.Is(err, maintenance.ErrRefused) || !strings.Contains(err.Error(), `"ns.u"`) || !strings.Contains(err.Error(), "gc.enabled") {
		t.Errorf("got %v", err)
	}
	if err := w.c.Iceberg().DropTable(t.Context(), other.ident); err != nil {
		t.Fatal(err)
	}
	if _, err := w.orphans(options); !errors.Is(err, maintenance.ErrRefused) || !strings.Contains(err.Error(), "another table or view") {
		t.Errorf("got %v", err)
	}
}

func there(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
