package sortorder

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/apache/iceberg-go"
	"github.com/apache/iceberg-go/table"

	"github.com/firndb/firn/maintenance"
)

func testMeta(t *testing.T) table.Metadata {
	t.Helper()
	schema := iceberg.NewSchema(
		0,
		iceberg.NestedField{ID: 1, Name: "id", Type: iceberg.PrimitiveTypes.Int64},
		iceberg.NestedField{ID: 2, Name: "ts", Type: iceberg.PrimitiveTypes.TimestampTz},
		iceberg.NestedField{ID: 3, Name: "odd `name`", Type: iceberg.PrimitiveTypes.String},
		iceberg.NestedField{ID: 4, Name: "s", Type: &iceberg.StructType{FieldList: []iceberg.NestedField{
			{ID: 5, Name: "x", Type: iceberg.PrimitiveTypes.String},
			{ID: 6, Name: "l", Type: &iceberg.ListType{ElementID: 7, Element: iceberg.PrimitiveTypes.Int32}},
		}}},
		iceberg.NestedField{ID: 8, Name: "part", Type: iceberg.PrimitiveTypes.Int32},
		iceberg.NestedField{ID: 9, Name: "desc", Type: iceberg.PrimitiveTypes.Int32},
	)
	spec := iceberg.NewPartitionSpec(iceberg.PartitionField{SourceIDs: []int{8}, FieldID: 1000, Name: "part", Transform: iceberg.IdentityTransform{}})
	order, err := table.NewSortOrder(1, []table.SortField{
		{SourceIDs: []int{1}, Transform: iceberg.IdentityTransform{}, Direction: table.SortASC, NullOrder: table.NullsFirst},
		{SourceIDs: []int{2}, Transform: iceberg.DayTransform{}, Direction: table.SortDESC, NullOrder: table.NullsLast},
	})
	if err != nil {
		t.Fatal(err)
	}
	meta, err := table.NewMetadata(schema, &spec, order, "s3://b/t", nil)
	if err != nil {
		t.Fatal(err)
	}
	return meta
}

func TestBind(t *testing.T) {
	meta := testMeta(t)
	for text, want := range map[string]string{
		"id": "id ASC NULLS FIRST",
		"id DESC NULLS FIRST, bucket(4, id) ASC, days(ts), truncate(3, s.x)": "id DESC NULLS FIRST, bucket(4, id) ASC NULLS FIRST, days(ts) ASC NULLS FIRST, truncate(3, s.x) ASC NULLS FIRST",
		"(id asc nulls last, /* why */ Hour(ts) desc) -- end":                "id ASC NULLS LAST, hours(ts) DESC NULLS LAST",
		"bucket(id, 4) NULLS LAST":                                           "bucket(4, id) ASC NULLS LAST",
		"`odd ``name```, `s`.`x` desc, identity(part)":                       "odd `name` ASC NULLS FIRST, s.x DESC NULLS LAST, part ASC NULLS FIRST",
		"desc desc":               "desc DESC NULLS LAST",
		"id, days(ts) DESC":       "id ASC NULLS FIRST, days(ts) DESC NULLS LAST=1",
		"zorder(ID, s.X)":         "zorder(id, s.x)",
		"ZORDER(id), zorder(ts)":  "zorder(id, ts)",
		"hilbert(part, id)":       "hilbert(id)",
		"hilbert(id) ASC":         "hilbert(id)",
		"ID":                      `"ID"`,
		"s":                       `"s"`,
		"s.l":                     `"s.l"`,
		"s.l.element":             `"s.l.element"`,
		"nope":                    `"nope"`,
		"zorder(nope)":            `"nope"`,
		"zorder(part)":            "partition columns",
		"id, zorder(ts)":          "mixes",
		"zorder(id), hilbert(ts)": "mixes",
		"zorder(id) DESC":         "no direction",
		"zorder(id, 3)":           "columns only",
		"zorder()":                `got ")"`,
		"":                        "got the end",
		"id,":                     "got the end",
		"id + 1":                  `got "+"`,
		"id id":                   `got "id"`,
		"id nulls":                "FIRST or LAST",
		"bucket(0, id)":           "width",
		"bucket(4)":               "width",
		"bucket(99999999999, id)": "too large",
		"days(id)":                "long",
		"days(ts, 3)":             "one column",
		"weeks(ts)":               "weeks",
		"`id":                     "not ended",
		"/* id":                   "not ended",
		"größe":                   "backquotes",
		"4":                       `got "4"`,
	} {
		order, err := Parse(text)
		var b Bound
		if err == nil {
			b, err = order.Bind(meta)
		}
		got := b.String()
		if b.ID != 0 {
			got += fmt.Sprintf("=%d", b.ID)
		}
		if err != nil && (!errors.Is(err, maintenance.ErrInvalid) || !strings.Contains(err.Error(), want)) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
		if err == nil && got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

func TestTable(t *testing.T) {
	b, err := Table(testMeta(t), "ns.t")
	if err != nil || b.ID != 1 || b.String() != "id ASC NULLS FIRST, days(ts) DESC NULLS LAST" {
		t.Errorf("%+v, %v", b, err)
	}
	unsorted, err := table.NewMetadata(testMeta(t).CurrentSchema(), iceberg.UnpartitionedSpec, table.UnsortedSortOrder, "s3://b/t", nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Table(unsorted, "ns.t"); !errors.Is(err, maintenance.ErrInvalid) || !strings.Contains(err.Error(), "ns.t") {
		t.Errorf("got %v", err)
	}
}

func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		"id DESC NULLS FIRST, bucket(4, a.b) ASC, days(ts), truncate(3, s) NULLS LAST",
		"zorder(a, `b ``c```.d), ZORDER(e) ASC -- end", "hilbert(a, b)", "(a /* x */, b desc)", "a + 1", "größe, `", "/*", "bucket(99999999999999999999, a)",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		o, err := Parse(text)
		if err != nil {
			if !errors.Is(err, maintenance.ErrInvalid) {
				t.Fatalf("error of no class: %v", err)
			}
			return
		}
		if (o.Curve == None) != (len(o.Columns) == 0) || (o.Curve == None) == (len(o.Fields) == 0) {
			t.Fatalf("%q became %+v", text, o)
		}
		again, err := Parse("(" + strings.TrimRight(text, " \t\r\n") + "\n)")
		if err == nil && fmt.Sprint(again) != fmt.Sprint(o) {
			t.Fatalf("%+v in brackets became %+v", o, again)
		}
	})
}
