package procedures

import "strings"

// nearest returns the known word with the smallest edit distance to word,
// regardless of case; the first of several; "" if none is known.
func nearest(word string, known []string) string {
	best, least := "", -1
	for _, k := range known {
		if d := distance(strings.ToLower(word), strings.ToLower(k)); least < 0 || d < least {
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
