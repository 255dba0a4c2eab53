package metatables

import (
	"strconv"
	"strings"
	"testing"

	"github.com/apache/iceberg-go"
	"github.com/apache/iceberg-go/table"
)

// specsOf is a table's metadata with these partition specs, of a schema with
// columns 1 (a, long), 2 (b, string) and 3 (c, timestamp).
type specsOf struct {
	table.Metadata
	specs []iceberg.PartitionSpec
}

func (s specsOf) PartitionSpecs() []iceberg.PartitionSpec { return s.specs }

func (s specsOf) CurrentSchema() *iceberg.Schema {
	return iceberg.NewSchema(0,
		iceberg.NestedField{ID: 1, Name: "a", Type: iceberg.PrimitiveTypes.Int64},
		iceberg.NestedField{ID: 2, Name: "b", Type: iceberg.PrimitiveTypes.String},
		iceberg.NestedField{ID: 3, Name: "c", Type: iceberg.PrimitiveTypes.TimestampTz},
	)
}

func TestPartitionType(t *testing.T) {
	part := func(id, source int, name string, transform iceberg.Transform) iceberg.PartitionField {
		return iceberg.PartitionField{FieldID: id, SourceIDs: []int{source}, Name: name, Transform: transform}
	}
	spec := iceberg.NewPartitionSpecID
	identity, day, bucket, void := iceberg.IdentityTransform{}, iceberg.DayTransform{}, iceberg.BucketTransform{NumBuckets: 4}, iceberg.VoidTransform{}
	unknown, err := iceberg.ParseTransform("zorder[3]")
	if err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct {
		specs []iceberg.PartitionSpec
		want  string
		err   string
	}{
		"never partitioned": {specs: []iceberg.PartitionSpec{spec(0)}},
		"union by id": {
			specs: []iceberg.PartitionSpec{spec(0, part(1001, 3, "c_day", day)), spec(1, part(1000, 1, "a_bucket", bucket), part(1001, 3, "c_day", day))},
			want:  "1000 a_bucket int, 1001 c_day date",
		},
		"newest name": {
			specs: []iceberg.PartitionSpec{spec(1, part(1000, 2, "new", identity)), spec(0, part(1000, 2, "old", identity))},
			want:  "1000 new string",
		},
		"dropped from a v1 table": {
			specs: []iceberg.PartitionSpec{spec(0, part(1000, 3, "c_day", day)), spec(1, part(1000, 3, "c_day", void))},
			want:  "1000 c_day date",
		},
		"column dropped": {
			specs: []iceberg.PartitionSpec{spec(0, part(1000, 9, "gone", identity), part(1001, 2, "b", identity))},
			want:  "1001 b string",
		},
		"conflict": {
			specs: []iceberg.PartitionSpec{spec(0, part(1000, 1, "x", identity)), spec(1, part(1000, 1, "x", bucket))},
			err:   "same id 1000",
		},
		"unknown transform": {
			specs: []iceberg.PartitionSpec{spec(0, part(1000, 1, "x", unknown))},
			err:   `unknown transform "zorder[3]"`,
		},
	} {
		got, err := partitionType(specsOf{specs: test.specs})
		if test.err != "" {
			if err == nil || !strings.Contains(err.Error(), test.err) {
				t.Errorf("%s: %v, want %q", name, err, test.err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		var fields []string
		for _, f := range got.FieldList {
			fields = append(fields, strings.Join([]string{strconv.Itoa(f.ID), f.Name, f.Type.String()}, " "))
		}
		if s := strings.Join(fields, ", "); s != test.want {
			t.Errorf("%s: got %q, want %q", name, s, test.want)
		}
	}
}
