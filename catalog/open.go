package catalog

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	icecat "github.com/apache/iceberg-go/catalog"
)

// Open connects to a catalog. A catalog of type sql keeps its tables in
// SQLite: its uri is PyIceberg's sqlite:///path or SQLite's own file:path. A
// database that is not there is made, with its folder, unless the configuration
// says that it must exist. The error wraps ErrConfig when the properties cannot
// be used.
func Open(ctx context.Context, config Config, hooks Hooks) (*Catalog, error) {
	props := maps.Clone(config.Properties)
	if props["type"] == "sql" {
		if err := useSQLite(config, props); err != nil {
			return nil, err
		}
	}
	ice, err := icecat.Load(ctx, config.Name, props)
	if err != nil {
		return nil, fmt.Errorf("open catalog %q: %w", config.Name, err)
	}
	c := New(config.Name, ice, hooks)
	if views := newSQLViews(ice, config.Name, props, hooks); views != nil {
		c.views = views
	}
	c.aliases = config.Aliases
	return c, nil
}

// useSQLite turns PyIceberg's properties of a SQL catalog into those of
// iceberg-go with the built-in driver.
func useSQLite(config Config, props map[string]string) error {
	path, query, err := sqlitePath(props["uri"])
	if err != nil {
		return fmt.Errorf("%w: catalog %q: uri %q: %w", ErrConfig, config.Name, props["uri"], err)
	}
	if path != ":memory:" && query.Get("mode") != "memory" {
		if err := checkDatabase(path, config.MustExist && query.Get("mode") != "rwc"); err != nil {
			return fmt.Errorf("%w: catalog %q: %w", ErrConfig, config.Name, err)
		}
	}
	// A commit that finds the database locked by another would fail with an
	// error from which nothing can be told about its outcome; waiting is better.
	if !query.Has("_pragma") {
		query.Add("_pragma", "busy_timeout(10000)")
	}
	props["uri"] = "file:" + path + "?" + query.Encode()
	props["sql.driver"] = "sqlite"
	props["sql.dialect"] = "sqlite"
	return nil
}

// checkDatabase makes the folder of a database, or refuses a path that must have
// a database and has none: SQLite would make an empty one.
func checkDatabase(path string, mustExist bool) error {
	if !mustExist {
		return os.MkdirAll(filepath.Dir(path), 0o755)
	}
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("there is no database %q; to make an empty one there, add ?mode=rwc to the uri", path)
	case err != nil:
		return err
	case info.IsDir():
		return fmt.Errorf("the database %q is a folder", path)
	}
	return nil
}

// sqlitePath takes a SQLite URI apart. In PyIceberg's form the path after
// three slashes is relative to the working directory and after four absolute.
func sqlitePath(uri string) (path string, query url.Values, err error) {
	rest, ok := strings.CutPrefix(uri, "sqlite:///")
	if !ok {
		if rest, ok = strings.CutPrefix(uri, "file:"); !ok {
			return "", nil, fmt.Errorf("the uri of a catalog of type sql must start with %q or %q", "sqlite:///", "file:")
		}
	}
	path, raw, _ := strings.Cut(rest, "?")
	query, err = url.ParseQuery(raw)
	if err != nil {
		return "", nil, err
	}
	if path == "" {
		return "", nil, fmt.Errorf("the path of the database is missing")
	}
	return path, query, nil
}
