package maintenance

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/iceberg-go"
	"github.com/apache/iceberg-go/table"
)

// wideSchema has an id and n more columns.
func wideSchema(id, n int) *iceberg.Schema {
	fields := []iceberg.NestedField{{ID: 1, Name: "id", Type: iceberg.PrimitiveTypes.Int64}}
	for i := range n {
		fields = append(fields, iceberg.NestedField{
			ID: 2 + i, Name: fmt.Sprintf("measurement_%04d", i), Type: iceberg.PrimitiveTypes.Float64,
			Doc: strings.Repeat("what the sensor measured ", 2),
		})
	}
	return iceberg.NewSchema(id, fields...)
}

// Of field reports, 127: metadata of 9 MB, of many schemas of 900 columns, took
// half a minute to load. It is read once for a plan, and for a commit no oftener
// than if it were small, and it becomes small when the schemas go that no snapshot
// uses.
func TestMetadataOfManyColumns(t *testing.T) {
	opened := func(wide bool) (plan, commit int, before, after int64) {
		l := newLedger(t, iceberg.Properties{table.MetadataDeleteAfterCommitEnabledKey: "false"})
		l.append(1)
		l.append(2)
		if wide {
			var updates []table.Update
			for i := range 80 {
				updates = append(updates, table.NewAddSchemaUpdate(wideSchema(1+i, 900+i)))
			}
			l.apply(append(updates, table.NewSetCurrentSchemaUpdate(-1))...)
		}
		before = sizeOf(t, l.load())
		n := 0
		l.disk = func(op, path string) error {
			if op == "open" && strings.HasSuffix(path, ".metadata.json") {
				n++
			}
			return nil
		}
		options := everything()
		options.CleanMetadata = true
		expiry, err := PlanExpiry(t.Context(), l.env, l.ident, options)
		if err != nil {
			t.Fatal(err)
		}
		plan, n = n, 0
		if _, err := expiry.Execute(t.Context(), l.env); err != nil {
			t.Fatal(err)
		}
		commit = n
		return plan, commit, before, sizeOf(t, l.load())
	}
	plan, commit, small, _ := opened(false)
	widePlan, wideCommit, before, after := opened(true)
	if plan != widePlan || commit != wideCommit {
		t.Errorf("metadata was opened %d and %d times, small metadata %d and %d times", widePlan, wideCommit, plan, commit)
	}
	if before < 9<<20 || after > before/20 {
		t.Errorf("metadata of %d bytes became %d; it is %d without columns", before, after, small)
	}
}

func sizeOf(t *testing.T, tbl *table.Table) int64 {
	t.Helper()
	info, err := os.Stat(filepath.Clean(strings.TrimPrefix(tbl.MetadataLocation(), "file://")))
	if err != nil {
		t.Fatal(err)
	}
	return info.Size()
}
