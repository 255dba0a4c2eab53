package server

import (
	"errors"
	"fmt"
	"log/slog"
	"net"
	"time"

	"github.com/firndb/firn/catalog"
	"github.com/firndb/firn/maintenance"
	"github.com/firndb/firn/maintenance/journal"
	"github.com/firndb/firn/procedures"
)

// Config is what a server is made from.
type Config struct {
	// Catalogs are the catalogs that it shows. They are opened when a statement
	// first needs them.
	Catalogs *catalog.Set
	// Users may connect, with their passwords. If there are none, any user name
	// with an empty password may, and the server must listen on loopback only:
	// see CheckListen.
	Users []User
	// Now is the clock of statements and procedures; nil means time.Now.
	Now func() time.Time
	// Log gets what an operator may want to know; nil means nobody reads it.
	Log *slog.Logger
	// Limits bound each procedure call.
	Limits maintenance.Limits
	// Memory bounds what each query holds in memory.
	Memory MemoryLimits
	// ManifestCache is how many bytes the manifests take at most that are kept
	// for later statements; 0 keeps none.
	ManifestCache int64
	// Journal is told what procedures are about to write; what it has of dead
	// processes is settled while the server serves. Nil keeps none. The server
	// does not close it.
	Journal *journal.Journal
	// Version is Firn's own version, shown after MySQL's in version().
	Version string
	// Grace is how long running statements may go on after Serve is told to
	// stop. Zero cancels them at once.
	Grace time.Duration

	// procedure makes an instance of a procedure; tests have their own.
	procedure func(name string) (procedures.Procedure, error)
	// operations are the calls.
	operations *operations
}

// User may connect to the server. The password must not be empty.
type User struct {
	Name, Password string
}

// mysqlVersion is the version of MySQL whose behaviour clients may expect.
const mysqlVersion = "8.0.31"

// ErrConfig is wrapped by errors about a Config or a listen address.
var ErrConfig = errors.New("bad server configuration")

// withDefaults returns the config with its optional fields set, or an error
// that wraps ErrConfig.
func (c Config) withDefaults() (Config, error) {
	if c.Catalogs == nil {
		return c, fmt.Errorf("%w: no catalogs", ErrConfig)
	}
	for _, u := range c.Users {
		if u.Name == "" || u.Password == "" {
			return c, fmt.Errorf("%w: user %q must have a name and a password", ErrConfig, u.Name)
		}
	}
	if c.Memory.Rows < 0 || c.Memory.Bytes < 0 || c.ManifestCache < 0 {
		return c, fmt.Errorf("%w: limits must not be negative", ErrConfig)
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	c.operations = &operations{now: c.Now}
	if c.procedure == nil {
		c.procedure = procedures.New
	}
	if c.Version == "" {
		c.Version = "dev"
	}
	return c, nil
}

// wireVersion is what the handshake and version() say.
func (c Config) wireVersion() string { return mysqlVersion + "-Firn-" + c.Version }

// CheckListen returns an error that wraps ErrConfig if the server must not
// listen on address, which is host:port: without users it may on loopback only.
func CheckListen(address string, users []User) error {
	if len(users) > 0 {
		return nil
	}
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return fmt.Errorf("%w: listen address %q must be host:port: %w", ErrConfig, address, err)
	}
	if host == "localhost" {
		return nil
	}
	if ip := net.ParseIP(host); ip != nil && ip.IsLoopback() {
		return nil
	}
	return fmt.Errorf("%w: listen address %q is not loopback: configure a user with a password, or listen on 127.0.0.1", ErrConfig, address)
}
