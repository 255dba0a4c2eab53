package server

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	sqle "github.com/dolthub/go-mysql-server"
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"

	"github.com/firndb/firn/catalog"
	"github.com/firndb/firn/maintenance"
	"github.com/firndb/firn/procedures"
)

// The columns of a list of files (Java's DeleteOrphanFilesSparkAction).
const (
	listedPath = "file_path"
	listedTime = "last_modified"
)

// files returns what hands over the files that tables and views of the session
// list. It is for the statement of ctx.
func files(ctx *sql.Context, engine *sqle.Engine, zone *time.Location) func(context.Context, string) (maintenance.FileList, error) {
	return func(_ context.Context, name string) (maintenance.FileList, error) {
		from, err := quotedName(name)
		if err != nil {
			return nil, err
		}
		all, err := engine.AnalyzeQuery(ctx, "SELECT * FROM "+from)
		if sql.ErrTableNotFound.Is(err) || sql.ErrDatabaseNotFound.Is(err) {
			return nil, fmt.Errorf("%w: %q", catalog.ErrNoSuchTable, name)
		}
		if err != nil {
			return nil, err
		}
		if err := checkListed(all.Schema()); err != nil {
			return nil, err
		}
		query := fmt.Sprintf("SELECT `%s`, `%s` FROM %s", listedPath, listedTime, from)
		return func(inner context.Context, use func(string, time.Time) error) error {
			return readListed(ctx.WithContext(inner), engine, query, zone, use)
		}, nil
	}
}

// quotedName is a name as it stands in a statement.
func quotedName(name string) (string, error) {
	parts, err := procedures.ParseIdentifier(name)
	if err != nil {
		return "", fmt.Errorf("%w: %q is not the name of a table or view: use back quotes around what is not letters, digits and underscores", procedures.ErrArgument, name)
	}
	for i, part := range parts {
		parts[i] = "`" + strings.ReplaceAll(part, "`", "``") + "`"
	}
	return strings.Join(parts, "."), nil
}

// checkListed refuses a table that lists no files.
func checkListed(schema sql.Schema) error {
	for _, want := range []struct {
		name, what string
		fits       func(sql.Type) bool
	}{
		{listedPath, "a string", types.IsText},
		{listedTime, "a timestamp", func(t sql.Type) bool { return types.IsDatetimeType(t) || types.IsTimestampType(t) }},
	} {
		var names []string
		var column *sql.Column
		for _, c := range schema {
			names = append(names, c.Name)
			if strings.EqualFold(c.Name, want.name) {
				column = c
			}
		}
		if column == nil {
			return fmt.Errorf("%w: it must have a column %q; it has %q", procedures.ErrArgument, want.name, names)
		}
		if !want.fits(column.Type) {
			return fmt.Errorf("%w: its column %q is %s and must be %s", procedures.ErrArgument, want.name, column.Type, want.what)
		}
	}
	return nil
}

// readListed runs a query for two columns. A row without a path lists nothing.
func readListed(ctx *sql.Context, engine *sqle.Engine, query string, zone *time.Location, use func(string, time.Time) error) (err error) {
	node, err := engine.AnalyzeQuery(ctx, query)
	if err != nil {
		return err
	}
	iter, err := engine.Analyzer.ExecBuilder.Build(ctx, node, nil)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, iter.Close(ctx)) }()
	for {
		row, err := iter.Next(ctx)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		path, err := listedText(ctx, row[0])
		if err != nil {
			return err
		}
		at, known := row[1].(time.Time)
		if path == "" {
			continue
		}
		if known {
			at = instant(at, zone)
		}
		if err := use(path, at); err != nil {
			return err
		}
	}
}

// listedText is a text as the engine hands it over, empty for NULL.
func listedText(ctx *sql.Context, value any) (string, error) {
	value, err := sql.UnwrapAny(ctx, value)
	if err != nil {
		return "", err
	}
	switch v := value.(type) {
	case nil:
		return "", nil
	case string:
		return v, nil
	case []byte:
		return string(v), nil
	}
	return "", fmt.Errorf("a %s is %T", listedPath, value)
}
