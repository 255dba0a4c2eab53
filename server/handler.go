package server

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"sync"
	"time"

	"github.com/dolthub/vitess/go/mysql"
	"github.com/dolthub/vitess/go/sqltypes"
	querypb "github.com/dolthub/vitess/go/vt/proto/query"

	"github.com/firndb/firn/guard"
)

// handler stands between the protocol and the engine. It ends a statement that
// panics with an error, gives errors their numbers, and knows the connections
// and running statements for when the server stops.
type handler struct {
	mysql.Handler
	log *slog.Logger

	mu      sync.Mutex
	conns   map[uint32]*mysql.Conn
	running map[uint32]context.CancelFunc
	// ready are the connections that the process list knows the users of.
	ready map[uint32]bool
	// stopping is set once; gone is closed when it is set and no connection is
	// left.
	stopping bool
	gone     chan struct{}
}

func newHandler(next mysql.Handler, log *slog.Logger) *handler {
	return &handler{
		Handler: next,
		log:     log,
		conns:   map[uint32]*mysql.Conn{},
		running: map[uint32]context.CancelFunc{},
		ready:   map[uint32]bool{},
		gone:    make(chan struct{}),
	}
}

// NewConnection implements mysql.Handler.
func (h *handler) NewConnection(c *mysql.Conn) {
	h.mu.Lock()
	h.conns[c.ConnectionID] = c
	if h.stopping {
		hangUp(c)
	}
	h.mu.Unlock()
	h.Handler.NewConnection(c)
}

// ConnectionClosed implements mysql.Handler.
func (h *handler) ConnectionClosed(c *mysql.Conn) {
	h.Handler.ConnectionClosed(c)
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.conns, c.ConnectionID)
	delete(h.ready, c.ConnectionID)
	h.checkGone()
}

// checkGone closes gone if it is time. The caller holds mu.
func (h *handler) checkGone() {
	if !h.stopping || len(h.conns) > 0 {
		return
	}
	select {
	case <-h.gone:
	default:
		close(h.gone)
	}
}

// hangUp makes the server's next read from c fail, so that the connection ends
// when the statement that it is running, if any, has been answered.
func hangUp(c *mysql.Conn) {
	// A connection that is closed already has nothing to fail.
	_ = c.Conn.SetReadDeadline(time.Unix(1, 0))
}

// stop ends all connections: the idle ones now, the others after their
// statement. Statements that still run after grace are cancelled, and what is
// left after another wait is closed.
func (h *handler) stop(grace, wait time.Duration) {
	h.mu.Lock()
	h.stopping = true
	for _, c := range h.conns {
		hangUp(c)
	}
	h.checkGone()
	h.mu.Unlock()
	if h.waitGone(grace) {
		return
	}
	h.mu.Lock()
	for _, cancel := range h.running {
		cancel()
	}
	h.mu.Unlock()
	if h.waitGone(wait) {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, c := range h.conns {
		c.Close()
	}
}

func (h *handler) waitGone(d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-h.gone:
		return true
	case <-timer.C:
		return false
	}
}

// run runs one command of a connection: it can be cancelled, and its panic
// becomes its error.
func (h *handler) run(ctx context.Context, c *mysql.Conn, query string, command func(context.Context) error) (err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	h.mu.Lock()
	if h.stopping {
		h.mu.Unlock()
		return wireError(errStop)
	}
	h.running[c.ConnectionID] = cancel
	ready := h.ready[c.ConnectionID]
	h.ready[c.ConnectionID] = true
	h.mu.Unlock()
	defer func() {
		h.mu.Lock()
		delete(h.running, c.ConnectionID)
		h.mu.Unlock()
	}()
	defer func() {
		if r := recover(); r != nil {
			h.log.Error("statement panicked", "query", query, "panic", r, "stack", string(debug.Stack()))
			err = wireError(fmt.Errorf("%w: %v; the statement was ended, please report it", guard.ErrPanic, r))
		}
	}()
	if !ready {
		// The process list has a connection's user when it is told the database,
		// which clients that begin without one never do.
		if err := h.Handler.ComInitDB(c, ""); err != nil {
			return finalError(err)
		}
	}
	err = finalError(command(ctx))
	var final *mysql.SQLError
	if errors.As(err, &final) && final.Num == codePanic {
		h.log.Error("statement panicked", "query", query, "panic", final.Message)
	}
	return err
}

