package maintenance

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/apache/iceberg-go"
	"github.com/apache/iceberg-go/table"

	"github.com/firndb/firn/catalog"
	"github.com/firndb/firn/internal/lakefixture"
)

// entriesOf are the entries of manifests in words, and what the list says of each.
func entriesOf(t *testing.T, d *snapshotDraft, manifests []iceberg.ManifestFile) (all []string) {
	t.Helper()
	for i, m := range manifests {
		listed := fmt.Sprint(i, m.Version(), m.PartitionSpecID(), m.ManifestContent(), m.SequenceNum(), m.MinSequenceNum(), m.SnapshotID(),
			m.AddedDataFiles(), m.ExistingDataFiles(), m.DeletedDataFiles(), m.AddedRows(), m.ExistingRows(), m.DeletedRows())
		for _, p := range m.Partitions() {
			listed += fmt.Sprint(" ", p.ContainsNull, text(p.ContainsNaN), text(p.LowerBound), text(p.UpperBound))
		}
		all = append(all, listed)
		var entries []string
		for e, err := range m.Entries(d.fs, false) {
			if err != nil {
				t.Fatal(err)
			}
			f := e.DataFile()
			entries = append(entries, fmt.Sprintf("%v %v %v %v %v %v %v %v %v %v %v %v %v %v %v %v %v %v %x %x %v %x %v", e.Status(), e.SnapshotID(), e.SequenceNum(), text(e.FileSequenceNum()), f.FilePath(),
				f.ContentType(), f.FileFormat(), f.Partition(), f.Count(), f.FileSizeBytes(), f.ColumnSizes(), f.ValueCounts(), f.NullValueCounts(), f.NaNValueCounts(),
				f.SplitOffsets(), f.EqualityFieldIDs(), text(f.SortOrderID()), text(f.ReferencedDataFile()), f.LowerBoundValues(), f.UpperBoundValues(), f.SpecID(), f.KeyMetadata(), text(f.ContentOffset())))
		}
		slices.Sort(entries)
		all = append(all, entries...)
	}
	return all
}

func text[T any](p *T) string {
	if p == nil {
		return "none"
	}
	return fmt.Sprint(*p)
}

// TestManifestsAreCopiedAsTheyAreRead rewrites manifests of every table of the lake
// by copying entries and by reading them: both make the same manifests.
func TestManifestsAreCopiedAsTheyAreRead(t *testing.T) {
	lake := lakefixture.Open(t, catalog.Hooks{})
	env := Env{Catalog: lake.Catalog, Now: time.Now}
	namespaces, err := lake.Catalog.Namespaces(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	copied := 0
	for _, namespace := range namespaces {
		idents, err := lake.Catalog.Tables(t.Context(), namespace)
		if err != nil {
			t.Fatal(err)
		}
		for _, ident := range idents {
			tbl, err := lake.Catalog.Load(t.Context(), ident)
			if err != nil {
				t.Fatal(err)
			}
			for _, spec := range tbl.Metadata().PartitionSpecs() {
				id := spec.ID()
				plan, err := planManifests(t.Context(), env, tbl, ManifestOptions{SpecID: &id})
				if err != nil {
					t.Fatalf("%v: %v", ident, err)
				}
				for _, g := range plan.Groups {
					d, err := newSnapshotDraft(t.Context(), env, tbl, table.MainBranch)
					if err != nil {
						t.Fatal(err)
					}
					if !d.copies(g) {
						continue
					}
					copied++
					compareCopies(t, d, ident, g)
				}
			}
		}
	}
	if copied < 5 {
		t.Errorf("the entries of %d groups were copied", copied)
	}
}

func compareCopies(t *testing.T, d *snapshotDraft, ident table.Identifier, g ManifestGroup) {
	t.Helper()
	fast, err := d.writeManifests(t.Context(), g, func(int) {})
	if err != nil {
		t.Fatalf("%v: %v", ident, err)
	}
	g.schema = nil
	slow, err := d.writeManifests(t.Context(), g, func(int) {})
	if err != nil {
		t.Fatalf("%v: %v", ident, err)
	}
	got, want := entriesOf(t, d, fast), entriesOf(t, d, slow)
	if !slices.Equal(got, want) {
		t.Errorf("%v: copied\n%q\nread\n%q", ident, got, want)
	}
}
