package metatables_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/iceberg-go"
	"github.com/apache/iceberg-go/table"

	"github.com/firndb/firn/catalog"
	"github.com/firndb/firn/internal/golden"
	"github.com/firndb/firn/internal/lakefixture"
	"github.com/firndb/firn/metatables"
)

// leafValues are the values of a column or field of a batch, by path.
func leafValues(path string, a arrow.Array, into map[string]arrow.Array) {
	if s, ok := a.(*array.Struct); ok {
		for i := range s.NumField() {
			leafValues(path+"."+s.DataType().(*arrow.StructType).Field(i).Name, s.Field(i), into)
		}
		return
	}
	into[path] = a
}

// valuesOf are a table's rows as text, and for each row the value at path, nil
// for NULL and for types that conditions are not about.
func valuesOf(t *testing.T, m metatables.Table, tbl *table.Table, path string, req metatables.Request) (rows []string, values []iceberg.Literal) {
	t.Helper()
	for batch, err := range m.Read(context.Background(), tbl, req) {
		if err != nil {
			t.Fatal(err)
		}
		leaves := map[string]arrow.Array{}
		for i, f := range batch.Schema().Fields() {
			leafValues(f.Name, batch.Column(i), leaves)
		}
		lines := golden.Lines(batch)
		for i := range int(batch.NumRows()) {
			values = append(values, literalAt(leaves[path], i))
			rows = append(rows, lines[i])
		}
		batch.Release()
	}
	return rows, values
}

func literalAt(a arrow.Array, i int) iceberg.Literal {
	if a == nil || a.IsNull(i) {
		return nil
	}
	switch a := a.(type) {
	case *array.Int32:
		return iceberg.NewLiteral(a.Value(i))
	case *array.Int64:
		return iceberg.NewLiteral(a.Value(i))
	case *array.String:
		return iceberg.NewLiteral(a.Value(i))
	case *array.Date32:
		return iceberg.NewLiteral(iceberg.Date(a.Value(i)))
	case *array.Timestamp:
		return iceberg.NewLiteral(iceberg.Timestamp(a.Value(i)))
	}
	return nil
}

// filterPaths are the columns and fields that a filter is tried on.
func filterPaths(t *testing.T, m metatables.Table, tbl *table.Table) []string {
	t.Helper()
	schema, err := m.Schema(tbl)
	if err != nil {
		t.Fatal(err)
	}
	var paths []string
	var walk func(prefix string, fields []iceberg.NestedField)
	walk = func(prefix string, fields []iceberg.NestedField) {
		for _, f := range fields {
			switch typ := f.Type.(type) {
			case *iceberg.StructType:
				if f.Name == "partition" || f.Name == "data_file" {
					walk(prefix+f.Name+".", typ.FieldList)
				}
			case iceberg.PrimitiveType:
				paths = append(paths, prefix+f.Name)
			}
		}
	}
	walk("", schema.Fields())
	return paths
}

// holds says what a comparison of an operation gives, from how a value compares
// with the constant.
func holds(op iceberg.Operation, c int) bool {
	return map[iceberg.Operation]bool{
		iceberg.OpEQ: c == 0, iceberg.OpNEQ: c != 0, iceberg.OpLT: c < 0, iceberg.OpLTEQ: c <= 0, iceberg.OpGT: c > 0, iceberg.OpGTEQ: c >= 0,
	}[op]
}

// TestFilterKeepsWantedRows compares every column with each of its values, by
// every operator: rows that meet the condition come, whole and in their order.
func TestFilterKeepsWantedRows(t *testing.T) {
	lake := lakefixture.Open(t, catalog.Hooks{})
	for _, name := range []string{"ops.v1_table", "ops.tr_identity", "ops.tr_days_date", "ops.tr_bucket", "analytics.evolved", "analytics.events_dv"} {
		tbl := load(t, lake, name)
		cache := metatables.NewCache(64 << 20)
		for _, table := range []string{"files", "all_entries", "partitions", "position_deletes", "all_manifests"} {
			m, _ := metatables.Find(table)
			for _, path := range filterPaths(t, m, tbl) {
				filterOn(t, m, tbl, path, cache)
			}
		}
	}
}

