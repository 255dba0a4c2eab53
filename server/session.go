package server

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/apache/iceberg-go/table"
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/vitess/go/mysql"

	"github.com/firndb/firn/catalog"
	"github.com/firndb/firn/metatables"
	"github.com/firndb/firn/server/functions"
)

// session is a connection's session. It keeps what belongs to the statement
// that the connection is running.
type session struct {
	*sql.BaseSession

	// shared is what the sessions of a server have in common.
	shared shared

	mu   sync.Mutex
	stmt *statement
	// used is the database that the session uses, once a statement has found
	// it: the next ones need not ask the catalog again.
	used *usedDatabase
}

// shared is what the statements of a server have in common.
type shared struct {
	cache  *metatables.Cache
	limits MemoryLimits
}

// usedDatabase is a database in the memory of a session.
type usedDatabase struct {
	key              string
	catalog          *catalog.Catalog
	namespace, table table.Identifier
}

// currentOf is the session's current database if key, its name in lower case,
// means that and a statement of the session has found it; nil otherwise.
func currentOf(ctx *sql.Context, stmt *statement, key string) *database {
	s := sessionOf(ctx)
	if s == nil || !strings.EqualFold(s.GetCurrentDatabase(), key) {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.used == nil || s.used.key != key {
		return nil
	}
	return newDatabase(stmt, s.used.catalog, s.used.namespace, s.used.table)
}

// keepCurrent remembers db for later statements if key means the session's
// current database.
func keepCurrent(ctx *sql.Context, key string, db *database) {
	s := sessionOf(ctx)
	if s == nil || !strings.EqualFold(s.GetCurrentDatabase(), key) {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.used = &usedDatabase{key, db.catalog, db.namespace, db.table}
}

// sessionOf is the session of ctx, nil if it has none of ours.
func sessionOf(ctx *sql.Context) *session {
	if ctx == nil || ctx.Session == nil {
		return nil
	}
	s, _ := ctx.Session.(*session)
	return s
}

// statement is what one statement has looked up: it sees one version of each
// table and asks each catalog for a name once.
type statement struct {
	pins *catalog.Pins

	// cache keeps manifests, for all statements.
	cache *metatables.Cache
	// budget is what it holds in memory.
	budget budget

	// metas are the kinds of metadata tables.
	metas []metatables.Table

	mu        sync.Mutex
	databases map[string]*database
	// views are the views that the statement names, by their texts.
	views map[string]*viewUse
}

func newStatement(common shared) *statement {
	return &statement{
		pins: catalog.NewPins(), cache: common.cache, budget: budget{limits: common.limits},
		metas: metatables.All(), databases: map[string]*database{},
	}
}

// meta returns the kind of metadata table of that name, in any case, nil if
// there is none.
func (s *statement) meta(name string) *metatables.Table {
	for i, m := range s.metas {
		if strings.EqualFold(m.Name, name) {
			return &s.metas[i]
		}
	}
	return nil
}

// isPart says whether a table has a part of that name: a metadata table, or a
// version that the name selects.
func (s *statement) isPart(name string) bool {
	_, selects := parseSelector(name)
	return selects || s.meta(name) != nil
}

// newSession makes the session of a new connection. Its time zone is UTC until
// the client sets another.
func (s *Server) newSession(ctx context.Context, conn *mysql.Conn, addr string) (sql.Session, error) {
	client := sql.Client{Capabilities: conn.Capabilities}
	if user, ok := conn.UserData.(sql.MysqlConnectionUser); ok {
		client.User, client.Address = user.User, user.Host
	}
	made := &session{BaseSession: sql.NewBaseSessionWithClientServer(addr, client, conn.ConnectionID), shared: s.shared}
	if err := made.SetSessionVariable(sql.NewContext(ctx, sql.WithSession(made)), "time_zone", "UTC"); err != nil {
		return nil, fmt.Errorf("set time_zone: %w", err)
	}
	return made, nil
}

// CommandBegin forgets what the previous statement looked up.
func (s *session) CommandBegin() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stmt = newStatement(s.shared)
	return nil
}

// CommandEnd lets go of the statement's tables.
func (s *session) CommandEnd() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stmt = nil
}

// GetCollation implements sql.Session. Texts are compared byte by byte, as in
// Spark, whatever collation the client's character set brings with it: columns
// are, and the collation of a session is that of its literals.
func (s *session) GetCollation() sql.CollationID { return sql.Collation_Default }

// SessionEnd has nothing to do.
func (s *session) SessionEnd() {}

// statementOf returns the running statement of ctx. Outside one, as in the
// engine's own housekeeping, nothing is remembered.
func statementOf(ctx *sql.Context) *statement {
	s := sessionOf(ctx)
	if s == nil {
		return newStatement(shared{})
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stmt == nil {
		return newStatement(s.shared)
	}
	return s.stmt
}

// zoneOf returns the session's time zone, UTC if there is no session.
func zoneOf(ctx *sql.Context) (*time.Location, error) { return functions.Zone(ctx) }

// parseZone understands the values of time_zone.
func parseZone(name string) (*time.Location, error) { return functions.ParseZone(name) }

// wall returns the wall clock of the instant t in zone as a time in UTC,
// rounded to microseconds.
func wall(t time.Time, zone *time.Location) time.Time { return functions.Wall(t, zone) }

// instant is the inverse of wall.
func instant(t time.Time, zone *time.Location) time.Time { return functions.Instant(t, zone) }
