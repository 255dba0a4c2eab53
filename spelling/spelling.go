package spelling

import "strings"

// Nearest returns the known name that is most like word; the first of several,
// "" if none is known.
func Nearest(word string, known []string) string {
	best, least := "", -1
	for _, k := range known {
		if d := Distance(word, k); least < 0 || d < least {
			best, least = k, d
		}
	}
	return best
}

// Distance says how unlike word is to a known name, in any case; 0 if they are
// the same. A letter too many counts twice as much as a missing one, so that an
// abbreviation is near its long form.
func Distance(word, known string) int {
	a, b := []rune(strings.ToLower(word)), []rune(strings.ToLower(known))
	common := subsequence(a, b)
	return 2*(len(a)-common) + len(b) - common
}

// subsequence is the length of the longest common subsequence.
func subsequence(a, b []rune) int {
	row := make([]int, len(b)+1)
	for i := range a {
		diagonal := 0
		for j := range b {
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
