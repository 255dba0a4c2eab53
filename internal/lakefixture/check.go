package lakefixture

import (
	"context"
	"fmt"
	"testing"

	"github.com/apache/iceberg-go/table"
)

// Check fails the test unless the table has the rows that Spark wrote, every
// file that it references exists, and no file below its location is
// unreferenced that was not so when the lake was opened. The parts of the name
// are namespace and table.
func (l *Lake) Check(t testing.TB, ident ...string) {
	t.Helper()
	for _, problem := range l.Problems(t, ident...) {
		t.Error(problem)
	}
}

// Problems is what Check would complain about, one sentence each.
func (l *Lake) Problems(t testing.TB, ident ...string) []string {
	t.Helper()
	problems := l.FileProblems(t, ident...)
	_, original := l.before(t, ident)
	before, err := rowsOf(t.Context(), original, 0)
	if err != nil {
		t.Fatalf("read %q as Spark wrote it: %v", ident, err)
	}
	after, err := rowsOf(t.Context(), l.current(t, ident), 0)
	if err != nil {
		return append(problems, fmt.Sprintf("read %q: %v", ident, err))
	}
	lost, gained := Diff(before, after)
	for _, row := range head(lost) {
		problems = append(problems, fmt.Sprintf("row lost: %s", row))
	}
	for _, row := range head(gained) {
		problems = append(problems, fmt.Sprintf("row too many: %s", row))
	}
	return problems
}

// CheckFiles is Check without the rows.
func (l *Lake) CheckFiles(t testing.TB, ident ...string) {
	t.Helper()
	for _, problem := range l.FileProblems(t, ident...) {
		t.Error(problem)
	}
}

// FileProblems is Problems without the rows.
func (l *Lake) FileProblems(t testing.TB, ident ...string) []string {
	t.Helper()
	now := l.current(t, ident)
	referenced, err := references(t.Context(), now)
	if err != nil {
		return []string{fmt.Sprintf("read the metadata of %q: %v", ident, err)}
	}
	var problems []string
	for path, why := range referenced {
		key, err := keyOf(path)
		if err == nil {
			_, err = l.store.stat(key)
		}
		if err != nil {
			problems = append(problems, fmt.Sprintf("%s is referenced and gone: %v", why, err))
		}
	}
	known := l.strays(t, ident)
	for _, path := range l.store.paths(now.Location()) {
		if _, ok := referenced[path]; !ok && !known[path] {
			problems = append(problems, "left behind, unreferenced: "+path)
		}
	}
	return problems
}

// Rows returns the table's rows, one line each, sorted: the current ones, or
// those of a snapshot that is not 0.
func (l *Lake) Rows(t testing.TB, snapshot int64, ident ...string) []string {
	t.Helper()
	rows, err := rowsOf(t.Context(), l.current(t, ident), snapshot)
	if err != nil {
		t.Fatalf("read %q: %v", ident, err)
	}
	return rows
}

// current is the table as the catalog has it now, read behind the server's
// back.
func (l *Lake) current(t testing.TB, ident table.Identifier) *table.Table {
	t.Helper()
	loaded, err := l.Catalog.Load(t.Context(), ident)
	if err != nil {
		t.Fatal(err)
	}
	return table.New(loaded.Identifier(), loaded.Metadata(), loaded.MetadataLocation(), view{l.store}.open, nil)
}

// before is the table as Spark wrote it.
func (l *Lake) before(t testing.TB, ident table.Identifier) (*original, *table.Table) {
	t.Helper()
	o, err := l.original()
	if err != nil {
		t.Fatal(err)
	}
	tbl, err := o.table(ident)
	if err != nil {
		t.Fatal(err)
	}
	return o, tbl
}

// strays are the files of the table that were unreferenced from the start.
func (l *Lake) strays(t testing.TB, ident table.Identifier) map[string]bool {
	t.Helper()
	o, tbl := l.before(t, ident)
	referenced, err := references(t.Context(), tbl)
	if err != nil {
		t.Fatal(err)
	}
	strays := map[string]bool{}
	for _, path := range o.store.paths(tbl.Location()) {
		if referenced[path] == "" {
			strays[path] = true
		}
	}
	return strays
}

// references maps every path that the table needs to what it is.
func references(ctx context.Context, tbl *table.Table) (map[string]string, error) {
	fs, err := tbl.FS(ctx)
	if err != nil {
		return nil, err
	}
	paths := map[string]string{tbl.MetadataLocation(): "the current metadata"}
	for entry := range tbl.Metadata().PreviousFiles() {
		paths[entry.MetadataFile] = "a metadata file of the log"
	}
	for file := range tbl.Metadata().Statistics() {
		paths[file.StatisticsPath] = "a statistics file"
	}
	for file := range tbl.Metadata().PartitionStatistics() {
		paths[file.StatisticsPath] = "a partition statistics file"
	}
	for _, snapshot := range tbl.Metadata().Snapshots() {
		if snapshot.ManifestList != "" {
			paths[snapshot.ManifestList] = fmt.Sprintf("the manifest list of snapshot %d", snapshot.SnapshotID)
		}
		manifests, err := snapshot.Manifests(fs)
		if err != nil {
			return nil, fmt.Errorf("snapshot %d: %w", snapshot.SnapshotID, err)
		}
		for _, manifest := range manifests {
			if _, ok := paths[manifest.FilePath()]; ok {
				continue
			}
			paths[manifest.FilePath()] = fmt.Sprintf("a manifest of snapshot %d", snapshot.SnapshotID)
			for entry, err := range manifest.Entries(fs, true) {
				if err != nil {
					return nil, fmt.Errorf("snapshot %d: manifest %s: %w", snapshot.SnapshotID, manifest.FilePath(), err)
				}
				paths[entry.DataFile().FilePath()] = fmt.Sprintf("a file of snapshot %d", snapshot.SnapshotID)
			}
		}
	}
	return paths, nil
}
