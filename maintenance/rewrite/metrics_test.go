package rewrite

import (
	"slices"
	"testing"

	"github.com/apache/iceberg-go"
)

// The columns of Java's tests: those of each level before what is inside of it.
func TestFirstColumns(t *testing.T) {
	number := iceberg.PrimitiveTypes.Int32
	of := func(fields ...iceberg.NestedField) iceberg.Type { return &iceberg.StructType{FieldList: fields} }
	column := func(id int, t iceberg.Type) iceberg.NestedField { return iceberg.NestedField{ID: id, Type: t} }
	nested := []iceberg.NestedField{
		column(11, of(column(21, number), column(22, of(column(31, number))), column(23, number))),
		column(12, of(column(24, number), column(25, of(column(32, number))))),
		column(13, number),
	}
	for limit := range 8 {
		want := []int{13, 21, 23, 31, 24, 32}
		if got := firstColumns(nested, limit); !slices.Equal(got, want[:min(limit, len(want))]) {
			t.Errorf("the first %d are %v", limit, got)
		}
	}
	if n := countFields(nested); n != 10 {
		t.Errorf("%d fields", n)
	}
	lists := []iceberg.NestedField{
		column(1, &iceberg.MapType{KeyID: 2, KeyType: number, ValueID: 3, ValueType: number}),
		column(4, &iceberg.ListType{ElementID: 5, Element: of(column(6, number))}),
		column(7, number),
	}
	if got := firstColumns(lists, 9); !slices.Equal(got, []int{7, 2, 3, 6}) || countFields(lists) != 5 {
		t.Errorf("columns %v of %d fields", got, countFields(lists))
	}
}

func TestMetricsModeNames(t *testing.T) {
	for text, want := range map[string]bool{
		"none": true, "Counts": true, "FULL": true, "truncate(7)": true, "Truncate(16)": true,
		"": false, "truncate": false, "truncate(0)": false, "truncate(-1)": false, "truncate(x)": false, "some": false,
	} {
		if isMetricsMode(text) != want {
			t.Errorf("%q is a mode: %v", text, !want)
		}
	}
}

// The paths of Java's tests of its ObjectStoreLocationProvider.
func TestObjectStorePaths(t *testing.T) {
	store := locations{root: "s3://b/t/data", hashed: true, partitioned: true}
	for name, want := range map[string]string{
		"a": "0101/0110/1001/10110010/a", "b": "1110/0111/1110/00000011/b",
		"c": "0010/1101/0110/01011111/c", "d": "1001/0001/0100/01110011/d",
	} {
		if got := store.path("", name); got != "s3://b/t/data/"+want {
			t.Errorf("%s goes to %s", name, got)
		}
	}
	if got := store.path("p=1", "a"); got != "s3://b/t/data/"+hashPath("p=1/a")+"/p=1/a" {
		t.Errorf("with a partition: %s", got)
	}
	store.partitioned = false
	if got := store.path("p=1", "a"); got != "s3://b/t/data/0101/0110/1001/10110010-a" {
		t.Errorf("without partitions in paths: %s", got)
	}
	store.context = "db/t"
	if got := store.path("p=1", "a"); got != "s3://b/t/data/0101/0110/1001/10110010/db/t/a" {
		t.Errorf("outside of the table: %s", got)
	}
}
