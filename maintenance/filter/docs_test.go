package filter

import (
	"errors"
	"os"
	"strings"
	"testing"
)

// TestDocs tries the conditions of docs/where.md.
func TestDocs(t *testing.T) {
	content, err := os.ReadFile("../../docs/where.md")
	if err != nil {
		t.Fatal(err)
	}
	s, opts := schema(), options("UTC")
	tried := map[string]int{}
	kind := ""
	for line := range strings.Lines(string(content)) {
		line = strings.TrimSpace(line)
		if fence, ok := strings.CutPrefix(line, "```"); ok {
			kind = fence
			continue
		}
		if kind != "where" && kind != "refused" {
			continue
		}
		tried[kind]++
		_, err := Parse(line, s, opts)
		switch refused := errors.Is(err, ErrSyntax) || errors.Is(err, ErrUnsupported); {
		case kind == "where" && err != nil:
			t.Errorf("%s: %v", line, err)
		case kind == "refused" && !refused:
			t.Errorf("%s is not refused: %v", line, err)
		}
	}
	if tried["where"] < 20 || tried["refused"] < 5 {
		t.Errorf("conditions tried: %v", tried)
	}
}
