package procedures

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"
	// The binary must know zones by name where the system has none installed.
	_ "time/tzdata"
)

// timestampForm is Spark's text of a timestamp: a date, or a date and a time,
// each part but the year with one or two digits, the later ones optional, and
// perhaps a zone after the time.
func timestampForm() *regexp.Regexp {
	return regexp.MustCompile(`^(\d{4,6})(?:-(\d{1,2})(?:-(\d{1,2}))?)?(?:[ T](\d{1,2}):(\d{1,2})(?::(\d{1,2})(?:\.(\d{0,9}))?)? ?(.*)|[ T])?$`)
}

// parseTime reads text as Spark's cast to timestamp does; microseconds are
// kept. Text without a zone is in zone.
func parseTime(text string, zone *time.Location) (time.Time, error) {
	m := timestampForm().FindStringSubmatch(strings.TrimSpace(text))
	if m == nil {
		return time.Time{}, badTime(text)
	}
	if m[8] != "" {
		named, err := parseZone(m[8])
		if err != nil {
			return time.Time{}, fmt.Errorf("%w: %w", badTime(text), err)
		}
		zone = named
	}
	parts := [6]int{1, 1, 1}
	for i := range parts {
		if digits := m[i+1]; digits != "" {
			parts[i], _ = strconv.Atoi(digits)
		}
	}
	nanos, _ := strconv.Atoi((m[7] + "000000000")[:9])
	year, month, day := parts[0], time.Month(parts[1]), parts[2]
	hour, minute, second := parts[3], parts[4], parts[5]
	date := time.Date(year, month, day, 0, 0, 0, 0, time.UTC)
	if date.Year() != year || date.Month() != month || date.Day() != day || hour > 23 || minute > 59 || second > 59 {
		return time.Time{}, badTime(text)
	}
	return time.Date(year, month, day, hour, minute, second, nanos, zone).Truncate(time.Microsecond), nil
}

func badTime(text string) error {
	return fmt.Errorf("got %q, which is no time; write it as in %q, with or without a zone such as %q or %q", text, "2026-01-09 10:00:00", "Z", "Europe/Berlin")
}

// parseZone reads Z, an offset such as +02:00 or +2, an offset after UTC, GMT
// or UT, or the name of a region.
func parseZone(text string) (*time.Location, error) {
	name := strings.TrimSpace(text)
	if name == "Z" {
		return time.UTC, nil
	}
	offset := name
	for _, prefix := range []string{"UTC", "GMT", "UT"} {
		if rest, ok := strings.CutPrefix(name, prefix); ok {
			offset = rest
			break
		}
	}
	if offset == "" {
		return time.UTC, nil
	}
	if m := regexp.MustCompile(`^([+-])(\d{1,2})(?::?(\d{2}))?(?::?(\d{2}))?$`).FindStringSubmatch(offset); m != nil {
		hours, _ := strconv.Atoi(m[2])
		minutes, _ := strconv.Atoi(m[3])
		seconds, _ := strconv.Atoi(m[4])
		total := hours*3600 + minutes*60 + seconds
		if hours > 18 || minutes > 59 || seconds > 59 || total > 18*3600 {
			return nil, fmt.Errorf("offset %q is beyond 18 hours", offset)
		}
		if m[1] == "-" {
			total = -total
		}
		return time.FixedZone(name, total), nil
	}
	zone, err := time.LoadLocation(name)
	if err != nil || name == "Local" {
		return nil, fmt.Errorf("there is no time zone %q", name)
	}
	return zone, nil
}
