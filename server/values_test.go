package server

import (
	stdsql "database/sql"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// allTypes are the rows of lake.types.all_types that have a value in most
// columns, as Spark's golden has them.
func allTypes() []string {
	return []string{
		strings.Join([]string{
			"1", "1", "2147483647", "9223372036854775807", "3.4028235e+38", "1.7976931348623157e+308",
			"9999999999999999999999999999.9999999999", "9999999.99", "99999999999999.9999", "9999-12-31",
			"9999-12-31 23:59:59.999999", "9999-12-31 23:59:59.999999", "plain", "\x00\x01\xff",
			`{"a": 1, "b": "bee", "n": {"x": 1.5}}`, "[1, 2, 3]", `[{"k": "a", "v": 1}]`, `{"k1": 1, "k2": 2}`, `{"1": ["x", null]}`,
		}, " | "),
		strings.Join([]string{
			"2", "0", "-2147483648", "-9223372036854775808", "-3.4028235e+38", "-1.7976931348623157e+308",
			"-9999999999999999999999999999.9999999999", "-9999999.99", "-99999999999999.9999", "0001-01-01",
			"0001-01-01 00:00:00.000000", "0001-01-01 00:00:00.000000", "", "",
			`{"a": null, "b": null, "n": null}`, "[]", "[]", "{}", "{}",
		}, " | "),
	}
}

func TestEveryTypeAsText(t *testing.T) {
	c := serve(t, Config{})
	got := c.query("SELECT * FROM lake.types.all_types WHERE id IN (1, 2) ORDER BY id")
	want := allTypes()
	// The first bytes of the binary column are checked as text elsewhere.
	if diff := cmp.Diff(cut(want, 13), cut(got, 13)); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	c.want("SELECT HEX(c_bin) FROM lake.types.all_types WHERE id = 4", "DEADBEEF")
	c.want("SELECT id, t FROM lake.types.time_type ORDER BY id", "1 | 00:00:00", "2 | 23:59:59.999999", "3 | NULL")
	c.want("SELECT * FROM lake.types.v3_nanos ORDER BY 1",
		"1 | 2026-01-01 00:00:00.123456 | 2026-01-01 00:00:00.123456", "2 | 1969-12-31 23:59:59.999999 | NULL")
}

// cut drops a cell of every row.
func cut(rows []string, cell int) []string {
	out := make([]string, len(rows))
	for i, row := range rows {
		cells := strings.Split(row, " | ")
		if cell < len(cells) {
			cells = append(cells[:cell:cell], cells[cell+1:]...)
		}
		out[i] = strings.Join(cells, " | ")
	}
	return out
}

func TestTypesThroughThePreparedProtocol(t *testing.T) {
	c := serve(t, Config{})
	var (
		yes      bool
		i        int32
		l        int64
		f        float32
		d        float64
		dec, js  string
		day, ts  stdsql.RawBytes
		str, bin []byte
	)
	rows, err := c.db.QueryContext(t.Context(),
		"SELECT c_bool, c_int, c_long, c_float, c_double, c_dec, c_date, c_ts, c_str, c_bin, c_struct FROM `lake.types`.all_types WHERE id = ?", 1)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	if !rows.Next() {
		t.Fatalf("no row: %v", rows.Err())
	}
	if err := rows.Scan(&yes, &i, &l, &f, &d, &dec, &day, &ts, &str, &bin, &js); err != nil {
		t.Fatal(err)
	}
	got := []any{yes, i, l, f, d, dec, string(day), string(ts), string(str), js}
	want := []any{
		true, int32(2147483647), int64(9223372036854775807), float32(3.4028235e38), 1.7976931348623157e308,
		"9999999999999999999999999999.9999999999", "9999-12-31", "9999-12-31 23:59:59.999999", "plain",
		`{"a": 1, "b": "bee", "n": {"x": 1.5}}`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestTimeZoneOfTheSession(t *testing.T) {
	c := serve(t, Config{})
	const query = "SELECT c_ts, c_ntz, c_date FROM lake.types.all_types WHERE id = 4"
	for _, test := range []struct{ zone, want string }{
		{"+02:00", "1970-01-01 02:00:00.000000 | 1970-01-01 00:00:00.000000 | 1970-01-01"},
		{"America/New_York", "1969-12-31 19:00:00.000000 | 1970-01-01 00:00:00.000000 | 1970-01-01"},
		{"UTC", "1970-01-01 00:00:00.000000 | 1970-01-01 00:00:00.000000 | 1970-01-01"},
	} {
		conn, err := c.db.Conn(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		if _, err := conn.ExecContext(t.Context(), "SET time_zone = '"+test.zone+"'"); err != nil {
			t.Fatal(err)
		}
		got, err := queryRows(conn, query)
		if diff := cmp.Diff([]string{test.want}, got); diff != "" || err != nil {
			t.Errorf("%s: err %v, (-want +got)\n%s", test.zone, err, diff)
		}
		// The same instant is found in every zone.
		got, err = queryRows(conn, "SELECT COUNT(*) FROM lake.types.all_types WHERE c_ts = TIMESTAMP '1970-01-01T00:00:00Z'")
		if diff := cmp.Diff([]string{"1"}, got); diff != "" || err != nil {
			t.Errorf("%s: err %v, (-want +got)\n%s", test.zone, err, diff)
		}
	}
}

func TestZones(t *testing.T) {
	at := time.Date(2026, 7, 1, 10, 0, 0, 0, time.UTC)
	for name, want := range map[string]string{
		"SYSTEM": at.Local().Format("15:04"), "UTC": "10:00", "+00:00": "10:00", "+05:30": "15:30", "-3:00": "07:00", "Europe/Berlin": "12:00",
	} {
		zone, err := parseZone(name)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		w := wall(at, zone)
		if got := w.Format("15:04"); got != want || w.Location() != time.UTC {
			t.Errorf("%s: wall clock is %s, want %s", name, w, want)
		}
		if back := instant(w, zone); !back.Equal(at) {
			t.Errorf("%s: the instant became %s", name, back)
		}
	}
	for _, name := range []string{"Mars/Olympus", "+25", "-x"} {
		if _, err := parseZone(name); err == nil {
			t.Errorf("%q is taken for a zone", name)
		}
	}
}

func TestPadFraction(t *testing.T) {
	for text, want := range map[string]string{
		"2026-01-01 00:00:00":        "2026-01-01 00:00:00.000000",
		"2026-01-01 00:00:00.5":      "2026-01-01 00:00:00.500000",
		"2026-01-01 00:00:00.123456": "2026-01-01 00:00:00.123456",
		"0000-00-00":                 "0000-00-00",
	} {
		if got := string(padFraction([]byte(text), 6)); got != want {
			t.Errorf("%q became %q, want %q", text, got, want)
		}
	}
}
