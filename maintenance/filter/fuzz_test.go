package filter

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/iceberg-go"
)

// FuzzParse looks for texts that panic, give an error of no class, or an
// expression that does not bind or cannot be evaluated.
func FuzzParse(f *testing.F) {
	for _, text := range corpus(f) {
		f.Add(text)
	}
	s := schema()
	nulls := make(row, s.NumFields())
	nulls[0] = int64(1)
	opts := options("America/New_York")
	f.Fuzz(func(t *testing.T, text string) {
		e, err := Parse(text, s, opts)
		if err != nil {
			if errors.Is(err, ErrSyntax) == errors.Is(err, ErrUnsupported) {
				t.Fatalf("error of no class, or of both: %v", err)
			}
			return
		}
		eval, err := iceberg.ExpressionEvaluator(s, e, true)
		if err != nil {
			t.Fatalf("%s does not bind: %v", e, err)
		}
		if strings.Contains(strings.ToLower(text), "info") {
			return // a row of NULLs has no struct to look into
		}
		if _, err := eval(nulls); err != nil {
			t.Fatal(err)
		}
	})
}

// corpus are the conditions of testdata/where.
func corpus(t testing.TB) []string {
	paths, err := filepath.Glob("testdata/where/*.test")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no test files: %v", err)
	}
	var texts []string
	for _, path := range paths {
		content, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for block := range strings.SplitSeq(string(content), "\nwhere") {
			if input, _, ok := strings.Cut(block, "\n----\n"); ok {
				texts = append(texts, strings.Split(input, "\n")[1:]...)
			}
		}
	}
	return texts
}
