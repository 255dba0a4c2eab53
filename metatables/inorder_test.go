package metatables

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
)

// numbers reads item i as 100 numbers from 100·i on.
func numbers(_ context.Context, item int, emit func(int) error) error {
	for j := range 100 {
		if err := emit(100*item + j); err != nil {
			return err
		}
	}
	return nil
}

func items(n int) []int {
	list := make([]int, n)
	for i := range list {
		list[i] = i
	}
	return list
}

func TestInOrder(t *testing.T) {
	want := 0
	for got, err := range inOrder(context.Background(), items(50), numbers) {
		if err != nil || got != want {
			t.Fatalf("got %d, %v; want %d", got, err, want)
		}
		want++
	}
	if want != 5000 {
		t.Errorf("%d values", want)
	}
	for range inOrder(context.Background(), nil, numbers) {
		t.Error("no items have a value")
	}
}

// TestInOrderEndsItsReaders: a consumer that stops early leaves none behind,
// and they were never far ahead.
func TestInOrderEndsItsReaders(t *testing.T) {
	var running, most atomic.Int32
	read := func(ctx context.Context, item int, emit func(int) error) error {
		most.Store(max(most.Load(), running.Add(1)))
		defer running.Add(-1)
		return numbers(ctx, item, emit)
	}
	for got, err := range inOrder(context.Background(), items(1000), read) {
		if err != nil {
			t.Fatal(err)
		}
		if got == 2500 {
			break
		}
	}
	if running.Load() != 0 {
		t.Errorf("%d readers are still running", running.Load())
	}
	if most.Load() > readAhead+1 {
		t.Errorf("%d readers ran at once", most.Load())
	}
}

func TestInOrderErrors(t *testing.T) {
	broken := errors.New("broken")
	for name, test := range map[string]struct {
		fail func() error
		want string
	}{
		"error": {func() error { return broken }, "broken"},
		"panic": {func() error { return []error{}[len(items(0))] }, "unexpected content"},
	} {
		read := func(ctx context.Context, item int, emit func(int) error) error {
			if item < 3 {
				return numbers(ctx, item, emit)
			}
			if err := emit(300); err != nil {
				return err
			}
			return test.fail()
		}
		n, failures := 0, 0
		for _, err := range inOrder(context.Background(), items(20), read) {
			if err == nil {
				n++
				continue
			}
			failures++
			if !strings.Contains(err.Error(), test.want) {
				t.Errorf("%s: %v", name, err)
			}
		}
		if n != 301 || failures != 1 {
			t.Errorf("%s: %d values and %d errors, want 301 and 1", name, n, failures)
		}
	}
}

func TestInOrderCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	var last error
	n := 0
	for _, err := range inOrder(ctx, items(1000), numbers) {
		if last = err; err != nil {
			continue
		}
		if n++; n == 500 {
			cancel()
		}
	}
	if !errors.Is(last, context.Canceled) || n > 500+100*(readAhead+2) {
		t.Errorf("%d values, then %v", n, last)
	}
}
