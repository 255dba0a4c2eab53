package guard

import (
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"strings"

	"golang.org/x/sync/errgroup"
)

// ErrPanic is what the error of a panic wraps.
var ErrPanic = errors.New("internal error")

// Do calls f. A panic becomes an error that wraps ErrPanic and names the place.
func Do(f func() error) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("%w: %v in %s; please report it", ErrPanic, v, place())
		}
	}()
	return f()
}

// Go calls f in a goroutine of a group, as Do does.
func Go(group *errgroup.Group, f func() error) {
	group.Go(func() error { return Do(f) })
}

// TryGo is Go, unless the group is at its limit: f is not called then, and the
// answer is false.
func TryGo(group *errgroup.Group, f func() error) bool {
	return group.TryGo(func() error { return Do(f) })
}

// place is where the panic that is being recovered from happened: the file, with
// its folder, and line.
func place() string {
	callers := make([]uintptr, 64)
	frames := runtime.CallersFrames(callers[:runtime.Callers(1, callers)])
	panicked := false
	for {
		f, more := frames.Next()
		switch {
		case f.Function == "runtime.gopanic":
			panicked = true
		case panicked && !strings.HasPrefix(f.Function, "runtime."):
			return fmt.Sprintf("%s/%s:%d", filepath.Base(filepath.Dir(f.File)), filepath.Base(f.File), f.Line)
		}
		if !more {
			return "an unknown place"
		}
	}
}
