package shell

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/dolthub/vitess/go/mysql"
)

// Address says where a server is and as whom to connect.
type Address struct {
	Host           string
	Port           int
	User, Password string
}

// Client is one connection to a server, so that USE and SET last. It is not
// safe for concurrent use.
type Client struct {
	address Address
	conn    *mysql.Conn
}

// maxRows is more than any result that fits in memory has.
const maxRows = 1 << 31

// killTimeout bounds the attempt to cancel a statement.
const killTimeout = 5 * time.Second

// Dial connects to the server.
func Dial(ctx context.Context, a Address) (*Client, error) {
	conn, err := mysql.Connect(ctx, &mysql.ConnParams{Host: a.Host, Port: a.Port, Uname: a.User, Pass: a.Password, Charset: "utf8mb4"})
	if err != nil {
		return nil, fmt.Errorf("connect to %s:%d: %w", a.Host, a.Port, clean(err))
	}
	return &Client{address: a, conn: conn}, nil
}

// Close ends the connection.
func (c *Client) Close() { c.conn.Close() }

// Query runs one statement and takes all its rows. When ctx ends first, the
// statement is killed and ctx's cause returned once it has ended.
func (c *Client) Query(ctx context.Context, statement string) (Result, error) {
	if ctx.Err() != nil {
		return Result{}, context.Cause(ctx)
	}
	type answer struct {
		result Result
		err    error
	}
	answered := make(chan answer, 1)
	go func() {
		result, err := c.fetch(statement)
		answered <- answer{result, err}
	}()
	var got answer
	select {
	case got = <-answered:
	case <-ctx.Done():
		if err := c.kill(context.WithoutCancel(ctx)); err != nil {
			c.conn.Close()
		}
		got = <-answered
		if got.err != nil {
			return Result{}, context.Cause(ctx)
		}
	}
	if got.err != nil {
		return Result{}, clean(got.err)
	}
	return got.result, nil
}

// fetch runs one statement and asks for the warnings that it left.
func (c *Client) fetch(statement string) (Result, error) {
	from, count, err := c.conn.ExecuteFetchWithWarningCount(statement, maxRows, true)
	if err != nil {
		return Result{}, err
	}
	result := newResult(from)
	if count == 0 {
		return result, nil
	}
	warnings, err := c.conn.ExecuteFetch("SHOW WARNINGS", maxRows, true)
	if err != nil {
		return Result{}, err
	}
	for _, row := range warnings.Rows {
		if n := len(row); n > 0 {
			result.Warnings = append(result.Warnings, row[n-1].ToString())
		}
	}
	return result, nil
}

// kill asks the server, through a connection of its own, to end the statement
// that runs on c.
func (c *Client) kill(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, killTimeout)
	defer cancel()
	other, err := Dial(ctx, c.address)
	if err != nil {
		return err
	}
	defer other.Close()
	_, err = other.conn.ExecuteFetch(fmt.Sprintf("KILL QUERY %d", c.conn.ConnectionID), 0, false)
	return err
}

// state is what the server's process list says of the statement that runs on
// c; empty if it does not say.
func (c *Client) state(ctx context.Context) string {
	ctx, cancel := context.WithTimeout(ctx, killTimeout)
	defer cancel()
	other, err := Dial(ctx, c.address)
	if err != nil {
		return ""
	}
	defer other.Close()
	got, err := other.Query(ctx, fmt.Sprintf("SELECT state FROM information_schema.processlist WHERE id = %d", c.conn.ConnectionID))
	if err != nil || len(got.Rows) == 0 {
		return ""
	}
	// The server's process list follows the text with counters.
	text, _, _ := strings.Cut(got.Rows[0][0].Text, "(")
	return strings.TrimSpace(text)
}

// Error is an error of the server.
type Error struct {
	Number  int
	State   string
	Message string
}

// Error has the form of the mysql shell.
func (e *Error) Error() string {
	return fmt.Sprintf("ERROR %d (%s): %s", e.Number, e.State, e.Message)
}

// clean takes the statement out of the client library's errors.
func clean(err error) error {
	var sqlErr *mysql.SQLError
	if errors.As(err, &sqlErr) {
		return &Error{Number: sqlErr.Num, State: sqlErr.State, Message: sqlErr.Message}
	}
	return err
}
