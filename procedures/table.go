package procedures

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/apache/iceberg-go/table"

	"github.com/firndb/firn/catalog"
)

// tableParam is the name of the parameter that names a table.
const tableParam = "table"

// ParseIdentifier splits a table argument such as "ns.t", "cat.ns.t" or
// "`my ns`.t" at its dots. Outside back quotes a part is made of letters,
// digits and underscores, as in Spark; a doubled back quote stands for itself.
// The error wraps ErrArgument.
func ParseIdentifier(text string) (table.Identifier, error) {
	rest := strings.TrimSpace(text)
	if rest == "" {
		return nil, fmt.Errorf("%w: argument %q is empty; name a table as in %q", ErrArgument, tableParam, "namespace.table")
	}
	var parts table.Identifier
	for {
		part, tail, err := cutPart(rest)
		if err == nil && tail != "" && tail[0] != '.' {
			err = fmt.Errorf("%q stands where a dot must", tail)
		}
		if err != nil {
			return nil, fmt.Errorf("%w: argument %q must name a table as in %q: got %q: %w", ErrArgument, tableParam, "namespace.table", text, err)
		}
		parts = append(parts, part)
		if tail == "" {
			return parts, nil
		}
		rest = tail[1:]
	}
}

// cutPart takes the first part of a dotted name; tail starts after it.
func cutPart(s string) (part, tail string, err error) {
	if strings.HasPrefix(s, "`") {
		part, tail, err = cutQuoted(s[1:])
	} else {
		part, tail, _ = strings.Cut(s, ".")
		if len(part) < len(s) {
			tail = s[len(part):]
		}
		err = checkPart(part)
	}
	if err == nil && part == "" {
		err = fmt.Errorf("a part of the name is empty")
	}
	return part, tail, err
}

// cutQuoted takes a part whose opening back quote is already read.
func cutQuoted(s string) (part, tail string, err error) {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
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
	return "", "", fmt.Errorf("a back quote is not closed")
}

// checkPart says what is wrong with a part that stands without back quotes.
func checkPart(part string) error {
	digits := part != ""
	for _, r := range part {
		if r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			return fmt.Errorf("%q in a name needs back quotes around the part", r)
		}
		digits = digits && unicode.IsDigit(r)
	}
	if digits {
		return fmt.Errorf("the number %s needs back quotes to be a name", part)
	}
	return nil
}

// LoadTable loads the table that the argument "table" names. A first part that
// is the catalog's name or alias is taken as such; if there is no such table, the
// whole is tried as a name within the catalog.
func LoadTable(ctx context.Context, c *catalog.Catalog, text string) (*table.Table, error) {
	return loadTable(ctx, c, nil, text)
}

// LoadTable loads the table that the argument "table" names, like the function
// of that name; a name without a namespace is one in the session's namespace.
func (e Env) LoadTable(ctx context.Context, text string) (*table.Table, error) {
	return loadTable(ctx, e.Catalog, e.Namespace, text)
}

func loadTable(ctx context.Context, c *catalog.Catalog, namespace table.Identifier, text string) (*table.Table, error) {
	ident, err := ParseIdentifier(text)
	if err != nil {
		return nil, err
	}
	switch {
	case len(ident) == 1 && len(namespace) > 0:
		ident = append(slices.Clone(namespace), ident...)
	case len(ident) == 1:
		return nil, fmt.Errorf("%w: argument %q must name a table with its namespace, as in %q: got %q", ErrArgument, tableParam, "namespace.table", text)
	case len(ident) > 2 && c.Is(ident[0]):
		tbl, err := c.Load(ctx, ident[1:])
		if !errors.Is(err, catalog.ErrNoSuchTable) {
			return tbl, err
		}
	}
	return c.Load(ctx, ident)
}
