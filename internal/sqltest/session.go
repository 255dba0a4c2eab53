package sqltest

import (
	"context"
	"database/sql"
	"net"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"

	"github.com/firndb/firn/catalog"
	"github.com/firndb/firn/internal/lakefixture"
	"github.com/firndb/firn/server"
)

// Now is the time of every test: a little later than anything in the lake, so
// that nothing in it is old.
func Now() time.Time { return time.Date(2026, time.November, 30, 4, 0, 0, 0, time.UTC) }

// Session is a connection to a server of its own on a copy of the lake.
type Session struct {
	Lake *lakefixture.Lake
	// Address is where the server listens.
	Address string

	conn *sql.Conn
}

// Start makes a copy of the lake, a server on it and a connection to that. They
// live as long as the test.
func Start(t testing.TB, hooks catalog.Hooks) *Session {
	t.Helper()
	return Serve(t, lakefixture.Open(t, hooks))
}

// Serve is Start on a lake that is there.
func Serve(t testing.TB, lake *lakefixture.Lake) *Session { return ServeAt(t, lake, Now) }

// ServeAt is Serve with a clock.
func ServeAt(t testing.TB, lake *lakefixture.Lake, now func() time.Time) *Session {
	t.Helper()
	s, err := server.New(server.Config{Catalogs: lake.Set, Now: now, Version: "test"})
	if err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(ctx, listener) }()
	t.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			t.Errorf("serve: %v", err)
		}
	})
	session := &Session{Lake: lake, Address: listener.Addr().String()}
	session.conn = session.Connect(t)
	return session
}

// Connect opens another connection to the server.
func (s *Session) Connect(t testing.TB) *sql.Conn {
	t.Helper()
	config := mysql.NewConfig()
	config.User, config.Net, config.Addr = "root", "tcp", s.Address
	connector, err := mysql.NewConnector(config)
	if err != nil {
		t.Fatal(err)
	}
	db := sql.OpenDB(connector)
	conn, err := db.Conn(t.Context())
	if err != nil {
		t.Fatalf("connect: %v", err)
	}
	t.Cleanup(func() {
		conn.Close()
		db.Close()
	})
	return conn
}

// Query runs a statement and returns its answer in full. The statement is sent
// as text when there are no args and prepared is false.
func (s *Session) Query(ctx context.Context, statement string, prepared bool, args ...any) (Result, error) {
	if !prepared {
		rows, err := s.conn.QueryContext(ctx, statement, args...)
		if err != nil {
			return Result{}, err
		}
		return read(rows)
	}
	stmt, err := s.conn.PrepareContext(ctx, statement)
	if err != nil {
		return Result{}, err
	}
	defer stmt.Close()
	rows, err := stmt.QueryContext(ctx, args...)
	if err != nil {
		return Result{}, err
	}
	return read(rows)
}

// Result is the answer to a statement.
type Result struct {
	Columns []string
	// Types are the columns' MySQL types, with NOT NULL behind if so.
	Types []string
	Rows  [][]Value
}

// Value is a cell, as text; not valid is NULL.
type Value = sql.NullString

func read(rows *sql.Rows) (Result, error) {
	defer rows.Close()
	names, err := rows.Columns()
	if err != nil {
		return Result{}, err
	}
	result := Result{Columns: names}
	types, err := rows.ColumnTypes()
	if err != nil {
		return Result{}, err
	}
	for _, c := range types {
		text := c.DatabaseTypeName()
		if null, ok := c.Nullable(); ok && !null {
			text += " NOT NULL"
		}
		result.Types = append(result.Types, text)
	}
	for rows.Next() {
		row := make([]Value, len(names))
		targets := make([]any, len(names))
		for i := range row {
			targets[i] = &row[i]
		}
		if err := rows.Scan(targets...); err != nil {
			return Result{}, err
		}
		result.Rows = append(result.Rows, row)
	}
	return result, rows.Err()
}
