package catalog

import (
	"context"
	"fmt"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	icecat "github.com/apache/iceberg-go/catalog"
)

// Open connects to a catalog. A catalog of type sql keeps its tables in
// SQLite: its uri is PyIceberg's sqlite:///path or SQLite's own file:path, and
// the folder of the file is made if it is not there. The error wraps ErrConfig
// when the properties cannot be used.
func Open(ctx context.Context, config Config, hooks Hooks) (*Catalog, error) {
	props := maps.Clone(config.Properties)
	if props["type"] == "sql" {
		if err := useSQLite(config.Name, props); err != nil {
			return nil, err
		}
	}
	ice, err := icecat.Load(ctx, config.Name, props)
	if err != nil {
		return nil, fmt.Errorf("open catalog %q: %w", config.Name, err)
	}
	c := New(config.Name, ice, hooks)
	c.aliases = config.Aliases
	return c, nil
}

// useSQLite turns PyIceberg's properties of a SQL catalog into those of
// iceberg-go with the built-in driver.
func useSQLite(name string, props map[string]string) error {
	path, query, err := sqlitePath(props["uri"])
	if err != nil {
		return fmt.Errorf("%w: catalog %q: uri %q: %w", ErrConfig, name, props["uri"], err)
	}
	if path != ":memory:" {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return fmt.Errorf("%w: catalog %q: %w", ErrConfig, name, err)
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
