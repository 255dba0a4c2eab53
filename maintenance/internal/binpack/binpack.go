package binpack

import (
	"math"
	"slices"
)

// bin is items put together.
type bin[T any] struct {
	items  []T
	weight int64
}

// Pack puts items into bins of at most target weight and maxItems items, first
// come first served: an item goes into the first open bin that can take it, or
// into a new one; when more than lookback bins are open, the oldest is closed,
// or the heaviest if largestFirst (Java's BinPacking). An item heavier than the
// target gets a bin of its own.
func Pack[T any](items []T, target int64, lookback int, largestFirst bool, maxItems int64, weight func(T) int64) [][]T {
	var open []*bin[T]
	var done [][]T
	for _, item := range items {
		w := weight(item)
		if b := firstFit(open, w, target, maxItems); b != nil {
			b.items = append(b.items, item)
			b.weight += w
			continue
		}
		open = append(open, &bin[T]{items: []T{item}, weight: w})
		if len(open) > lookback {
			i := 0
			if largestFirst {
				i = heaviest(open)
			}
			done = append(done, open[i].items)
			open = append(open[:i], open[i+1:]...)
		}
	}
	for _, b := range open {
		done = append(done, b.items)
	}
	return done
}

func firstFit[T any](open []*bin[T], w, target, maxItems int64) *bin[T] {
	for _, b := range open {
		if w <= math.MaxInt64-b.weight && b.weight+w <= target && int64(len(b.items)) < maxItems {
			return b
		}
	}
	return nil
}

// heaviest is the index of the first of the heaviest bins.
func heaviest[T any](open []*bin[T]) int {
	best := 0
	for i, b := range open {
		if b.weight > open[best].weight {
			best = i
		}
	}
	return best
}

// PackEnd is Pack with a lookback of one from the end, so that the bin that is
// not full is the first one; the order of items is kept.
func PackEnd[T any](items []T, target int64, weight func(T) int64) [][]T {
	reversed := slices.Clone(items)
	slices.Reverse(reversed)
	bins := Pack(reversed, target, 1, false, math.MaxInt64, weight)
	for _, b := range bins {
		slices.Reverse(b)
	}
	slices.Reverse(bins)
	return bins
}
