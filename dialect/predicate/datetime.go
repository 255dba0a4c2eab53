package predicate

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// Instant is the moment at which clocks in zone show wall, whose fields are
// read in UTC. Of two such moments it is the earlier; for a time that is
// skipped it is the moment as far after the gap as wall is after its start,
// as java.time.LocalDateTime.atZone has it.
func Instant(wall time.Time, zone *time.Location) time.Time {
	at := time.Date(wall.Year(), wall.Month(), wall.Day(), wall.Hour(), wall.Minute(), wall.Second(), wall.Nanosecond(), zone)
	_, before := at.Add(-24 * time.Hour).Zone()
	early := wall.Add(-time.Duration(before) * time.Second)
	if Wall(early, zone).Equal(wall) || !Wall(at, zone).Equal(wall) {
		return early.UTC()
	}
	return at.UTC()
}

// Wall is what clocks in zone show at an instant, as fields in UTC.
func Wall(instant time.Time, zone *time.Location) time.Time {
	_, offset := instant.In(zone).Zone()
	return instant.UTC().Add(time.Duration(offset) * time.Second)
}

var (
	datePattern = regexp.MustCompile(`^([+-]?\d{4,6})(?:-(\d{1,2})(?:-(\d{1,2})(?:[ T].*)?)?)?$`)
	timePattern = regexp.MustCompile(`^([+-]?\d{4,6})(?:-(\d{1,2})(?:-(\d{1,2})` +
		`(?:[ T](\d{1,2}):(\d{1,2})(?::(\d{1,2})(?:\.(\d{0,9})\d*)?)? ?([A-Za-z+-].*)?)?)?)?$`)
	clockPattern  = regexp.MustCompile(`^(\d{1,2}):(\d{1,2})(?::(\d{1,2})(?:\.(\d{0,9})\d*)?)?$`)
	offsetPattern = regexp.MustCompile(`^(?:UTC|GMT|UT)?([+-])(\d{1,2})(?::?(\d{2}))?(?::?(\d{2}))?$`)
)

// parseDate reads the forms of a date that Spark's CAST reads
// (SparkDateTimeUtils.stringToDate): the day and month may be missing, a time
// behind the day is ignored.
func parseDate(s string, env Env) (Date, error) {
	s = strings.TrimSpace(s)
	if wall, ok := env.special(s); ok {
		return DateOf(wall), nil
	}
	m := datePattern.FindStringSubmatch(s)
	if m != nil {
		if wall, ok := wallOf(m[1:4], nil, ""); ok {
			return DateOf(wall), nil
		}
	}
	return 0, fmt.Errorf("%q is not a date; write it as 2006-01-02", clip(s))
}

// parseTimestamp reads the forms of a timestamp that Spark's CAST reads
// (SparkDateTimeUtils.parseTimestampString). It returns the wall clock time
// and the zone of the text, nil if it has none.
func parseTimestamp(s string, env Env) (time.Time, *time.Location, error) {
	s = strings.TrimSpace(s)
	if wall, ok := env.special(s); ok {
		return wall, nil, nil
	}
	const want = "write it as 2006-01-02 15:04:05.999999, with a zone such as Z, +01:00 or Europe/Berlin behind it if it is meant in one"
	m := timePattern.FindStringSubmatch(s)
	if m == nil {
		return time.Time{}, nil, fmt.Errorf("%q is not a timestamp; %s", clip(s), want)
	}
	wall, ok := wallOf(m[1:4], m[4:7], m[7])
	if !ok {
		return time.Time{}, nil, fmt.Errorf("%q is not a timestamp; %s", clip(s), want)
	}
	if m[8] == "" {
		return wall, nil, nil
	}
	zone, err := parseZone(m[8])
	if err != nil {
		return time.Time{}, nil, fmt.Errorf("%q: %w; %s", clip(s), err, want)
	}
	return wall, zone, nil
}

// wallOf makes a wall clock time of the parts of a date and of a clock.
func wallOf(date, clock []string, fraction string) (time.Time, bool) {
	year, month, day := number(date[0], 1), number(date[1], 1), number(date[2], 1)
	t := time.Date(year, time.Month(month), day, 0, 0, 0, 0, time.UTC)
	if t.Month() != time.Month(month) || t.Day() != day {
		return time.Time{}, false
	}
	if clock == nil {
		return t, true
	}
	since, ok := sinceMidnight(clock, fraction)
	return t.Add(since), ok
}

func sinceMidnight(clock []string, fraction string) (time.Duration, bool) {
	h, m, s := number(clock[0], 0), number(clock[1], 0), number(clock[2], 0)
	if h > 23 || m > 59 || s > 59 {
		return 0, false
	}
	ns := number((fraction + "000000000")[:9], 0)
	return time.Duration(h)*time.Hour + time.Duration(m)*time.Minute + time.Duration(s)*time.Second + time.Duration(ns), true
}

// number is the value of a few digits, or absent if there are none.
func number(digits string, absent int) int {
	if n, err := strconv.Atoi(digits); err == nil {
		return n
	}
	return absent
}

func parseZone(name string) (*time.Location, error) {
	upper := strings.ToUpper(strings.TrimSpace(name))
	switch upper {
	case "Z", "UTC", "GMT", "UT":
		return time.UTC, nil
	}
	if m := offsetPattern.FindStringSubmatch(upper); m != nil {
		h, min, s := number(m[2], 0), number(m[3], 0), number(m[4], 0)
		offset := h*3600 + min*60 + s
		if offset <= 18*3600 && min < 60 && s < 60 {
			if m[1] == "-" {
				offset = -offset
			}
			return time.FixedZone(name, offset), nil
		}
	}
	if zone, err := time.LoadLocation(strings.TrimSpace(name)); err == nil && upper != "LOCAL" {
		return zone, nil
	}
	return nil, fmt.Errorf("unknown time zone %q", clip(name))
}

// parseClock reads a time of day.
func parseClock(s string) (TimeOfDay, error) {
	m := clockPattern.FindStringSubmatch(strings.TrimSpace(s))
	if m != nil {
		if since, ok := sinceMidnight(m[1:4], m[4]); ok {
			return TimeOfDay(since), nil
		}
	}
	return 0, fmt.Errorf("%q is not a time of day; write it as 15:04:05.999999", clip(s))
}