func filterOn(t *testing.T, m metatables.Table, tbl *table.Table, path string, cache *metatables.Cache) {
	t.Helper()
	rows, values := valuesOf(t, m, tbl, path, metatables.Request{Cache: cache})
	constants := map[string]iceberg.Literal{}
	for _, v := range values {
		if v != nil && len(constants) < 4 {
			constants[v.String()] = v
		}
	}
	for _, constant := range constants {
		for _, op := range []iceberg.Operation{iceberg.OpEQ, iceberg.OpNEQ, iceberg.OpLT, iceberg.OpLTEQ, iceberg.OpGT, iceberg.OpGTEQ} {
			filter := iceberg.LiteralPredicate(op, iceberg.Reference(path), constant)
			got, _ := valuesOf(t, m, tbl, path, metatables.Request{Filter: filter, Cache: cache})
			at := 0
			for i, v := range values {
				if v == nil || !holds(op, compareLiterals(t, v, constant)) {
					continue
				}
				for at < len(got) && got[at] != rows[i] {
					at++
				}
				if at == len(got) {
					t.Errorf("%s of %v: %s loses %s", m.Name, tbl.Identifier(), filter, rows[i])
					break
				}
				at++
			}
		}
	}
	for _, filter := range []iceberg.BooleanExpression{iceberg.IsNull(iceberg.Reference(path)), iceberg.NotNull(iceberg.Reference(path))} {
		got, _ := valuesOf(t, m, tbl, path, metatables.Request{Filter: filter, Cache: cache})
		for i, v := range values {
			known := v != nil || filter.Op() == iceberg.OpIsNull && allNil(values)
			if known && (v == nil) == (filter.Op() == iceberg.OpIsNull) && !slices.Contains(got, rows[i]) {
				t.Errorf("%s of %v: %s loses %s", m.Name, tbl.Identifier(), filter, rows[i])
			}
		}
	}
}

func allNil(values []iceberg.Literal) bool {
	return !slices.ContainsFunc(values, func(v iceberg.Literal) bool { return v != nil })
}

func compareLiterals(t *testing.T, a, b iceberg.Literal) int {
	t.Helper()
	switch x := a.Any().(type) {
	case string:
		return strings.Compare(x, b.Any().(string))
	default:
		var p, q int64
		if _, err := fmt.Sscan(fmt.Sprintf("%d %d", x, b.Any()), &p, &q); err != nil {
			t.Fatal(err)
		}
		return int(min(max(p-q, -1), 1))
	}
}

// TestFilterReadsLess: what is ruled out by the manifest list is not read, and
// of the rest the rows that can be told apart do not come.
func TestFilterReadsLess(t *testing.T) {
	lake := lakefixture.Open(t, catalog.Hooks{})
	tbl := load(t, lake, "lakehouse.order_events")
	m, _ := metatables.Find("entries")
	manifests := len(golden.Rows(t, find(t, "manifests").Read(context.Background(), tbl, metatables.Request{})))
	latest := tbl.CurrentSnapshot().SnapshotID
	for filter, want := range map[iceberg.BooleanExpression]func(read, rows int) bool{
		iceberg.EqualTo(iceberg.Reference("snapshot_id"), latest):                            func(read, rows int) bool { return read < manifests && rows > 0 },
		iceberg.EqualTo(iceberg.Reference("data_file.spec_id"), int32(77)):                   func(read, rows int) bool { return read == 0 && rows == 0 },
		iceberg.EqualTo(iceberg.Reference("data_file.content"), int32(2)):                    func(read, rows int) bool { return read < manifests && rows == 0 },
		iceberg.EqualTo(iceberg.Reference("data_file.file_path"), "s3://nowhere"):            func(read, rows int) bool { return read == manifests && rows == 0 },
		iceberg.StartsWith(iceberg.Reference("data_file.file_path"), "S3://LAKE/wh"):         func(read, rows int) bool { return read == manifests && rows > 0 },
		iceberg.LessThan(iceberg.Reference("sequence_number"), int64(0)):                     func(read, rows int) bool { return rows == 0 },
		iceberg.IsIn(iceberg.Reference("status"), int32(5), int32(6)):                        func(read, rows int) bool { return read == 0 && rows == 0 },
		iceberg.NewNot(iceberg.NotNull(iceberg.Reference("data_file.record_count"))):         func(read, rows int) bool { return rows == 0 },
		iceberg.NewOr(iceberg.AlwaysFalse{}, iceberg.IsNull(iceberg.Reference("elsewhere"))): func(read, rows int) bool { return read == manifests && rows > 0 },
		iceberg.AlwaysFalse{}: func(read, rows int) bool { return read == 0 && rows == 0 },
	} {
		lake.Requests()
		rows := len(golden.Rows(t, m.Read(context.Background(), tbl, metatables.Request{Columns: []string{"status"}, Filter: filter})))
		keys := map[string]bool{}
		for _, r := range lake.Requests() {
			if !strings.Contains(r.Key, "/snap-") {
				keys[r.Key] = true
			}
		}
		if !want(len(keys), rows) {
			t.Errorf("%s: %d of %d manifests read, %d rows", filter, len(keys), manifests, rows)
		}
	}
}

