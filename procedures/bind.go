package procedures

import (
	"errors"
	"fmt"
	"strings"
)

// Error classes of the package. Errors that callers can act on wrap one of them.
var (
	// ErrNoSuchProcedure: the registry has no procedure of that name.
	ErrNoSuchProcedure = errors.New("no such procedure")
	// ErrArgument: an argument is missing, unknown, given twice or of the wrong
	// type or value; the message names it and says what is allowed.
	ErrArgument = errors.New("bad argument")
)

// Arg is an argument of a call.
type Arg struct {
	// Name is empty for a positional argument.
	Name string
	// Value is nil, string, bool, int64, float64, time.Time (an instant),
	// map[string]string or []any of these.
	Value any
}

// Bind checks args against the declaration of p, by Spark's rules, and sets
// p's fields: positional arguments come first, names match in any case, no
// parameter is given twice, required ones are given. The error wraps
// ErrArgument.
func Bind(p Procedure, args []Arg) error {
	info := p.Info()
	given := make([]bool, len(info.Params))
	named := false
	for i, arg := range args {
		at := i
		if arg.Name != "" {
			named = true
			if at = indexParam(info.Params, arg.Name); at < 0 {
				return fmt.Errorf("%w: %s: unknown argument %q; allowed are %s", ErrArgument, info.Name, arg.Name, names(info.Params))
			}
		} else if named {
			return fmt.Errorf("%w: %s: positional argument %d stands after a named one", ErrArgument, info.Name, i+1)
		}
		if at >= len(info.Params) {
			return fmt.Errorf("%w: %s: %d arguments given, at most %d allowed: %s", ErrArgument, info.Name, len(args), len(info.Params), names(info.Params))
		}
		param := info.Params[at]
		if given[at] {
			return fmt.Errorf("%w: %s: argument %q is given twice", ErrArgument, info.Name, param.Name)
		}
		given[at] = true
		if err := param.set(arg.Value); err != nil {
			return fmt.Errorf("%w: %s: argument %q must be a %s: %w", ErrArgument, info.Name, param.Name, param.Type, err)
		}
		if arg.Value == nil && param.Required {
			return fmt.Errorf("%w: %s: argument %q must not be NULL", ErrArgument, info.Name, param.Name)
		}
	}
	for i, param := range info.Params {
		if param.Required && !given[i] {
			return fmt.Errorf("%w: %s: argument %q is required", ErrArgument, info.Name, param.Name)
		}
	}
	return nil
}

func indexParam(params []Param, name string) int {
	for i, p := range params {
		if strings.EqualFold(p.Name, name) {
			return i
		}
	}
	return -1
}

func names(params []Param) string {
	list := make([]string, len(params))
	for i, p := range params {
		list[i] = p.Name
	}
	return strings.Join(list, ", ")
}
