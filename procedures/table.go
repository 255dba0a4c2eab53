package procedures

import (
	"context"
	"fmt"
	"strings"

	"github.com/apache/iceberg-go/table"

	"github.com/firndb/firn/catalog"
)

// ParseIdentifier splits a table argument such as "ns.t", "cat.ns.t" or
// "`my ns`.t" at its dots. Back quotes protect a part; a doubled one stands for
// itself. The error wraps ErrArgument.
func ParseIdentifier(text string) (table.Identifier, error) {
	var parts table.Identifier
	rest := strings.TrimSpace(text)
	for {
		part, tail, err := cutPart(rest)
		if err != nil || part == "" {
			return nil, fmt.Errorf("%w: argument %q must name a table as namespace.table: got %q", ErrArgument, "table", text)
		}
		parts = append(parts, part)
		if tail == "" {
			return parts, nil
		}
		if tail[0] != '.' {
			return nil, fmt.Errorf("%w: argument %q must name a table as namespace.table: got %q", ErrArgument, "table", text)
		}
		rest = tail[1:]
	}
}

// cutPart takes the first part of a dotted name; tail starts at the dot.
func cutPart(s string) (part, tail string, err error) {
	if !strings.HasPrefix(s, "`") {
		if i := strings.IndexByte(s, '.'); i >= 0 {
			return s[:i], s[i:], nil
		}
		return s, "", nil
	}
	var b strings.Builder
	for i := 1; i < len(s); i++ {
		switch {
		case s[i] != '`':
			b.WriteByte(s[i])
		case i+1 < len(s) && s[i+1] == '`':
			b.WriteByte('`')
			i++
		default:
			return b.String(), s[i+1:], nil
		}
	}
	return "", "", fmt.Errorf("back quote is not closed")
}

// LoadTable loads the table that the argument "table" names. A first part that
// is the catalog's own name is taken as such, unless a namespace has it.
func LoadTable(ctx context.Context, c *catalog.Catalog, text string) (*table.Table, error) {
	ident, err := ParseIdentifier(text)
	if err != nil {
		return nil, err
	}
	if len(ident) > 2 && strings.EqualFold(ident[0], c.Name()) {
		if tbl, err := c.Load(ctx, ident[1:]); err == nil {
			return tbl, nil
		}
	}
	return c.Load(ctx, ident)
}
