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
		want := regexp.MustCompile("^internal error: " + regexp.QuoteMeta(text) + ` in guard/guard_test.go:\d+; please report it$`)
		panics := func() error {
			f()
			return nil
		}
		var one, other errgroup.Group
		guard.Go(&one, panics)
		if !guard.TryGo(&other, panics) {
			t.Error("a group without a limit is full")
		}
		for _, err := range []error{one.Wait(), other.Wait()} {
			if !errors.Is(err, guard.ErrPanic) || !want.MatchString(err.Error()) {
				t.Errorf("%v", err)
			}
		}
	}
}
