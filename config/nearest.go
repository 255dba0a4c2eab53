package config

import (
	"fmt"
	"strings"
)

// unknown is the error for a key that does not exist.
func unknown(key string, line int, known []string) error {
	return fmt.Errorf("%w: line %d: unknown key %q; did you mean %q? known are %s", ErrConfig, line, key, nearest(key, known), strings.Join(known, ", "))
}

// nearest returns the known word with the smallest edit distance to word.
func nearest(word string, known []string) string {
	best, least := "", -1
	for _, k := range known {
		if d := distance(word, k); least < 0 || d < least {
			best, least = k, d
		}
	}
	return best
}

// distance is the Levenshtein distance in bytes.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			diagonal, row[j+1] = row[j+1], min(row[j]+1, row[j+1]+1, diagonal+cost)
		}
	}
	return row[len(b)]
}
