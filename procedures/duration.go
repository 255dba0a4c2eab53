package procedures

import (
	"fmt"
	"strings"
	"time"
)

// parseDuration reads a span of time such as "90s", "1h30m" or "2 hours".
func parseDuration(text string) (time.Duration, error) {
	short := strings.NewReplacer(
		" ", "", "hours", "h", "hour", "h", "minutes", "m", "minute", "m", "min", "m", "seconds", "s", "second", "s", "sec", "s",
	).Replace(strings.ToLower(text))
	d, err := time.ParseDuration(short)
	if err != nil || d <= 0 {
		return 0, fmt.Errorf("got %q, which is no span of time; write it as in %q, %q or %q", text, "90s", "1h30m", "2 hours")
	}
	return d, nil
}
