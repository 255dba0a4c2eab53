package server

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/firndb/firn/catalog"
	"github.com/firndb/firn/internal/lakefixture"
)

// reads counts the requests of one statement whose key contains part.
func reads(c *client, lake *lakefixture.Lake, part, query string) int {
	c.t.Helper()
	lake.Requests()
	c.query(query)
	seen := map[string]bool{}
	for _, r := range lake.Requests() {
		if strings.Contains(r.Key, part) {
			seen[r.Key] = true
		}
	}
	return len(seen)
}

func TestConditionsPruneFiles(t *testing.T) {
	lake := lakefixture.Open(t, catalog.Hooks{})
	c := serve(t, Config{Catalogs: lake.Set})
	const from = "SELECT COUNT(event_id) FROM lake.tutorial.retail_clickstream_events "
	all := reads(c, lake, "/data/", from)
	for _, test := range []struct {
		where string
		files int
	}{
		{"WHERE event_time >= TIMESTAMP '2026-01-09T00:00:00Z' AND event_time < TIMESTAMP '2026-01-10T00:00:00Z'", 5},
		{"e WHERE e.event_time BETWEEN '2026-01-09' AND '2026-01-09 23:59:59'", 5},
		{"WHERE event_time < DATE '2026-01-01'", 0},
		{"WHERE event_time < DATE '2026-01-01' OR price > 1", all},
		{"WHERE event_time + INTERVAL 1 DAY < DATE '2026-01-01'", all},
		{"WHERE event_time IS NULL", 0},
		{"WHERE event_time IS NOT NULL", all},
		{"WHERE NOT event_time < DATE '2026-01-01'", all},
	} {
		if got := reads(c, lake, "/data/", from+test.where); got != test.files {
			t.Errorf("%s reads %d files, want %d of %d", test.where, got, test.files, all)
		}
	}
}

// TestConditionsKeepRows compares the rows of conditions that are pushed into
// the scan with those of the same conditions in a form that is not.
func TestConditionsKeepRows(t *testing.T) {
	c := serve(t, Config{})
	for _, table := range []string{"types.all_types", "ops.tr_ntz", "analytics.evolved"} {
		for _, column := range c.query("SELECT column_name FROM information_schema.columns WHERE concat('lake.', '" + table + "') = concat(table_schema, '.', table_name) AND data_type IN ('int', 'bigint', 'longtext', 'date', 'datetime')") {
			column = "`" + column + "`"
			values := c.query("SELECT DISTINCT " + column + " FROM lake." + table + " LIMIT 2")
			for _, value := range values {
				if value == "NULL" || strings.ContainsAny(value, "{['\\\x00") {
					continue
				}
				for _, op := range []string{"=", "<", "IN"} {
					literal := "'" + value + "'"
					if op == "IN" {
						literal = "(" + literal + ")"
					}
					pushed := c.query("SELECT COUNT(*) FROM lake." + table + " WHERE " + column + " " + op + " " + literal)
					plain := c.query("SELECT COUNT(*) FROM lake." + table + " WHERE IF(true, " + column + ", NULL) " + op + " " + literal)
					if !slices.Equal(pushed, plain) {
						t.Errorf("%s WHERE %s %s %s: %v rows with the condition in the scan, %v without", table, column, op, literal, pushed, plain)
					}
				}
			}
		}
	}
}

func TestInformationSchemaLoadsWhatItNeeds(t *testing.T) {
	lake := lakefixture.Open(t, catalog.Hooks{})
	c := serve(t, Config{Catalogs: lake.Set})
	tables := len(c.query("SELECT table_name FROM information_schema.tables WHERE table_schema LIKE 'lake.%'"))
	for _, test := range []struct {
		query string
		loads int
	}{
		{"SHOW DATABASES", 0},
		{"SHOW TABLES FROM `lake.ops`", 0},
		{"SELECT table_schema, table_name FROM information_schema.tables WHERE table_type = 'BASE TABLE'", 0},
		{"SELECT * FROM information_schema.columns WHERE table_schema LIKE 'lake.%'", tables},
		{"SELECT column_name FROM information_schema.columns WHERE table_schema = 'lake.ops' AND table_name = 'chain'", 1},
		{"SELECT c.column_name FROM information_schema.columns c WHERE 'CHAIN' = c.table_name AND c.table_schema = 'Lake.ops' ORDER BY ordinal_position", 1},
		{"SELECT column_name FROM information_schema.columns WHERE table_schema = 'lake.analytics' AND table_name = 'v_mor'", 1},
		{"SELECT column_name FROM information_schema.columns WHERE table_schema = 'lake.nope'", 0},
		{"SELECT table_name FROM information_schema.views WHERE table_name = 'v_mor'", 1},
		{"SELECT COUNT(*) FROM information_schema.statistics", 0},
		{"SELECT (SELECT COUNT(*) FROM lake.ops.chain), (SELECT COUNT(*) FROM ops.chain), (SELECT COUNT(*) FROM lake.ops.chain.files)", 1},
	} {
		if got := reads(c, lake, ".metadata.json", test.query); got != test.loads {
			t.Errorf("%s loads %d tables, want %d", test.query, got, test.loads)
		}
	}
}

