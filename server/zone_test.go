package server

import "testing"

func TestUnknownTimeZonesAreRefused(t *testing.T) {
	c := serve(t, Config{})
	conn, err := c.db.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	for _, zone := range []string{"'Nope'", "'+25:00'", "'+2'"} {
		_, err := conn.ExecContext(t.Context(), "SET time_zone = "+zone)
		if num, _ := errno(t, err); num != 1298 {
			t.Errorf("SET time_zone = %s ends with number %d, want 1298: %v", zone, num, err)
		}
	}
	if _, err := conn.ExecContext(t.Context(), "SET SESSION time_zone = 'Europe/Berlin'"); err != nil {
		t.Error(err)
	}
	got, err := queryRows(conn, "SELECT @@time_zone")
	if err != nil || got[0] != "Europe/Berlin" {
		t.Errorf("time_zone is %v, %v", got, err)
	}
}
