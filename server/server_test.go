package server

import (
	"context"
	stdsql "database/sql"
	"errors"
	"net"
	"strings"
	"testing"

	"github.com/go-sql-driver/mysql"
	"github.com/google/go-cmp/cmp"

	"github.com/firndb/firn/catalog"
	"github.com/firndb/firn/internal/lakefixture"
)

// client is a connection pool of one server under test.
type client struct {
	t    *testing.T
	db   *stdsql.DB
	addr string
	// stop ends the server and waits for it.
	stop func() error
}

// serve starts a server of the fixture lake, or with cfg.Catalogs of those.
func serve(t *testing.T, cfg Config) *client {
	t.Helper()
	if cfg.Catalogs == nil {
		cfg.Catalogs = lakefixture.Open(t, catalog.Hooks{}).Set
	}
	s, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- s.Serve(ctx, l) }()
	c := &client{t: t, addr: l.Addr().String()}
	c.db = c.open("", "", "")
	stopped := false
	c.stop = func() error {
		if stopped {
			return nil
		}
		stopped = true
		cancel()
		return <-done
	}
	t.Cleanup(func() {
		if err := c.stop(); err != nil {
			t.Errorf("serve: %v", err)
		}
	})
	return c
}

// open makes a pool for a user and database, either may be empty.
func (c *client) open(user, password, database string) *stdsql.DB {
	c.t.Helper()
	cfg := mysql.NewConfig()
	cfg.Net, cfg.Addr, cfg.User, cfg.Passwd, cfg.DBName = "tcp", c.addr, user, password, database
	if user == "" {
		cfg.User = "anyone"
	}
	connector, err := mysql.NewConnector(cfg)
	if err != nil {
		c.t.Fatal(err)
	}
	db := stdsql.OpenDB(connector)
	c.t.Cleanup(func() { db.Close() })
	return db
}

// query returns the rows of a statement as text, cells separated by " | ".
// With args it goes through the prepared protocol.
func (c *client) query(query string, args ...any) []string {
	c.t.Helper()
	out, err := queryRows(c.db, query, args...)
	if err != nil {
		c.t.Fatalf("%s: %v", query, err)
	}
	return out
}

// queryer is a pool or one connection of it.
type queryer interface {
	QueryContext(ctx context.Context, query string, args ...any) (*stdsql.Rows, error)
}

func queryRows(db queryer, query string, args ...any) ([]string, error) {
	rows, err := db.QueryContext(context.Background(), query, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	columns, err := rows.Columns()
	if err != nil {
		return nil, err
	}
	var out []string
	for rows.Next() {
		cells := make([]stdsql.NullString, len(columns))
		dest := make([]any, len(columns))
		for i := range cells {
			dest[i] = &cells[i]
		}
		if err := rows.Scan(dest...); err != nil {
			return nil, err
		}
		text := make([]string, len(columns))
		for i, cell := range cells {
			text[i] = "NULL"
			if cell.Valid {
				text[i] = cell.String
			}
		}
		out = append(out, strings.Join(text, " | "))
	}
	return out, rows.Err()
}

// errno is the number and SQLSTATE with which a statement fails.
func errno(t *testing.T, err error) (uint16, string) {
	t.Helper()
	var e *mysql.MySQLError
	if !errors.As(err, &e) {
		t.Fatalf("got error %v, want one from the server", err)
	}
	return e.Number, string(e.SQLState[:])
}

func (c *client) want(query string, want ...string) {
	c.t.Helper()
	if diff := cmp.Diff(want, c.query(query)); diff != "" {
		c.t.Errorf("%s: rows differ (-want +got):\n%s", query, diff)
	}
}

func TestNamesAndData(t *testing.T) {
	c := serve(t, Config{Version: "1.2.3"})
	c.want("SHOW DATABASES", "information_schema", "lake.analytics", "lake.lakehouse", "lake.ops", "lake.tutorial", "lake.types")
	c.want("SHOW TABLES FROM `lake.tutorial`", "retail_clickstream_events")
	c.want("SHOW TABLES FROM `TUTORIAL`", "retail_clickstream_events")
	c.want("SELECT COUNT(*) FROM `lake.tutorial`.retail_clickstream_events", "400")
	c.want("SELECT COUNT(*) FROM tutorial.RETAIL_clickstream_events WHERE price > 10", "165")
	c.want("SELECT version(), @@version, @@version_comment", "8.0.31-Firn-1.2.3 | 8.0.31-Firn-1.2.3 | Firn")
}
