package server

import (
	"os"
	"strings"
	"testing"
)

func TestExplore(t *testing.T) {
	path := os.Getenv("EXPLORE")
	if path == "" {
		return
	}
	b, _ := os.ReadFile(path)
	c := serve(t, Config{Version: "1.2.3"})
	conn, err := c.db.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, q := range strings.Split(string(b), ";\n") {
		if strings.TrimSpace(q) == "" {
			continue
		}
		rows, err := queryRows(conn, q)
		t.Logf("> %s\n%s\nerr %v", q, strings.Join(rows, "\n"), err)
	}
}
