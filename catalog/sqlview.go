package catalog

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"iter"
	"strings"

	icecat "github.com/apache/iceberg-go/catalog"
	icesql "github.com/apache/iceberg-go/catalog/sql"
	iceio "github.com/apache/iceberg-go/io"
	"github.com/apache/iceberg-go/table"
	"github.com/apache/iceberg-go/view"
)

// sqlViews are the views of a catalog of type sql. The library lists them but
// cannot read metadata that Java has written.
type sqlViews struct {
	ice   *icesql.Catalog
	name  string
	props map[string]string
	hook  func(iceio.IO) iceio.IO
}

// newSQLViews returns the views of ice, which was opened with props, nil if it is
// of another type.
func newSQLViews(ice icecat.Catalog, name string, props map[string]string, hooks Hooks) viewSource {
	inner, ok := ice.(*icesql.Catalog)
	if !ok {
		return nil
	}
	return &sqlViews{inner, name, props, hooks.IO}
}

// ListViews implements viewSource.
func (s *sqlViews) ListViews(ctx context.Context, namespace table.Identifier) iter.Seq2[table.Identifier, error] {
	return s.ice.ListViews(ctx, namespace)
}

// LoadView implements viewSource.
func (s *sqlViews) LoadView(ctx context.Context, ident table.Identifier) (*view.View, error) {
	exists, err := s.ice.CheckViewExists(ctx, ident)
	if err != nil {
		return nil, err
	}
	if !exists {
		return nil, icecat.ErrNoSuchView
	}
	location, err := s.location(ctx, ident)
	if err != nil {
		return nil, err
	}
	fs, err := iceio.LoadFS(ctx, s.props, location)
	if err != nil {
		return nil, fmt.Errorf("read %q: %w", location, err)
	}
	if s.hook != nil {
		fs = s.hook(fs)
	}
	return readView(ident, location, fs)
}

// location looks up where the metadata of a view is.
func (s *sqlViews) location(ctx context.Context, ident table.Identifier) (location string, err error) {
	db, err := sql.Open(s.props["sql.driver"], s.props["uri"])
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	row := db.QueryRowContext(ctx, `SELECT metadata_location FROM iceberg_tables
		WHERE catalog_name = ? AND table_namespace = ? AND table_name = ? AND iceberg_type = ? AND metadata_location IS NOT NULL`,
		s.name, strings.Join(ident[:len(ident)-1], "."), ident[len(ident)-1], icesql.ViewType)
	if err := row.Scan(&location); errors.Is(err, sql.ErrNoRows) {
		return "", icecat.ErrNoSuchView
	} else if err != nil {
		return "", err
	}
	return location, nil
}