func TestTimeTravel(t *testing.T) {
	c := serve(t, Config{})
	const table = "lake.ops.branches"
	refs := c.query("SELECT name, snapshot_id, type FROM " + table + ".refs ORDER BY name")
	for _, ref := range refs {
		cells := strings.Split(ref, " | ")
		byName := c.query("SELECT * FROM " + table + " VERSION AS OF '" + cells[0] + "' ORDER BY 1")
		byID := c.query("SELECT * FROM " + table + " FOR VERSION AS OF " + cells[1] + " ORDER BY 1")
		if diff := cmp.Diff(byID, byName); diff != "" || len(byID) == 0 {
			t.Errorf("%s: by id and by name differ (-id +name)\n%s", cells[0], diff)
		}
	}
	const chain = "lake.ops.chain"
	for i, row := range c.query("SELECT snapshot_id, committed_at, summary['total-records'] FROM " + chain + ".snapshots ORDER BY committed_at") {
		cells := strings.Split(row, " | ")
		for _, clause := range []string{"VERSION AS OF " + cells[0], "TIMESTAMP AS OF '" + cells[1] + "'", "FOR SYSTEM_TIME AS OF TIMESTAMP '" + cells[1] + "'", "AS OF '" + cells[0] + "'"} {
			got := c.query("SELECT COUNT(*) FROM " + chain + " " + clause)
			if got[0] != cells[2] {
				t.Errorf("snapshot %d, %s: %s rows, want %s", i, clause, got[0], cells[2])
			}
		}
		files := c.query("SELECT SUM(record_count) FROM " + chain + ".files VERSION AS OF " + cells[0])
		if files[0] != cells[2] {
			t.Errorf("files of snapshot %d have %s rows, want %s", i, files[0], cells[2])
		}
	}
}

// TestCountsReadNoRows counts the rows of tables from metadata where that is
// exact, and by reading them where it is not.
func TestCountsReadNoRows(t *testing.T) {
	lake := lakefixture.Open(t, catalog.Hooks{})
	c := serve(t, Config{Catalogs: lake.Set})
	rows := func(query string) string { return c.query(query)[0] }
	for table, counted := range map[string]bool{
		"tutorial.retail_clickstream_events": true, "types.all_types": true, "analytics.evolved": true,
		"ops.empty": true, "analytics.events_mor": false, "analytics.events_dv": false, "analytics.events_eq": false,
	} {
		query := "SELECT COUNT(*) FROM lake." + table
		if read := reads(c, lake, "/data/", query) > 0; read == counted {
			t.Errorf("%s: rows are read: %t", query, read)
		}
		if got, want := rows(query), strconv.Itoa(len(c.query("SELECT * FROM lake."+table))); got != want {
			t.Errorf("%s is %s, and there are %s rows", query, got, want)
		}
	}
}

// TestObjectRequests: a statement asks for no object of a table's metadata twice,
// and if it is repeated, with a cache of manifests, for the metadata file only.
func TestObjectRequests(t *testing.T) {
	lake := lakefixture.Open(t, catalog.Hooks{})
	c := serve(t, Config{Catalogs: lake.Set})
	caching := serve(t, Config{Catalogs: lake.Set, ManifestCache: 16 << 20})
	const events = "lake.tutorial.retail_clickstream_events"
	for _, query := range []string{
		"SELECT COUNT(*) FROM " + events,
		"SELECT COUNT(*) FROM " + events + ".files",
		"SELECT * FROM " + events + ".files",
		"SELECT partition, COUNT(*), SUM(record_count) FROM " + events + ".files WHERE content = 0 GROUP BY partition",
		"SELECT MAX(readable_metrics.price.upper_bound) FROM " + events + ".files",
		"SELECT file_path FROM " + events + ".files LIMIT 3",
		"SELECT * FROM " + events + ".partitions",
		"SELECT * FROM " + events + ".manifests",
	} {
		lake.Requests()
		c.query(query)
		times := map[string]int{}
		for _, r := range lake.Requests() {
			if strings.Contains(r.Key, "/metadata/") {
				times[r.Key]++
			}
			if strings.Contains(r.Key, "/data/") {
				t.Errorf("%s: %v", query, r)
			}
		}
		for key, n := range times {
			if n > 1 {
				t.Errorf("%s asks for %s %d times", query, key, n)
			}
		}
		if len(times) < 2 {
			t.Errorf("%s asks for %v only", query, times)
		}
		caching.query(query)
		lake.Requests()
		caching.query(query)
		for _, r := range lake.Requests() {
			if !strings.HasSuffix(r.Key, ".metadata.json") {
				t.Errorf("%s, repeated: %v", query, r)
			}
		}
	}
}