// ComInitDB implements mysql.Handler.
func (h *handler) ComInitDB(c *mysql.Conn, name string) error {
	return h.run(context.Background(), c, "USE "+name, func(context.Context) error {
		return h.Handler.ComInitDB(c, name)
	})
}

// ComQuery implements mysql.Handler.
func (h *handler) ComQuery(ctx context.Context, c *mysql.Conn, query string, callback mysql.ResultSpoolFn) error {
	return h.run(ctx, c, query, func(ctx context.Context) error {
		return h.Handler.ComQuery(ctx, c, query, shown(callback))
	})
}

// ComMultiQuery implements mysql.Handler.
func (h *handler) ComMultiQuery(ctx context.Context, c *mysql.Conn, query string, callback mysql.ResultSpoolFn) (rest string, err error) {
	err = h.run(ctx, c, query, func(ctx context.Context) error {
		rest, err = h.Handler.ComMultiQuery(ctx, c, query, shown(callback))
		return err
	})
	return rest, err
}

// ComPrepare implements mysql.Handler.
func (h *handler) ComPrepare(ctx context.Context, c *mysql.Conn, query string, prepare *mysql.PrepareData) (fields []*querypb.Field, err error) {
	err = h.run(ctx, c, query, func(ctx context.Context) error {
		fields, err = h.Handler.ComPrepare(ctx, c, query, prepare)
		return err
	})
	return fields, err
}

// ComStmtExecute implements mysql.Handler.
func (h *handler) ComStmtExecute(ctx context.Context, c *mysql.Conn, prepare *mysql.PrepareData, callback func(*sqltypes.Result) error) error {
	return h.run(ctx, c, prepare.PrepareStmt, func(ctx context.Context) error {
		return h.Handler.ComStmtExecute(ctx, c, prepare, callback)
	})
}

// ComResetConnection implements mysql.Handler.
func (h *handler) ComResetConnection(c *mysql.Conn) error {
	return h.run(context.Background(), c, "reset connection", func(context.Context) error {
		return h.Handler.ComResetConnection(c)
	})
}

// shown passes results on with the text that MySQL would show: all digits of a
// DATETIME(6)'s fraction, where the engine leaves out zeros at the end, and
// numbers without an exponent.
func shown(callback mysql.ResultSpoolFn) mysql.ResultSpoolFn {
	return func(res *sqltypes.Result, more bool) error {
		for i, f := range res.Fields {
			show := shownAs(f)
			if show == nil {
				continue
			}
			for _, row := range res.Rows {
				if !row[i].IsNull() {
					row[i] = show(row[i])
				}
			}
		}
		return callback(res, more)
	}
}

// shownAs is what changes the values of a column for shown, nil if nothing does.
func shownAs(f *querypb.Field) func(sqltypes.Value) sqltypes.Value {
	switch f.Type {
	case sqltypes.Float32, sqltypes.Float64:
		return plainFloat
	case sqltypes.Datetime, sqltypes.Timestamp:
		if f.Decimals > 0 {
			return func(v sqltypes.Value) sqltypes.Value {
				return sqltypes.MakeTrusted(f.Type, padFraction(v.Raw(), int(f.Decimals)))
			}
		}
	}
	return nil
}

// padFraction gives the text of a time the number of digits after the point.
func padFraction(text []byte, digits int) []byte {
	const whole = len("2006-01-02 15:04:05")
	if len(text) < whole || len(text) >= whole+1+digits {
		return text
	}
	out := make([]byte, 0, whole+1+digits)
	out = append(out, text...)
	if len(text) == whole {
		out = append(out, '.')
	}
	for len(out) < whole+1+digits {
		out = append(out, '0')
	}
	return out
}
