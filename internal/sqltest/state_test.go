package sqltest

import (
	"fmt"
	"slices"
	"testing"

	"github.com/apache/iceberg-go/table"
)

// fileGroups shows the live files of the current snapshot, added up by content,
// spec and partition: "content spec: files, records".
func fileGroups(t *testing.T, tbl *table.Table) ([]string, error) {
	t.Helper()
	type group struct {
		content, spec int
		partition     string
	}
	type sum struct{ files, records int64 }
	groups := map[group]sum{}
	fs, err := tbl.FS(t.Context())
	if err != nil {
		return nil, err
	}
	snapshot := tbl.CurrentSnapshot()
	if snapshot == nil {
		return nil, nil
	}
	manifests, err := snapshot.Manifests(fs)
	if err != nil {
		return nil, err
	}
	for _, manifest := range manifests {
		for entry, err := range manifest.Entries(fs, true) {
			if err != nil {
				return nil, err
			}
			file := entry.DataFile()
			key := group{int(file.ContentType()), int(file.SpecID()), fmt.Sprint(file.Partition())}
			s := groups[key]
			groups[key] = sum{s.files + 1, s.records + file.Count()}
		}
	}
	var lines []string
	for key, s := range groups {
		lines = append(lines, fmt.Sprintf("%d %d: %d, %d", key.content, key.spec, s.files, s.records))
	}
	slices.Sort(lines)
	return lines, nil
}

// sparkGroups shows the files of a golden state the same way. Its columns are
// content, spec, partition, format, sort order, files, records, bytes; Spark
// groups by format and sort order as well, which is added up here.
func sparkGroups(files [][]any) []string {
	type sum struct{ files, records int64 }
	groups := map[string]sum{}
	for _, f := range files {
		key := fmt.Sprint(f[:3]...)
		s := groups[key]
		groups[key] = sum{s.files + number(f[5]), s.records + number(f[6])}
	}
	var lines []string
	for _, f := range files {
		key := fmt.Sprint(f[:3]...)
		if s, ok := groups[key]; ok {
			lines = append(lines, fmt.Sprintf("%v %v: %d, %d", f[0], f[1], s.files, s.records))
			delete(groups, key)
		}
	}
	slices.Sort(lines)
	return lines
}

// manifestGroups shows the manifests of the current snapshot, added up by content
// and spec: "content spec: manifests, added, existing, deleted files".
func manifestGroups(t *testing.T, tbl *table.Table) ([]string, error) {
	t.Helper()
	fs, err := tbl.FS(t.Context())
	if err != nil || tbl.CurrentSnapshot() == nil {
		return nil, err
	}
	manifests, err := tbl.CurrentSnapshot().Manifests(fs)
	if err != nil {
		return nil, err
	}
	type group struct{ content, spec int }
	groups := map[group][4]int64{}
	for _, m := range manifests {
		key := group{int(m.ManifestContent()), int(m.PartitionSpecID())}
		s := groups[key]
		groups[key] = [4]int64{s[0] + 1, s[1] + int64(m.AddedDataFiles()), s[2] + int64(m.ExistingDataFiles()), s[3] + int64(m.DeletedDataFiles())}
	}
	var lines []string
	for key, s := range groups {
		lines = append(lines, fmt.Sprintf("%d %d: %v", key.content, key.spec, s))
	}
	slices.Sort(lines)
	return lines, nil
}

// sparkManifests shows the manifests of a golden state the same way. Its columns
// are content, spec, manifests, then added, existing and deleted data files, then
// the same of delete files.
func sparkManifests(manifests [][]any) []string {
	var lines []string
	for _, m := range manifests {
		s := [4]int64{number(m[2])}
		for i := range 3 {
			s[i+1] = number(m[i+3]) + number(m[i+6])
		}
		lines = append(lines, fmt.Sprintf("%v %v: %v", m[0], m[1], s))
	}
	slices.Sort(lines)
	return lines
}

func number(v any) int64 {
	var n int64
	if _, err := fmt.Sscan(fmt.Sprint(v), &n); err != nil {
		return -1
	}
	return n
}
