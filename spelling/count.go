package spelling

import "fmt"

// Count is a number of things, "1 commit" or "2 commits", for what is called what
// where there is one.
func Count[N int | int64](n N, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
