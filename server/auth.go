package server

import (
	gmsserver "github.com/dolthub/go-mysql-server/server"
	"github.com/dolthub/go-mysql-server/sql/mysql_db"
	"github.com/dolthub/vitess/go/mysql"
)

// addUsers makes the users known with all privileges. Without users the
// engine lets everybody in.
func addUsers(db *mysql_db.MySQLDb, users []User) {
	// Nothing is written to disk, but the engine calls the persister anyway.
	db.SetPersister(&mysql_db.NoopPersister{})
	if len(users) == 0 {
		return
	}
	editor := db.Editor()
	defer editor.Close()
	for _, u := range users {
		db.AddSuperUser(editor, u.Name, "%", u.Password)
	}
}

// listener is the protocol's listener with our way of turning users away.
func listener(cfg gmsserver.Config, of mysql.ListenerConfig, events gmsserver.ServerEventListener) (gmsserver.ProtocolListener, error) {
	of.AuthServer = authServer{of.AuthServer}
	return gmsserver.MySQLProtocolListenerFactory(cfg, of, events)
}

// authServer asks unknown users for their password too, so that they are
// refused as those with a wrong one are: the engine tells them that there is no
// way to authenticate, which clients report as a broken handshake.
type authServer struct{ mysql.AuthServer }

// AuthMethods implements mysql.AuthServer.
func (a authServer) AuthMethods() []mysql.AuthMethod {
	methods := a.AuthServer.AuthMethods()
	out := make([]mysql.AuthMethod, len(methods))
	for i, m := range methods {
		out[i] = m
		if m.Name() == mysql.MysqlNativePassword {
			out[i] = anyUser{m}
		}
	}
	return out
}

// anyUser is a method that is tried with any user.
type anyUser struct{ mysql.AuthMethod }

// HandleUser implements mysql.AuthMethod.
func (anyUser) HandleUser(*mysql.Conn, string) bool { return true }
