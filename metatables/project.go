package metatables

import (
	"fmt"
	"strings"

	"github.com/apache/iceberg-go"

	"github.com/firndb/firn/maintenance/manifest"
)

// project picks columns by name; nil picks all.
func project[B any](all []column[B], names []string) ([]column[B], error) {
	if names == nil {
		return all, nil
	}
	byName := make(map[string]column[B], len(all))
	for _, c := range all {
		byName[c.field.Name] = c
	}
	picked := make([]column[B], len(names))
	for i, name := range names {
		c, ok := byName[name]
		if !ok {
			return nil, fmt.Errorf("no column %q; there are %q", name, columnNames(all))
		}
		picked[i] = c
	}
	return picked, nil
}

func columnNames[B any](columns []column[B]) []string {
	names := make([]string, len(columns))
	for i, c := range columns {
		names[i] = c.field.Name
	}
	return names
}

// narrowed leaves out the fields of structs that no path names; see
// Request.Fields.
func narrowed[B any](columns []column[B], paths []string) ([]column[B], error) {
	if len(paths) == 0 {
		return columns, nil
	}
	narrow := make([]column[B], len(columns))
	for i, c := range columns {
		narrow[i] = c
		if inner, whole := within(c.field.Name, paths); len(inner) > 0 && !whole {
			var err error
			if narrow[i], err = c.narrow(c.field.Name, inner); err != nil {
				return nil, err
			}
		}
	}
	return narrow, nil
}

// within are the paths that go on inside of the field of that name; whole says
// that one ends at it.
func within(name string, paths []string) (inner []string, whole bool) {
	for _, path := range paths {
		rest, ok := strings.CutPrefix(path, name)
		switch {
		case ok && rest == "":
			whole = true
		case ok && rest[0] == '.':
			inner = append(inner, rest[1:])
		}
	}
	return inner, whole
}

// narrow is c with the fields that paths from it on name.
func (c column[B]) narrow(at string, paths []string) (column[B], error) {
	if c.fields == nil {
		if _, nested := c.field.Type.(iceberg.NestedType); nested {
			return c, nil // the row of a delete file, or what is no struct
		}
		return c, fmt.Errorf("column %q has no field %q: it is no struct", at, paths[0])
	}
	narrow := c
	narrow.fields, narrow.kept = nil, nil
	for i, f := range c.fields {
		inner, whole := within(f.field.Name, paths)
		if !whole && len(inner) == 0 {
			continue
		}
		if !whole {
			var err error
			if f, err = f.narrow(at+"."+f.field.Name, inner); err != nil {
				return c, err
			}
		}
		narrow.fields = append(narrow.fields, f)
		narrow.kept = append(narrow.kept, i)
	}
	if len(narrow.fields) == 0 {
		return c, fmt.Errorf("column %q has no field %q; there are %q", at, paths[0], columnNames(c.fields))
	}
	return narrow, nil
}

// allLeaves are what the column and those inside of it read.
func (c column[B]) allLeaves() []manifest.Leaf {
	leaves := c.leaves
	for _, f := range c.fields {
		leaves = append(leaves, f.allLeaves()...)
	}
	return leaves
}
