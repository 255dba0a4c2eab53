package server

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestParseSelector(t *testing.T) {
	for _, test := range []struct {
		part string
		want version
		ok   bool
	}{
		{"branch_main", version{name: "main"}, true},
		{"Branch_Main", version{name: "Main"}, true},
		{"tag_bad-load", version{name: "bad-load"}, true},
		{"snapshot_id_12", version{name: "12"}, true},
		{"AT_TIMESTAMP_1500", version{at: time.UnixMilli(1500)}, true},
		{"branch_", version{}, false},
		{"snapshot_id_", version{}, false},
		{"snapshot_id_x", version{name: "x"}, false},
		{"at_timestamp_-1", version{}, false},
		{"at_timestamp_99999999999999999999", version{}, false},
		{"files", version{}, false},
	} {
		got, ok := parseSelector(test.part)
		if ok != test.ok || ok && got != test.want {
			t.Errorf("%s is %v, %v; want %v, %v", test.part, got, ok, test.want, test.ok)
		}
	}
}

// TestSelectors compares versions that a table's name selects with those of
// AS OF.
func TestSelectors(t *testing.T) {
	c := serve(t, Config{})
	const table = "lake.ops.branches"
	for _, ref := range c.query("SELECT name, lower(type), snapshot_id FROM " + table + ".refs") {
		cells := strings.Split(ref, " | ")
		want := c.query("SELECT * FROM " + table + " VERSION AS OF '" + cells[0] + "' ORDER BY 1, 2, 3")
		selector := cells[1] + "_" + cells[0]
		for _, name := range []string{
			table + ".`" + selector + "`", "`lake.ops`.`branches$" + selector + "`",
			"`lake.ops.branches`.`" + selector + "`", table + ".snapshot_id_" + cells[2],
		} {
			if diff := cmp.Diff(want, c.query("SELECT * FROM "+name+" ORDER BY 1, 2, 3")); diff != "" {
				t.Errorf("%s (-want +got)\n%s", name, diff)
			}
		}
	}
	for _, at := range c.query("SELECT committed_at, unix_millis(committed_at) FROM lake.ops.chain.snapshots") {
		cells := strings.Split(at, " | ")
		want := c.query("SELECT COUNT(*), SUM(id) FROM lake.ops.chain TIMESTAMP AS OF '" + cells[0] + "'")
		if diff := cmp.Diff(want, c.query("SELECT COUNT(*), SUM(id) FROM lake.ops.chain.at_timestamp_"+cells[1])); diff != "" {
			t.Errorf("at %s (-want +got)\n%s", cells[0], diff)
		}
	}
	for query, want := range map[string]uint16{
		"SELECT * FROM lake.ops.branches.branch_nope":                       1210,
		"SELECT * FROM lake.ops.branches.branch_main VERSION AS OF 'audit'": 1210,
		"SELECT * FROM lake.ops.branches.snapshot_id_x":                     1146,
		"SELECT * FROM lake.ops.nope.branch_main":                           1146,
	} {
		_, err := queryRows(c.db, query)
		if got, _ := errno(t, err); got != want {
			t.Errorf("%s: %v, want number %d", query, err, want)
		}
	}
}
