package server

import (
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"sync"
	"time"
	// Time zones are found where the system has no database of them.
	_ "time/tzdata"

	sqle "github.com/dolthub/go-mysql-server"
	gmsserver "github.com/dolthub/go-mysql-server/server"
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/analyzer"
	"github.com/dolthub/vitess/go/mysql"
	"github.com/sirupsen/logrus"

	"github.com/firndb/firn/metatables"
)

// cancelWait is how long cancelled statements may take to end before their
// connections are closed under them.
const cancelWait = 5 * time.Second

// Server answers MySQL clients. Several may run in one process.
type Server struct {
	cfg    Config
	engine *sqle.Engine
	shared shared
}

// engineGlobals guards the making of engines: each sets process-wide variables
// of the library, to the same values.
var engineGlobals sync.Mutex

// engineBuffers runs once what running engines would notice. The buffer that the
// engine writes a statement's cells to is not emptied before the statement ends,
// so that it would be as large as the whole result; and where a cursor is open,
// another statement may have it before the last rows are sent. One of no bytes
// never grows, and every cell has memory of its own.
var engineBuffers sync.Once

// New makes a server. It opens nothing; the error wraps ErrConfig.
func New(cfg Config) (*Server, error) {
	cfg, err := cfg.withDefaults()
	if err != nil {
		return nil, err
	}
	engineGlobals.Lock()
	defer engineGlobals.Unlock()
	// What the library logs is either returned to the client as well or
	// routine.
	logrus.SetOutput(io.Discard)
	logrus.SetLevel(logrus.PanicLevel)
	if err := sql.SystemVariables.AssignValues(map[string]any{
		"version":         cfg.wireVersion(),
		"version_comment": "Firn",
		// Statements read and write no files of the server: the only folder for
		// them is none.
		"secure_file_priv": os.DevNull,
	}); err != nil {
		return nil, fmt.Errorf("set version variables: %w", err)
	}
	engineBuffers.Do(func() { sql.ByteBufPool.New = func() any { return sql.NewByteBuffer(0) } })
	names := newProvider(cfg.Catalogs, systemTables{cfg.operations, cfg.Journal})
	rules := withoutRoutines(addRules(analyzer.NewBuilder(names)))
	engine := sqle.New(rules.Build(), &sqle.Config{})
	engine.Parser = newParser(names, cfg, engine)
	engine.Analyzer.Parser = engine.Parser
	tables := engine.Analyzer.Catalog
	tables.InfoSchema = newInfoSchema(tables.InfoSchema, names, tables, cfg)
	engine.Analyzer.ExecBuilder = newBuilder()
	addUsers(engine.Analyzer.Catalog.MySQLDb, cfg.Users)
	return &Server{cfg: cfg, engine: engine, shared: shared{metatables.NewCache(cfg.ManifestCache), cfg.Memory}}, nil
}

// newContext makes the context of a statement, whose time is that of the server's
// clock.
func (s *Server) newContext(ctx context.Context, options ...sql.ContextOption) *sql.Context {
	made := sql.NewContext(ctx, options...)
	made.SetQueryTime(s.cfg.Now())
	return made
}

// Serve answers connections of l until ctx is done. Then it accepts no new
// ones, ends idle ones, lets running statements go on for the configured grace,
// cancels what is left, and returns nil. It closes l.
func (s *Server) Serve(ctx context.Context, l net.Listener) error {
	var h *handler
	wrap := func(next mysql.Handler) (mysql.Handler, error) {
		h = newHandler(next, s.cfg.Log)
		return h, nil
	}
	cfg := gmsserver.Config{Protocol: "tcp", Address: l.Addr().String(), Listener: l, Version: s.cfg.wireVersion(), ProtocolListenerFactory: listener}
	srv, err := gmsserver.NewServerWithHandler(cfg, s.engine, s.newContext, s.newSession, nil, wrap)
	if err != nil {
		return fmt.Errorf("serve on %s: %w", l.Addr(), err)
	}
	settling, stopSettling := context.WithCancel(ctx)
	settled := make(chan struct{})
	go func() {
		defer close(settled)
		s.settle(settling)
	}()
	accepting := make(chan struct{})
	go func() {
		defer close(accepting)
		srv.Listener.Accept()
	}()
	select {
	case <-ctx.Done():
		err = nil
	case <-accepting:
		err = fmt.Errorf("serve on %s: the listener was closed", l.Addr())
	}
	srv.Listener.Close()
	<-accepting
	stopSettling()
	h.stop(s.cfg.Grace, cancelWait)
	<-settled
	stats := s.shared.cache.Stats()
	s.cfg.Log.Info("manifest cache", "hits", stats.Hits, "misses", stats.Misses, "evictions", stats.Evictions, "bytes", stats.Bytes, "limit", stats.Limit)
	return err
}