// TestFilterAndLimit: rows that a filter lets pass, wanted or not, use up no
// limit.
func TestFilterAndLimit(t *testing.T) {
	lake := lakefixture.Open(t, catalog.Hooks{})
	tbl := load(t, lake, "ops.many_manifests")
	m := find(t, "files")
	paths := golden.Rows(t, m.Read(context.Background(), tbl, metatables.Request{Columns: []string{"file_path"}}))
	last := strings.Trim(paths[len(paths)-1], `[]"`)
	req := metatables.Request{Columns: []string{"file_path"}, Filter: iceberg.EqualTo(iceberg.Reference("file_path"), last), Limit: 1}
	if got := golden.Rows(t, m.Read(context.Background(), tbl, req)); !slices.Contains(got, paths[len(paths)-1]) {
		t.Errorf("%s is not among %s", last, got)
	}
}

// TestCachedRequestsReadNothing: the second of two equal requests, and one for
// fewer columns, need no object.
func TestCachedRequestsReadNothing(t *testing.T) {
	lake := lakefixture.Open(t, catalog.Hooks{})
	tbl := load(t, lake, "analytics.events_dv")
	cache := metatables.NewCache(64 << 20)
	for _, name := range []string{"all_entries", "all_manifests", "files", "partitions"} {
		m := find(t, name)
		want := golden.Rows(t, m.Read(context.Background(), tbl, metatables.Request{Cache: cache}))
		lake.Requests()
		if got := golden.Rows(t, m.Read(context.Background(), tbl, metatables.Request{Cache: cache})); !slices.Equal(got, want) {
			t.Errorf("%s from the cache is not what it was", name)
		}
		if again := lake.Requests(); len(again) != 0 {
			t.Errorf("%s read again: %v", name, again)
		}
	}
	if s := cache.Stats(); s.Hits == 0 || s.Misses == 0 || s.Evictions != 0 || s.Bytes <= 0 || s.Bytes > s.Limit {
		t.Errorf("%+v", s)
	}
}

func find(t *testing.T, name string) metatables.Table {
	t.Helper()
	m, ok := metatables.Find(name)
	if !ok {
		t.Fatalf("no metadata table %q", name)
	}
	return m
}

// TestFields: fields that are asked for are what they are without asking, and
// the others are of the same type.
func TestFields(t *testing.T) {
	lake := lakefixture.Open(t, catalog.Hooks{})
	tbl := load(t, lake, "analytics.events_mor")
	m := find(t, "entries")
	paths := []string{"data_file.file_path", "data_file.lower_bounds", "readable_metrics", "data_file.partition"}
	for _, metric := range []string{"lower_bound", "null_value_count"} {
		paths = append(paths, "readable_metrics."+tbl.Schema().Field(0).Name+"."+metric)
	}
	whole := map[string]arrow.Array{}
	for batch, err := range m.Read(context.Background(), tbl, metatables.Request{}) {
		if err != nil {
			t.Fatal(err)
		}
		defer batch.Release()
		if len(whole) == 0 {
			for i, f := range batch.Schema().Fields() {
				leafValues(f.Name, batch.Column(i), whole)
			}
		}
	}
	for _, path := range paths {
		for batch, err := range m.Read(context.Background(), tbl, metatables.Request{Fields: []string{path}}) {
			if err != nil {
				t.Fatal(err)
			}
			leaves := map[string]arrow.Array{}
			for i, f := range batch.Schema().Fields() {
				leafValues(f.Name, batch.Column(i), leaves)
			}
			for name, a := range leaves {
				column, _, _ := strings.Cut(path, ".")
				wanted := name == path || strings.HasPrefix(name, path+".") || !strings.HasPrefix(name, column+".")
				if wanted && !array.Equal(a, whole[name]) || !arrow.TypeEqual(a.DataType(), whole[name].DataType()) {
					t.Errorf("with %s, %s is not what it is without", path, name)
				}
			}
			batch.Release()
			break
		}
	}
	for _, path := range []string{"data_file.nothing", "readable_metrics.nothing.at_all", "status.value"} {
		if err := failure(m, tbl, metatables.Request{Fields: []string{path}}); err == nil || !strings.Contains(err.Error(), "no field") {
			t.Errorf("%s: %v", path, err)
		}
	}
}
