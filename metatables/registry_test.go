package metatables_test

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/firndb/firn/metatables"
)

func TestRegistry(t *testing.T) {
	var names []string
	for _, m := range metatables.All() {
		names = append(names, m.Name)
		if _, err := os.Stat(m.Name + ".go"); err != nil {
			t.Errorf("%s has no file of its own: %v", m.Name, err)
		}
		if m.Doc == "" || !strings.HasSuffix(m.Doc, ".") {
			t.Errorf("%s: doc %q is no sentence", m.Name, m.Doc)
		}
		found, ok := metatables.Find(strings.ToUpper(m.Name))
		if !ok || found.Name != m.Name {
			t.Errorf("%s is not found in upper case", m.Name)
		}
	}
	want := []string{
		"all_data_files", "all_delete_files", "all_entries", "all_files", "all_manifests", "data_files", "delete_files", "entries",
		"files", "history", "manifests", "metadata_log_entries", "partitions", "position_deletes", "refs", "snapshots",
	}
	if !slices.Equal(names, want) {
		t.Errorf("got %q", names)
	}
	if _, ok := metatables.Find("file"); ok {
		t.Error("there is no table file")
	}
}
