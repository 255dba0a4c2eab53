package procedures

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/firndb/firn/spelling"
)

// Error classes of the package. Errors that callers can act on wrap one of them.
var (
	// ErrNoSuchProcedure: the registry has no procedure of that name.
	ErrNoSuchProcedure = errors.New("no such procedure")
	// ErrArgument: an argument is missing, unknown, given twice or of the wrong
	// type or value; the message names it and says what is allowed.
	ErrArgument = errors.New("bad argument")
)

// optionsParam is the name of the parameter whose keys Info.Options declares.
const optionsParam = "options"

// Arg is an argument of a call.
type Arg struct {
	// Name is empty for a positional argument.
	Name string
	// Value is nil, string, bool, int32, int64, float64, time.Time (an instant),
	// map[string]string or []any of these.
	Value any
}

// Bind is BindIn with the zone UTC.
func Bind(p Procedure, args []Arg) error { return BindIn(time.UTC, p, args) }

// BindIn checks args against the declaration of p, by Spark's rules, and sets
// p's fields: positional arguments come first, names match in any case, no
// parameter is given twice, required ones are given and not NULL. Times written
// as text without a zone are in zone. The keys of the argument "options" are
// bound too. The error wraps ErrArgument.
func BindIn(zone *time.Location, p Procedure, args []Arg) error {
	info := p.Info()
	if err := bindArgs(zone, info, args); err != nil {
		return fmt.Errorf("%s: %w: %w", info.Name, ErrArgument, err)
	}
	return nil
}

func bindArgs(zone *time.Location, info Info, args []Arg) error {
	places, err := place(info.Params, args)
	if err != nil {
		return err
	}
	given := make([]bool, len(info.Params))
	for i, arg := range args {
		param := info.Params[places[i]]
		given[places[i]] = true
		if arg.Value == nil && param.Required {
			return fmt.Errorf("argument %q must not be NULL", param.Name)
		}
		if err := param.set(arg.Value, zone); err != nil {
			return fmt.Errorf("argument %q must be of type %s: %w", param.Name, param.Type, err)
		}
		if options, ok := arg.Value.(map[string]string); ok && param.Name == optionsParam {
			if err := bindOptions(info, options); err != nil {
				return err
			}
		}
	}
	for i, param := range info.Params {
		if param.Required && !given[i] {
			return fmt.Errorf("argument %q is required, as argument %d or by name", param.Name, i+1)
		}
	}
	return nil
}

// place finds the parameter that each argument is for.
func place(params []Param, args []Arg) ([]int, error) {
	places := make([]int, len(args))
	taken := map[int]string{}
	named := false
	for i, arg := range args {
		at := i
		if arg.Name != "" {
			named = true
			if at = indexParam(params, arg.Name); at < 0 {
				return nil, fmt.Errorf("there is no argument %q; did you mean %q? allowed are %s", arg.Name, spelling.Nearest(arg.Name, names(params)), list(params))
			}
		} else if named {
			return nil, fmt.Errorf("argument %d stands without a name after one with a name; put it first or name it", i+1)
		}
		if at >= len(params) {
			return nil, fmt.Errorf("%d arguments are given, at most %d allowed: %s", len(args), len(params), list(params))
		}
		if how, ok := taken[at]; ok {
			return nil, fmt.Errorf("argument %q is given twice, %s; leave one out", params[at].Name, how)
		}
		taken[at] = "each time by name"
		if arg.Name == "" {
			taken[at] = fmt.Sprintf("as argument %d and by name", i+1)
		}
		places[i] = at
	}
	return places, nil
}

// BindOptions checks the keys and values of options against info.Options and
// sets the variables that they are bound to. Keys match exactly. An option that
// is absent leaves its variable as it is. The error wraps ErrArgument.
func BindOptions(info Info, options map[string]string) error {
	if err := bindOptions(info, options); err != nil {
		return fmt.Errorf("%s: %w: %w", info.Name, ErrArgument, err)
	}
	return nil
}

func bindOptions(info Info, options map[string]string) error {
	for _, key := range slices.Sorted(maps.Keys(options)) {
		at := slices.IndexFunc(info.Options, func(p Param) bool { return p.Name == key })
		if at < 0 && len(info.Options) == 0 {
			return fmt.Errorf("there is no option %q: it takes none", key)
		}
		if at < 0 {
			return fmt.Errorf("there is no option %q; did you mean %q? allowed are %s", key, spelling.Nearest(key, names(info.Options)), list(info.Options))
		}
		option := info.Options[at]
		if err := option.set(options[key], time.UTC); err != nil {
			return fmt.Errorf("option %q must be of type %s: %w", key, option.Type, err)
		}
	}
	return nil
}

func indexParam(params []Param, name string) int {
	return slices.IndexFunc(params, func(p Param) bool { return strings.EqualFold(p.Name, name) })
}

func names(params []Param) []string {
	all := make([]string, len(params))
	for i, p := range params {
		all[i] = p.Name
	}
	return all
}

func list(params []Param) string { return strings.Join(names(params), ", ") }
