package reorder

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/firndb/firn/maintenance/internal/scratch"
)

// TestWordAt reads words of all lengths, with anything behind them or nothing.
func TestWordAt(t *testing.T) {
	data := []byte("0123456789abcdefghijklmnopqrstuvwxyz")
	for at := range data {
		for n := 0; n <= wordBytes && at+n <= len(data); n++ {
			w := wordAt(data, at, n)
			if got := string(w.append(nil)); got != string(data[at:at+n]) {
				t.Errorf("%d bytes at %d are %q", n, at, got)
			}
			if w != wordAt([]byte(string(data[at:at+n])), 0, n) {
				t.Errorf("%d bytes at %d depend on what follows", n, at)
			}
		}
	}
	if wordAt([]byte("a"), 0, 1) == wordAt([]byte("a\x00"), 0, 2) {
		t.Error("zeros at the end are no part of a word")
	}
}

// TestWordsAreNumbered has as many words as there may be, and one more.
func TestWordsAreNumbered(t *testing.T) {
	w := &words{}
	for range 2 {
		for i := range mostWords {
			text := []byte(fmt.Sprint(i))
			if n, ok := w.number(wordAt(text, 0, len(text))); !ok || int(n) != i {
				t.Fatalf("word %d has number %d, %v", i, n, ok)
			}
		}
	}
	if _, ok := w.number(wordAt([]byte("more"), 0, 4)); ok {
		t.Error("there are too many words")
	}
}

// TestFewTextsBecomeMany has a column whose first values repeat: what comes before
// the first value that is too long, or one too many, stays right.
func TestFewTextsBecomeMany(t *testing.T) {
	const rows = 4000
	r := rand.New(rand.NewPCG(1, 2))
	for name, next := range map[string]func(i int) string{
		"many": func(i int) string { return fmt.Sprint(r.IntN(1 + i)) },
		"long": func(i int) string { return strings.Repeat("x", r.IntN(1+i/200)) },
		"few":  func(int) string { return []string{"", "open", "shipped", "0123456789abcdef"}[r.IntN(4)] },
	} {
		b := array.NewStringBuilder(memory.DefaultAllocator)
		var texts []string
		for i := range rows {
			if r.IntN(10) == 0 {
				b.AppendNull()
				texts = append(texts, array.NullValueStr)
				continue
			}
			texts = append(texts, next(i))
			b.Append(texts[i])
		}
		all := b.NewArray()
		var arrays []arrow.Array
		for at := int64(0); at < rows; at += 170 {
			arrays = append(arrays, array.NewSlice(all, at, min(rows, at+170)))
		}
		chosen := shuffle(r, rows)
		for _, bytes := range []int64{1 << 20, 30_000, 1_000} {
			o, err := newOrder(t.Context(), rows, 6, chosen, bytes, scratch.Folder(t.TempDir(), 0, time.Now()))
			if err != nil {
				t.Fatal(err)
			}
			got, err := reordered(t.Context(), o, arrays, bytes, 100)
			if err != nil || len(got) != len(chosen) {
				t.Fatalf("%s: %d rows, %v", name, len(got), err)
			}
			for i, row := range chosen {
				if got[i] != texts[row] {
					t.Fatalf("%s, %d bytes: row %d is %q, not %q", name, bytes, i, got[i], texts[row])
				}
			}
			if err := o.Close(); err != nil {
				t.Error(err)
			}
		}
	}
}
