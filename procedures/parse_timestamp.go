package procedures

import "time"

// ParseTimestamp reads text as Spark's cast from string to timestamp does and
// keeps microseconds. Text without a zone is in zone.
func ParseTimestamp(text string, zone *time.Location) (time.Time, error) {
	return parseTime(text, zone)
}
