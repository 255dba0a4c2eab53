package guard_test

import (
	"errors"
	"regexp"
	"testing"

	"golang.org/x/sync/errgroup"

	"github.com/firndb/firn/guard"
)

func TestPanicBecomesTheError(t *testing.T) {
	plain := errors.New("plain")
	if err := guard.Do(func() error { return plain }); err != plain {
		t.Errorf("%v", err)
	}
	var none []int
	for text, f := range map[string]func(){
		"runtime error: index out of range [0] with length 0": func() { none[len(none)]++ },
		"too late": func() { panic("too late") },
	} {
		var group errgroup.Group
		guard.Go(&group, func() error {
			f()
			return nil
		})
		err := group.Wait()
		want := regexp.MustCompile("^internal error: " + regexp.QuoteMeta(text) + ` in guard/guard_test.go:\d+; please report it$`)
		if !errors.Is(err, guard.ErrPanic) || !want.MatchString(err.Error()) {
			t.Errorf("%v", err)
		}
	}
}
