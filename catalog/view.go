package catalog

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"

	icecat "github.com/apache/iceberg-go/catalog"
	"github.com/apache/iceberg-go/catalog/rest"
	iceio "github.com/apache/iceberg-go/io"
	"github.com/apache/iceberg-go/table"
	"github.com/apache/iceberg-go/view"
)

// maxViewMetadata is how long a view's metadata file may be once it is unpacked.
const maxViewMetadata = 64 << 20

// viewSource is what a catalog must be able to do to have views.
type viewSource interface {
	ListViews(ctx context.Context, namespace table.Identifier) iter.Seq2[table.Identifier, error]
	LoadView(ctx context.Context, ident table.Identifier) (*view.View, error)
}

// viewsOf is ice as a source of views, nil if it has none.
func viewsOf(ice icecat.Catalog) viewSource {
	source, ok := ice.(viewSource)
	if !ok {
		return nil
	}
	return source
}

// LoadView reads the current metadata of a view. The name is matched exactly.
// The error wraps ErrNoSuchTable when there is no such view.
func (c *Catalog) LoadView(ctx context.Context, ident table.Identifier) (*view.View, error) {
	if c.views == nil || len(ident) < 2 {
		return nil, c.noTable(ident)
	}
	v, err := c.views.LoadView(ctx, ident)
	if noView(err) {
		return nil, c.noTable(ident)
	}
	if err != nil {
		return nil, fmt.Errorf("load view %q: %w", strings.Join(ident, "."), err)
	}
	return v, nil
}

func noView(err error) bool {
	return isMissing(err) || errors.Is(err, icecat.ErrNoSuchView) || errors.Is(err, rest.ErrEndpointNotSupported)
}

// listViews lists the views of a namespace in the order of their names.
func (c *Catalog) listViews(ctx context.Context, namespace table.Identifier) ([]table.Identifier, error) {
	if c.views == nil {
		return nil, nil
	}
	var idents []table.Identifier
	for ident, err := range c.views.ListViews(ctx, namespace) {
		if noView(err) {
			return nil, nil
		}
		if err != nil {
			return nil, fmt.Errorf("list views of %q: %w", strings.Join(namespace, "."), err)
		}
		idents = append(idents, ident)
	}
	slices.SortFunc(idents, func(a, b table.Identifier) int { return slices.Compare(a, b) })
	return idents, nil
}

// readView reads a view's metadata file, which Java writes packed with gzip
// (Java Iceberg: ViewProperties.METADATA_COMPRESSION).
func readView(ident table.Identifier, location string, fs iceio.IO) (*view.View, error) {
	f, err := fs.Open(location)
	if err != nil {
		return nil, err
	}
	content, err := io.ReadAll(io.LimitReader(f, maxViewMetadata+1))
	if err := errors.Join(err, f.Close()); err != nil {
		return nil, fmt.Errorf("read %q: %w", location, err)
	}
	if bytes.HasPrefix(content, []byte{0x1f, 0x8b}) {
		unpacked, err := gzip.NewReader(bytes.NewReader(content))
		if err != nil {
			return nil, fmt.Errorf("read %q: %w", location, err)
		}
		if content, err = io.ReadAll(io.LimitReader(unpacked, maxViewMetadata+1)); err != nil {
			return nil, fmt.Errorf("read %q: %w", location, err)
		}
	}
	if len(content) > maxViewMetadata {
		return nil, fmt.Errorf("read %q: the metadata of a view is larger than %d bytes", location, maxViewMetadata)
	}
	metadata, err := view.ParseMetadataBytes(content)
	if err != nil {
		return nil, fmt.Errorf("read %q: %w", location, err)
	}
	return view.New(ident, metadata, location), nil
}
