package server

import (
	"testing"

	"github.com/dolthub/vitess/go/sqltypes"
	querypb "github.com/dolthub/vitess/go/vt/proto/query"
)

// TestFloatsAreShownPlainly looks at what goes over the wire: the driver reads
// the text of floats and writes its own.
func TestFloatsAreShownPlainly(t *testing.T) {
	for _, test := range []struct {
		typ       querypb.Type
		raw, want string
	}{
		{sqltypes.Float64, "2.4e+07", "24000000"},
		{sqltypes.Float64, "-1.105504787000001e+09", "-1105504787.000001"},
		{sqltypes.Float64, "1e-05", "0.00001"},
		{sqltypes.Float64, "1.5", "1.5"},
		{sqltypes.Float64, "0", "0"},
		{sqltypes.Float64, "9.99999999999999e+14", "999999999999999"},
		{sqltypes.Float64, "1e+15", "1e+15"},
		{sqltypes.Float64, "9e-06", "9e-06"},
		{sqltypes.Float64, "NaN", "NaN"},
		{sqltypes.Float64, "+Inf", "Infinity"},
		{sqltypes.Float64, "-Inf", "-Infinity"},
		{sqltypes.Float32, "1.6777216e+07", "16777216"},
		{sqltypes.Float32, "0.1", "0.1"},
		{sqltypes.Float32, "3.4028235e+38", "3.4028235e+38"},
		{sqltypes.Float32, "Infinity", "Infinity"},
	} {
		res := &sqltypes.Result{
			Fields: []*querypb.Field{{Type: test.typ}},
			Rows:   [][]sqltypes.Value{{sqltypes.MakeTrusted(test.typ, []byte(test.raw))}, {sqltypes.NULL}},
		}
		err := shown(func(res *sqltypes.Result, _ bool) error {
			if got := res.Rows[0][0].ToString(); got != test.want || !res.Rows[1][0].IsNull() {
				t.Errorf("%s %s is shown as %s, want %s", test.typ, test.raw, got, test.want)
			}
			return nil
		})(res, false)
		if err != nil {
			t.Error(err)
		}
	}
}

func TestInfiniteFloats(t *testing.T) {
	c := serve(t, Config{})
	const table = "`lake.types`.all_types"
	for _, query := range []string{
		"SELECT c_float, c_double FROM " + table + " WHERE id IN (4, 5, 6) ORDER BY id",
		"SELECT f, d FROM (SELECT c_float f, c_double d, id FROM " + table + ") q WHERE id IN (4, 5, 6) ORDER BY id LIMIT 9",
		"SELECT c_float, c_double FROM " + table + " WHERE id = 4 UNION ALL SELECT c_float, c_double FROM " + table + " WHERE id = 5 UNION ALL SELECT c_float, c_double FROM " + table + " WHERE id = 6",
	} {
		c.want(query, "NaN | NaN", "+Inf | +Inf", "-Inf | -Inf")
		if got := c.query("SELECT * FROM ("+query+") q WHERE ? = 1", 1); len(got) != 3 || got[1] != "+Inf | +Inf" {
			t.Errorf("prepared %s: got %v", query, got)
		}
	}
	c.want("SELECT MAX(c_float), MIN(c_float) x FROM "+table+" WHERE id IN (5, 6)", "+Inf | -Inf")
	c.want("SELECT COUNT(DISTINCT c_float) FROM (SELECT c_float FROM "+table+" WHERE id IN (1, 5)) q", "2")
	c.want("SELECT id FROM "+table+" t WHERE id IN (1, 2, 5, 6) ORDER BY t.c_float", "6", "2", "1", "5")
}
