package procedures

import "strings"

// nearest returns the known word that is most like word, regardless of case;
// the first of several; "" if none is known. A letter too many counts twice as
// much as a missing one, so that an abbreviation finds its long form.
func nearest(word string, known []string) string {
	best, least := "", -1
	for _, k := range known {
		common := subsequence(strings.ToLower(word), strings.ToLower(k))
		if d := 2*(len(word)-common) + len(k) - common; least < 0 || d < least {
			best, least = k, d
		}
	}
	return best
}

// subsequence is the length in bytes of the longest common subsequence.
func subsequence(a, b string) int {
	row := make([]int, len(b)+1)
	for i := range len(a) {
		diagonal := 0
		for j := range len(b) {
			above := row[j+1]
			if a[i] == b[j] {
				row[j+1] = diagonal + 1
			} else {
				row[j+1] = max(above, row[j])
			}
			diagonal = above
		}
	}
	return row[len(b)]
}
