package dialect

import (
	"bufio"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	ast "github.com/dolthub/vitess/go/vt/sqlparser"
)

// corpus is every kind of statement that was put to Spark, one per line.
func corpus(t testing.TB) []string {
	t.Helper()
	f, err := os.Open("../testdata/dialect/corpus.sql")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var all []string
	for lines := bufio.NewScanner(f); lines.Scan(); {
		all = append(all, lines.Text())
	}
	return all
}

// TestCorpus shows that calls, queries and SHOW statements that Spark parses
// are parsed, and that those it refuses to parse are refused.
func TestCorpus(t *testing.T) {
	refused := map[string]bool{
		"CALL lake.system.rewrite_data_files(table => 'ops.unpartitioned',)":         true,
		"CALL lake.system.rewrite_data_files table => 'ops.unpartitioned'":           true,
		"SELECT * FROM lake.system.rewrite_data_files(table => 'ops.unpartitioned')": true,
		// Every table here is partitioned by hidden fields; Spark refuses it too.
		"SHOW PARTITIONS lake.tutorial.retail_clickstream_events": true,
	}
	p := NewParser(lake{}, recorder{})
	for _, query := range corpus(t) {
		stmt, err := p.ParseSimple(query)
		head, _, _ := strings.Cut(strings.ToLower(query), " ")
		switch head {
		case "call", "select", "show", "describe", "explain":
		default:
			continue
		}
		switch {
		case refused[query]:
			if !errors.Is(err, ErrSyntax) {
				t.Errorf("%s: error %v, want a syntax error", query, err)
			}
		case err != nil:
			t.Errorf("%s: %v", query, err)
		case head == "call":
			if in, ok := stmt.(ast.InjectedStatement); !ok || !strings.Contains(in.Statement.(recorded).String(), "call") {
				t.Errorf("%s: is %T", query, stmt)
			}
		}
	}
}

// FuzzDialect shows that no text breaks the parser, that what it passes to the
// engine's grammar it takes itself, and that a text of several statements ends.
func FuzzDialect(f *testing.F) {
	for _, query := range corpus(f) {
		f.Add(query)
	}
	for _, dir := range []string{"rewrite", "engine"} {
		files, err := filepath.Glob("../testdata/dialect/" + dir + "/*.test")
		if err != nil || len(files) == 0 {
			f.Fatalf("no files in %s: %v", dir, err)
		}
		for _, path := range files {
			for _, input := range inputs(f, path) {
				f.Add(input)
				f.Add("SELECT 1; " + input + "; SELECT 2")
			}
		}
	}
	f.Fuzz(func(t *testing.T, text string) {
		p := NewParser(lake{}, recorder{})
		passed, err := passedText(text)
		if err != nil && !errors.Is(err, ErrSyntax) && !errors.Is(err, ErrReadOnly) && !errors.Is(err, ast.ErrEmpty) {
			t.Errorf("%q: error %v has no class", text, err)
		}
		if err == nil && passed != "" {
			if _, err := p.ParseSimple(passed); err != nil {
				t.Errorf("%q became %q, which is refused: %v", text, passed, err)
			}
		}
		for rest, steps := text, 0; rest != ""; steps++ {
			_, _, next, err := p.ParseWithOptions(context.Background(), rest, ';', true, ast.ParserOptions{})
			if err != nil {
				break
			}
			if len(next) >= len(rest) {
				t.Fatalf("%q: the statement after %q is %q", text, rest, next)
			}
			rest = next
		}
	})
}

// inputs are the statements of a test file.
func inputs(t testing.TB, path string) []string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for block := range strings.SplitSeq(string(text), "\n\n") {
		block = strings.TrimPrefix(strings.TrimPrefix(block, "rewrite\n"), "run\n")
		if input, _, ok := strings.Cut(block, "\n----"); ok {
			all = append(all, input)
		}
	}
	return all
}
