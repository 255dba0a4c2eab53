package procedures

import "fmt"

// whole is the value of an argument as maintenance takes it, nil if it is not
// given.
func whole(arg *int32) *int {
	if arg == nil {
		return nil
	}
	n := int(*arg)
	return &n
}

// deletesParam is the name of the parameter that says how many files are deleted
// at once.
const deletesParam = "max_concurrent_deletes"

// deletesArg declares that parameter.
func deletesArg(dst **int32) Param {
	return WithDefault(IntParam(dst, deletesParam, "how many files are deleted at once, at least 1"), "the server's limit")
}

// concurrentDeletes is its value, 0 if it is not given.
func concurrentDeletes(arg *int32) (int, error) {
	switch {
	case arg == nil:
		return 0, nil
	case *arg < 1:
		return 0, fmt.Errorf("%w: argument %q must be at least 1, got %d", ErrArgument, deletesParam, *arg)
	}
	return int(*arg), nil
}
