package config

import (
	"errors"
	"fmt"
	"net"
	"path/filepath"
	"time"

	"github.com/firndb/firn/catalog"
)

// ErrConfig is the class of all errors of the package.
var ErrConfig = errors.New("bad configuration")

// EmbeddedCatalog is the name of the catalog of the embedded lake, which is
// there when no other is configured.
const EmbeddedCatalog = "oleander"

// Config is what firn.yaml says.
type Config struct {
	// Listen is the host and port to listen on.
	Listen string
	// DataDir is the folder for everything that Firn keeps: the journal, and the
	// embedded lake.
	DataDir string
	// DefaultCatalog is the catalog that unqualified names refer to; empty
	// means the first one.
	DefaultCatalog string
	// Catalogs are the configured catalogs in the order of the file; none means
	// the embedded lake.
	Catalogs []catalog.Config
	// Memory is the ceiling of a procedure's buffers, in bytes; 0 is the default:
	// a quarter of the machine's, 1 GiB at most.
	Memory int64
	// ScratchDir is the folder for rows that are sorted and do not fit into memory;
	// empty means the folder "scratch" in DataDir if the lake is the embedded one,
	// else the system's folder for temporary files.
	ScratchDir string
	// ScratchLimit is how many bytes a procedure may have there; 0 means that only
	// the free space bounds it.
	ScratchLimit int64
	// OrphanMinAge is how old files must be to be removed as orphans; 0 means 24
	// hours.
	OrphanMinAge time.Duration
	// Users may connect with their passwords. With none, anybody who reaches
	// the port may.
	Users []User
	// MaxRowsInMemory and MaxBytesInMemory bound what a query holds to sort,
	// group, join or tell rows apart: rows, and about how many bytes they take.
	// 0 is no limit.
	MaxRowsInMemory, MaxBytesInMemory int64
	// ManifestCacheBytes is how much memory the manifests take at most that are
	// kept between statements; 0 keeps none.
	ManifestCacheBytes int64
}

// User is somebody who may connect.
type User struct{ Name, Password string }

// leastMemory is with how little a procedure can do.
const leastMemory = 64 << 20

// Default is the configuration without a file.
func Default() Config {
	return Config{
		Listen: "127.0.0.1:3307", DataDir: "firn-data",
		MaxRowsInMemory: 10_000_000, MaxBytesInMemory: 2 << 30, ManifestCacheBytes: 256 << 20,
	}
}

// Validate says what is wrong with the configuration as a whole. The error
// wraps ErrConfig.
func (c Config) Validate() error {
	if _, _, err := net.SplitHostPort(c.Listen); err != nil {
		return fmt.Errorf("%w: listen: %q is not host:port", ErrConfig, c.Listen)
	}
	if c.Memory != 0 && c.Memory < leastMemory {
		return fmt.Errorf("%w: memory: must be at least 64MiB", ErrConfig)
	}
	for name, n := range map[string]int64{
		"max-rows-in-memory": c.MaxRowsInMemory, "max-bytes-in-memory": c.MaxBytesInMemory, "manifest-cache-bytes": c.ManifestCacheBytes,
	} {
		if n < 0 {
			return fmt.Errorf("%w: %s: %d is negative; 0 or more is allowed", ErrConfig, name, n)
		}
	}
	for _, u := range c.Users {
		if u.Name == "" || u.Password == "" {
			return fmt.Errorf("%w: users: %q needs a name and a password", ErrConfig, u.Name)
		}
	}
	return nil
}

// Set returns the configured catalogs, or the embedded lake if there are none.
func (c Config) Set(hooks catalog.Hooks) (*catalog.Set, error) {
	configs := c.Catalogs
	if len(configs) == 0 {
		dir, err := filepath.Abs(c.DataDir)
		if err != nil {
			return nil, fmt.Errorf("%w: data-dir: %w", ErrConfig, err)
		}
		configs = []catalog.Config{embedded(dir)}
	}
	return catalog.NewSet(configs, c.DefaultCatalog, hooks)
}

// JournalDir is the folder for the journal.
func (c Config) JournalDir() string { return filepath.Join(c.DataDir, "journal") }

// Scratch is the folder for scratch files; empty means the system's.
func (c Config) Scratch() string {
	if c.ScratchDir == "" && len(c.Catalogs) == 0 {
		return filepath.Join(c.DataDir, "scratch")
	}
	return c.ScratchDir
}

// embedded describes the lake under dir: a SQLite catalog and a folder.
func embedded(dir string) catalog.Config {
	return catalog.Config{
		Name:    EmbeddedCatalog,
		Aliases: []string{"spark_catalog"},
		Properties: map[string]string{
			"type":      "sql",
			"uri":       "sqlite:///" + filepath.Join(dir, "catalog.db"),
			"warehouse": "file://" + filepath.ToSlash(filepath.Join(dir, "warehouse")),
		},
	}
}
