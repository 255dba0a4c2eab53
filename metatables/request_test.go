package metatables_test

import (
	"context"
	"errors"
	"slices"
	"strconv"
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

// TestProjection asks for each column alone and compares it with what the
// whole row says.
func TestProjection(t *testing.T) {
	lake := lakefixture.Open(t, catalog.Hooks{})
	tbl := load(t, lake, "analytics.events_dv")
	for _, m := range metatables.All() {
		schema, err := m.Schema(tbl)
		if err != nil {
			t.Fatal(err)
		}
		whole := map[string][]string{}
		for batch, err := range m.Read(context.Background(), tbl, metatables.Request{}) {
			if err != nil {
				t.Fatal(err)
			}
			for i, f := range batch.Schema().Fields() {
				column := batch.Columns()[i : i+1]
				whole[f.Name] = append(whole[f.Name], golden.Lines(recordOf(batch, f, column))...)
			}
			batch.Release()
		}
		for _, f := range schema.Fields() {
			got := golden.Rows(t, m.Read(context.Background(), tbl, metatables.Request{Columns: []string{f.Name}}))
			want := slices.Sorted(slices.Values(whole[f.Name]))
			if !slices.Equal(got, want) {
				t.Errorf("%s.%s alone is not what it is among others", m.Name, f.Name)
			}
		}
		none := 0
		for batch, err := range m.Read(context.Background(), tbl, metatables.Request{Columns: []string{}}) {
			if err != nil {
				t.Fatal(err)
			}
			if batch.NumCols() != 0 {
				t.Errorf("%s: %d columns, none were asked for", m.Name, batch.NumCols())
			}
			none += int(batch.NumRows())
			batch.Release()
		}
		if want := len(whole[schema.Field(0).Name]); none != want || want == 0 {
			t.Errorf("%s: %d rows without columns, %d with", m.Name, none, want)
		}
	}
}

// TestCountAndLimit: what is counted is what is read, now and before, and a
// limit ends both.
func TestCountAndLimit(t *testing.T) {
	ctx := context.Background()
	lake := lakefixture.Open(t, catalog.Hooks{})
	for _, name := range []string{"ops.v1_table", "ops.branches", "analytics.events_mor", "analytics.events_dv"} {
		tbl := load(t, lake, name)
		requests := []metatables.Request{{}, {Limit: 1}, {Limit: 3}}
		if snapshots := tbl.Metadata().Snapshots(); len(snapshots) > 1 {
			requests = append(requests, metatables.Request{Snapshot: &snapshots[len(snapshots)/2].SnapshotID})
		}
		for _, m := range metatables.All() {
			all := int64(len(golden.Rows(t, m.Read(ctx, tbl, metatables.Request{}))))
			for _, req := range requests {
				read := int64(len(golden.Rows(t, m.Read(ctx, tbl, req))))
				if req.Limit > 0 && read != min(req.Limit, all) {
					t.Errorf("%s of %s: %d rows with limit %d", m.Name, name, read, req.Limit)
				}
				n, ok, err := m.Count(ctx, tbl, req)
				if known := m.Name != "partitions" && m.Name != "position_deletes"; err != nil || ok != known || ok && n != read {
					t.Errorf("%s of %s: counted %d, %t, %v; read %d", m.Name, name, n, ok, err, read)
				}
				req.Filter = iceberg.IsNull(iceberg.Reference("no_such_column"))
				if _, ok, _ := m.Count(ctx, tbl, req); ok {
					t.Errorf("%s of %s: counted in spite of a filter", m.Name, name)
				}
			}
		}
	}
}

func recordOf(batch arrow.RecordBatch, f arrow.Field, column []arrow.Array) arrow.RecordBatch {
	return array.NewRecordBatch(arrow.NewSchema([]arrow.Field{f}, nil), column, batch.NumRows())
}

func TestProjectionInAnyOrder(t *testing.T) {
	lake := lakefixture.Open(t, catalog.Hooks{})
	tbl := load(t, lake, "ops.branches")
	refs, _ := metatables.Find("refs")
	got := golden.Rows(t, refs.Read(context.Background(), tbl, metatables.Request{Columns: []string{"type", "name", "type"}}))
	if want := `["BRANCH","main","BRANCH"]`; !slices.Contains(got, want) {
		t.Errorf("no %s in %s", want, got)
	}
}

func TestBadRequests(t *testing.T) {
	lake := lakefixture.Open(t, catalog.Hooks{})
	tbl := load(t, lake, "analytics.events_mor")
	nowhere := int64(12345)
	for _, m := range metatables.All() {
		if err := failure(m, tbl, metatables.Request{Columns: []string{"nope"}}); err == nil || !strings.Contains(err.Error(), `"nope"`) {
			t.Errorf("%s: a column that is not there: %v", m.Name, err)
		}
		err := failure(m, tbl, metatables.Request{Snapshot: &nowhere})
		travels := !strings.HasPrefix(m.Name, "all_") && !slices.Contains([]string{"history", "snapshots", "refs", "metadata_log_entries"}, m.Name)
		if errors.Is(err, metatables.ErrNoSuchSnapshot) != travels || !travels && err != nil {
			t.Errorf("%s: a snapshot that is not there: %v", m.Name, err)
		}
	}
}

// TestPositionDeletesOfOlderSnapshots: Spark's answers have no such case.
func TestPositionDeletesOfOlderSnapshots(t *testing.T) {
	lake := lakefixture.Open(t, catalog.Hooks{})
	tbl := load(t, lake, "analytics.events_mor")
	deletes, _ := metatables.Find("position_deletes")
	for _, snapshot := range tbl.Metadata().Snapshots() {
		rows := golden.Rows(t, deletes.Read(context.Background(), tbl, metatables.Request{Snapshot: &snapshot.SnapshotID}))
		if want := snapshot.Summary.Properties["total-position-deletes"]; strconv.Itoa(len(rows)) != want {
			t.Errorf("snapshot %d: %d position deletes, its summary says %s", snapshot.SnapshotID, len(rows), want)
		}
	}
}

func TestCancelled(t *testing.T) {
	lake := lakefixture.Open(t, catalog.Hooks{})
	tbl := load(t, lake, "lakehouse.order_events")
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for _, m := range metatables.All() {
		var err error
		for batch, batchErr := range m.Read(ctx, tbl, metatables.Request{}) {
			if err = batchErr; err == nil {
				batch.Release()
			}
		}
		// Some have no rows, and nothing to cancel.
		if !errors.Is(err, context.Canceled) && !(err == nil && strings.Contains(m.Name, "delete")) {
			t.Errorf("%s: %v", m.Name, err)
		}
	}
}

// TestReadsWhatItNeeds: metadata tables read metadata, each file of it once.
func TestReadsWhatItNeeds(t *testing.T) {
	lake := lakefixture.Open(t, catalog.Hooks{})
	tbl := load(t, lake, "analytics.events_dv")
	manifests := len(golden.Load(t, "analytics.events_dv").MetadataTables["manifests"].Rows)
	snapshots := len(tbl.Metadata().Snapshots())
	for name, want := range map[string]int{
		"history": 0, "snapshots": 0, "refs": 0, "metadata_log_entries": 0,
		"manifests": 1, "all_manifests": snapshots, "files": 1 + manifests, "entries": 1 + manifests, "partitions": 1 + manifests,
	} {
		m, _ := metatables.Find(name)
		lake.Requests()
		golden.Rows(t, m.Read(context.Background(), tbl, metatables.Request{}))
		keys := map[string]bool{}
		for _, r := range lake.Requests() {
			keys[r.Key] = true
			if !strings.Contains(r.Key, "/metadata/") {
				t.Errorf("%s: %s", name, r)
			}
		}
		if len(keys) != want {
			t.Errorf("%s read %d files, want %d: %v", name, len(keys), want, keys)
		}
	}
}

func failure(m metatables.Table, tbl *table.Table, req metatables.Request) error {
	for batch, err := range m.Read(context.Background(), tbl, req) {
		if err != nil {
			return err
		}
		batch.Release()
	}
	return nil
}
