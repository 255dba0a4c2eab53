package chain

import (
	"fmt"

	"github.com/firndb/firn/spelling"
)

// within chooses groups, in order, whose sizes together are at most room; the
// others are left.
func within[G any](groups []G, room int64, size func(G) int64) (chosen, left []G) {
	for _, g := range groups {
		if n := size(g); n <= room {
			room -= n
			chosen = append(chosen, g)
		} else {
			left = append(left, g)
		}
	}
	return chosen, left
}

// partsAtMost is how many commits a rewrite is cut into.
const partsAtMost = 10

// parts cuts groups into those that are committed together.
func parts[G any](groups []G) [][]G {
	per := (len(groups) + partsAtMost - 1) / partsAtMost
	var out [][]G
	for len(groups) > 0 {
		n := min(per, len(groups))
		out = append(out, groups[:n:n])
		groups = groups[n:]
	}
	return out
}

// bytes is a size for a person.
func bytes(n int64) string {
	if n < 1<<10 {
		return spelling.Count(n, "byte")
	}
	units := []string{"KiB", "MiB", "GiB", "TiB"}
	size, unit := float64(n)/(1<<10), 0
	for size >= 1<<10 && unit < len(units)-1 {
		size, unit = size/(1<<10), unit+1
	}
	return fmt.Sprintf("%.1f %s", size, units[unit])
}
