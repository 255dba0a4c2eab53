package server

import "testing"

func TestSumsAreExact(t *testing.T) {
	c := serve(t, Config{})
	const numbers = "(SELECT 9007199254740993 x, 1 g UNION ALL SELECT 2, 1 UNION ALL SELECT 2, 1 UNION ALL SELECT NULL, 2) n"
	for _, test := range []struct {
		query string
		want  []string
	}{
		{"SELECT SUM(x) FROM " + numbers, []string{"9007199254740997"}},
		{"SELECT SUM(DISTINCT x), SUM(x) + 1, sum(x) AS s FROM " + numbers, []string{"9007199254740995 | 9007199254740998 | 9007199254740997"}},
		{"SELECT g, SUM(x) s FROM " + numbers + " GROUP BY g ORDER BY s", []string{"2 | NULL", "1 | 9007199254740997"}},
		{"SELECT g, SUM(x) FROM " + numbers + " GROUP BY g HAVING SUM(x) = 9007199254740997 ORDER BY SUM(x) DESC", []string{"1 | 9007199254740997"}},
		{"SELECT s, s + 1 FROM (SELECT SUM(x) s FROM " + numbers + ") q", []string{"9007199254740997 | 9007199254740998"}},
		{"WITH q AS (SELECT g, SUM(x) AS s FROM " + numbers + " GROUP BY g) SELECT MAX(s) FROM q WHERE s > 9007199254740996", []string{"9007199254740997"}},
		{"SELECT MAX(s), MIN(s + 1), SUM(s) FROM (SELECT g, SUM(x) s FROM " + numbers + " GROUP BY g) q", []string{"9007199254740997 | 9007199254740998 | 9007199254740997"}},
		{"SELECT (SELECT SUM(x) FROM " + numbers + ")", []string{"9007199254740997"}},
		{"SELECT SUM(x) FROM " + numbers + " UNION ALL SELECT SUM(x) + 1 FROM " + numbers, []string{"9007199254740997", "9007199254740998"}},
		{"SELECT SUM(CASE WHEN x < 3 THEN 1 ELSE 0 END), SUM(x < 3), SUM(IF(x < 3, 1, 0.5)), COALESCE(SUM(x), 0) FROM " + numbers, []string{"2 | 2 | 3 | 9007199254740997"}},
		{"SELECT SUM(x) OVER (PARTITION BY g ORDER BY x) FROM " + numbers + " ORDER BY x", []string{"NULL", "4", "4", "9007199254740997"}},
		{"SELECT SUM(x) OVER (ORDER BY x ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) FROM " + numbers + " WHERE x IS NOT NULL ORDER BY x", []string{"2", "4", "9007199254740995"}},
		{"SELECT SUM(x) FROM " + numbers + " WHERE g > 9", []string{"NULL"}},
		{"SELECT SUM(c_long), SUM(c_int), SUM(c_dec) FROM lake.types.all_types WHERE id IN (1, 2)", []string{"-1 | -1 | 0.0000000000"}},
		{"SELECT SUM(c_dec) FROM lake.types.all_types WHERE id = 1", []string{"9999999999999999999999999999.9999999999"}},
		{"SELECT SUM(c_long) - 5 FROM (SELECT c_long FROM lake.types.all_types WHERE id = 1 UNION ALL SELECT 10 UNION ALL SELECT -10) q", []string{"9223372036854775802"}},
		{"SELECT SUM(c_long) OVER () FROM (SELECT c_long FROM lake.types.all_types WHERE id = 1 UNION ALL SELECT 10) q", []string{"9223372036854775817", "9223372036854775817"}},
	} {
		c.want(test.query, test.want...)
	}
	_, err := queryRows(c.db, "SELECT SUM(c_long) FROM (SELECT c_long FROM lake.types.all_types WHERE id = 1 UNION ALL SELECT 10) q")
	if num, state := errno(t, err); num != 1690 || state != "22003" {
		t.Errorf("a sum too large ends with %d (%s), want 1690 (22003)", num, state)
	}
	if got := c.query("SELECT SUM(x + ?) FROM "+numbers+" WHERE x < 3", 1); got[0] != "6" {
		t.Errorf("prepared: got %v, want 6", got)
	}
}
