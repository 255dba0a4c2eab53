package server

import (
	"strings"
	"testing"
)

func TestShowOfWhatThereIsNone(t *testing.T) {
	c := serve(t, Config{})
	for _, test := range []struct {
		query   string
		columns int
	}{
		{"SHOW TRIGGERS", 11},
		{"SHOW TRIGGERS FROM `lake.ops`", 11},
		{"SHOW TRIGGERS FROM `lake.ops` LIKE 'x%'", 11},
		{"SHOW EVENTS", 15},
		{"SHOW EVENTS FROM `lake.ops`", 15},
		{"SHOW EVENTS FROM `lake.ops` WHERE Name = 'x'", 15},
		{"SHOW PROCEDURE STATUS", 11},
		{"SHOW PROCEDURE STATUS WHERE Db = 'lake.ops'", 11},
		{"SHOW PROCEDURE STATUS LIKE 'x%'", 11},
		{"SHOW FUNCTION STATUS", 11},
		{"show function status where Db = 'lake.ops'", 11},
	} {
		rows, err := c.db.QueryContext(t.Context(), test.query)
		if err != nil {
			t.Errorf("%s: %v", test.query, err)
			continue
		}
		columns, err := rows.Columns()
		if err != nil || len(columns) != test.columns {
			t.Errorf("%s has the columns %q (%v), want %d", test.query, columns, err, test.columns)
		}
		if rows.Next() {
			t.Errorf("%s has a row", test.query)
		}
		if err := rows.Close(); err != nil {
			t.Error(err)
		}
	}
}

func TestStatusOfTheManifestCache(t *testing.T) {
	c := serve(t, Config{ManifestCache: 12345})
	for _, scope := range []string{"", "GLOBAL "} {
		got := c.query("SHOW " + scope + "STATUS LIKE 'Firn_manifest_cache%'")
		if len(got) != 5 || !strings.HasPrefix(got[0], "Firn_manifest_cache_bytes | ") || got[3] != "Firn_manifest_cache_limit | 12345" {
			t.Errorf("SHOW %sSTATUS: %q", scope, got)
		}
		if all := c.query("SHOW " + scope + "STATUS"); len(all) < 100 {
			t.Errorf("SHOW %sSTATUS has %d rows", scope, len(all))
		}
	}
}
