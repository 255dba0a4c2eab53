package functions

import (
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
)

// Function is a function of Spark's.
type Function struct {
	// Names are what it is called, the first in documentation.
	Names []string
	// Usage shows the arguments, Doc says what the function gives.
	Usage, Doc string
	// min and max are how many arguments there may be; a negative max is no
	// bound.
	min, max int
	make     maker
}

// maker makes the expression of a call.
type maker func(c call) (sql.Expression, error)

// Group is the functions of one subject.
type Group struct {
	Title     string
	Functions []Function
}

// Groups are all functions.
func Groups() []Group {
	return []Group{
		{"Conditions", conditions()},
		{"Numbers", numbers()},
		{"Text", texts()},
		{"Patterns", patterns()},
		{"Binary", binaries()},
		{"Parts of dates", dateParts()},
		{"Calculating with dates", dateArithmetic()},
		{"Reading and writing dates", dateTexts()},
		{"Arrays, maps and structs", collections()},
		{"JSON", jsons()},
		{"Aggregates", aggregates()},
	}
}

// Set finds functions by name.
type Set struct{ byName map[string]Function }

// NewSet returns the set of all functions.
func NewSet() *Set {
	s := &Set{map[string]Function{}}
	for _, g := range Groups() {
		for _, f := range g.Functions {
			for _, name := range f.Names {
				s.byName[name] = f
			}
		}
	}
	for _, f := range internal() {
		s.byName[f.Names[0]] = f
	}
	return s
}

// Lookup returns the function of that name, in any case.
func (s *Set) Lookup(ctx *sql.Context, name string) (sql.Function, bool) {
	name = strings.ToLower(name)
	f, ok := s.byName[name]
	if !ok {
		return nil, false
	}
	return sql.FunctionN{Name: name, Fn: func(args ...sql.Expression) (sql.Expression, error) {
		return f.call(ctx, name, args)
	}}, true
}

// call makes the expression of a call of f under the name that was used.
func (f Function) call(ctx *sql.Context, name string, args []sql.Expression) (sql.Expression, error) {
	if len(args) < f.min || f.max >= 0 && len(args) > f.max {
		return nil, argumentError(name, "it takes %s: got %s", f.signature(name), count(len(args), "argument"))
	}
	return f.make(call{ctx: ctx, function: f, name: name, args: args})
}

func (f Function) signature(name string) string { return name + "(" + f.Usage + ")" }
