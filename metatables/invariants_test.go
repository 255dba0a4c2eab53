package metatables_test

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/iceberg-go/table"

	"github.com/firndb/firn/catalog"
	"github.com/firndb/firn/internal/lakefixture"
	"github.com/firndb/firn/metatables"
)

// sums reads a metadata table and adds up columns of whole numbers; "" counts
// the rows.
func sums(t *testing.T, tbl *table.Table, name string, columns ...string) map[string]int64 {
	t.Helper()
	m, ok := metatables.Find(name)
	if !ok {
		t.Fatalf("no metadata table %q", name)
	}
	total := map[string]int64{}
	for batch, err := range m.Read(context.Background(), tbl, metatables.Request{Columns: append([]string{}, columns...)}) {
		if err != nil {
			t.Fatal(err)
		}
		total[""] += batch.NumRows()
		for i, name := range columns {
			for row := range int(batch.NumRows()) {
				switch column := batch.Column(i).(type) {
				case *array.Int32:
					total[name] += int64(column.Value(row))
				case *array.Int64:
					total[name] += column.Value(row)
				}
			}
		}
		batch.Release()
	}
	return total
}

// TestTablesAgree: the metadata tables of every table of the lake, Spark's
// answers known or not, agree with each other and with the snapshot's summary.
func TestTablesAgree(t *testing.T) {
	ctx := context.Background()
	lake := lakefixture.Open(t, catalog.Hooks{})
	namespaces, err := lake.Catalog.Namespaces(ctx)
	if err != nil {
		t.Fatal(err)
	}
	for _, namespace := range namespaces {
		idents, err := lake.Catalog.Tables(ctx, namespace)
		if err != nil {
			t.Fatal(err)
		}
		for _, ident := range idents {
			t.Run(strings.Join(ident, "."), func(t *testing.T) { agree(t, load(t, lake, strings.Join(ident, "."))) })
		}
	}
}

func agree(t *testing.T, tbl *table.Table) {
	equal := func(what string, a, b int64) {
		t.Helper()
		if a != b {
			t.Errorf("%s: %d and %d", what, a, b)
		}
	}
	files := sums(t, tbl, "files", "record_count", "file_size_in_bytes")
	data := sums(t, tbl, "data_files", "record_count", "file_size_in_bytes")
	deletes := sums(t, tbl, "delete_files", "record_count", "file_size_in_bytes")
	for name := range files {
		equal("files and its parts: "+name, files[name], data[name]+deletes[name])
	}
	partitions := sums(t, tbl, "partitions", "record_count", "file_count", "total_data_file_size_in_bytes",
		"position_delete_file_count", "equality_delete_file_count", "position_delete_record_count", "equality_delete_record_count")
	equal("records of partitions and data_files", partitions["record_count"], data["record_count"])
	equal("files of partitions and data_files", partitions["file_count"], data[""])
	equal("bytes of partitions and data_files", partitions["total_data_file_size_in_bytes"], data["file_size_in_bytes"])
	equal("delete files of partitions and delete_files", partitions["position_delete_file_count"]+partitions["equality_delete_file_count"], deletes[""])

	counts := []string{
		"added_data_files_count", "existing_data_files_count", "added_delete_files_count", "existing_delete_files_count",
		"deleted_data_files_count", "deleted_delete_files_count",
	}
	manifests := sums(t, tbl, "manifests", counts...)
	live := manifests[counts[0]] + manifests[counts[1]] + manifests[counts[2]] + manifests[counts[3]]
	equal("files and the live entries of manifests", files[""], live)
	equal("entries and those of manifests", sums(t, tbl, "entries")[""], live+manifests[counts[4]]+manifests[counts[5]])

	allFiles := sums(t, tbl, "all_files", "record_count")
	equal("all_files and its parts", allFiles[""], sums(t, tbl, "all_data_files")[""]+sums(t, tbl, "all_delete_files")[""])
	if allFiles[""] < files[""] || sums(t, tbl, "all_entries")[""] < allFiles[""] || sums(t, tbl, "all_manifests")[""] < manifests[""] {
		t.Error("of all snapshots there is less than of one")
	}
	equal("snapshots", sums(t, tbl, "snapshots")[""], int64(len(tbl.Metadata().Snapshots())))

	current := tbl.CurrentSnapshot()
	if current == nil {
		return
	}
	for property, got := range map[string]int64{
		"total-records": data["record_count"], "total-data-files": data[""], "total-delete-files": deletes[""],
		"total-files-size":       files["file_size_in_bytes"],
		"total-position-deletes": partitions["position_delete_record_count"], "total-equality-deletes": partitions["equality_delete_record_count"],
	} {
		if property == "total-files-size" && tbl.Metadata().Version() >= 3 {
			continue // counts the deletion vectors' bytes, files the Puffin files'
		}
		if want, ok := current.Summary.Properties[property]; ok && want != strconv.FormatInt(got, 10) {
			t.Errorf("%s: %d, the summary says %s", property, got, want)
		}
	}
	if _, differs := differenceAt(strings.Join(tbl.Identifier(), "."), "position_deletes", false); !differs {
		equal("position_deletes and the records of its files", sums(t, tbl, "position_deletes")[""], partitions["position_delete_record_count"])
	}
	if got := columnsOf(t, tbl, "partitions"); slices.Contains(got, "partition") != slices.Contains(columnsOf(t, tbl, "files"), "partition") {
		t.Error("files and partitions do not agree on whether the table is partitioned")
	}
}

func columnsOf(t *testing.T, tbl *table.Table, name string) []string {
	t.Helper()
	m, _ := metatables.Find(name)
	return names(t, m, tbl)
}
