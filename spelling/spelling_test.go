package spelling

import "testing"

func TestNearest(t *testing.T) {
	known := []string{"target-file-size-bytes", "min-input-files", "max-file-size-bytes", "Größe"}
	for word, want := range map[string]string{
		"target-size":     "target-file-size-bytes",
		"min_input_files": "min-input-files",
		"MAX-FILE-SIZE":   "max-file-size-bytes",
		"grösse":          "Größe",
	} {
		if got := Nearest(word, known); got != want {
			t.Errorf("%q: got %q, want %q", word, got, want)
		}
	}
	if got := Nearest("x", nil); got != "" {
		t.Errorf("of nothing: %q", got)
	}
}

func TestDistance(t *testing.T) {
	for _, tc := range []struct {
		word, known string
		want        int
	}{{"same", "SAME", 0}, {"ab", "abc", 1}, {"abc", "ab", 2}, {"", "abc", 3}, {"é", "é", 0}} {
		if got := Distance(tc.word, tc.known); got != tc.want {
			t.Errorf("%q to %q: got %d, want %d", tc.word, tc.known, got, tc.want)
		}
	}
}

func TestCount(t *testing.T) {
	for n, want := range map[int64]string{0: "0 files", 1: "1 file", 2: "2 files"} {
		if got := Count(n, "file"); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
