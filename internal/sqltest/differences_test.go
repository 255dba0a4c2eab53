package sqltest

import (
	"bufio"
	"os"
	"strings"
	"testing"
)

// differences are the places where Firn is known to answer differently from
// Spark, with the reason.
type differences map[string]string

// readDifferences reads lines of the form "place | reason"; the place may have
// bars in it, the reason has none.
func readDifferences(t *testing.T, path string) differences {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	reasons := differences{}
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		line := strings.TrimSpace(lines.Text())
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		at := strings.LastIndex(line, " | ")
		if at < 0 {
			t.Fatalf("%s: no reason in %q", path, line)
		}
		reasons[line[:at]] = line[at+3:]
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	return reasons
}

// judge fails the test for a difference that is not known, and for a known one
// that is gone. found is empty if there is no difference.
func (d differences) judge(t *testing.T, place, found string) {
	t.Helper()
	reason, known := d[place]
	switch {
	case found == "" && known:
		t.Errorf("the differences list %q (%s), which is as Spark's now", place, reason)
	case found != "" && !known:
		t.Errorf("%s\n%s", place, found)
	}
}
