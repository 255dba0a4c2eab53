package server

import "testing"

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
