package functions

import (
	"strconv"
	"strings"
	"time"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
)

// dateTime is the type of timestamps.
func dateTime() sql.Type { return types.DatetimeMaxPrecision }

// moment is a date or timestamp; text is read as Spark casts it.
func moment(ctx *sql.Context, v any) (time.Time, error) {
	switch t := v.(type) {
	case time.Time:
		return t, nil
	case string:
		zone, err := Zone(ctx)
		if err != nil {
			return time.Time{}, err
		}
		if at, ok := parseTimestamp(t, zone); ok {
			return at, nil
		}
	}
	return time.Time{}, valueError(v, "timestamp")
}

// day is the date of a date or timestamp; text is read as Spark casts it.
func day(v any) (time.Time, error) {
	switch t := v.(type) {
	case time.Time:
		return dayOf(t), nil
	case string:
		if at, ok := parseDate(t); ok {
			return at, nil
		}
	}
	return time.Time{}, valueError(v, "date")
}

func dayOf(t time.Time) time.Time {
	return time.Date(t.Year(), t.Month(), t.Day(), 0, 0, 0, 0, time.UTC)
}

// parseDate reads the text of a date: year, year-month or year-month-day, and
// after the last a blank or T and anything. Class SparkDateTimeUtils of Spark
// has the rule.
func parseDate(s string) (time.Time, bool) {
	s = strings.TrimSpace(s)
	date, _, _ := cutTime(s)
	return dateParts3(date)
}

// cutTime cuts text after its date.
func cutTime(s string) (date, rest string, found bool) {
	for i := 1; i < len(s); i++ {
		if s[i] == ' ' || s[i] == 'T' {
			return s[:i], s[i+1:], true
		}
	}
	return s, "", false
}

// dateParts3 reads year-month-day.
func dateParts3(s string) (time.Time, bool) {
	sign := 1
	if s != "" && (s[0] == '-' || s[0] == '+') {
		if s[0] == '-' {
			sign = -1
		}
		s = s[1:]
	}
	parts := strings.Split(s, "-")
	if len(parts) > 3 || len(parts[0]) < 4 || len(parts[0]) > 7 {
		return time.Time{}, false
	}
	fields := [3]int{0, 1, 1}
	for i, part := range parts {
		n, ok := digits(part)
		if !ok || i > 0 && len(part) > 2 {
			return time.Time{}, false
		}
		fields[i] = n
	}
	return makeDate(sign*fields[0], fields[1], fields[2])
}

// makeDate is the date, false if there is no such day.
func makeDate(year, month, day int) (time.Time, bool) {
	if month < 1 || month > 12 || day < 1 {
		return time.Time{}, false
	}
	t := time.Date(year, time.Month(month), day, 0, 0, 0, 0, time.UTC)
	return t, t.Day() == day && t.Month() == time.Month(month)
}

// digits is a number of digits only.
func digits(s string) (int, bool) {
	if s == "" || strings.Trim(s, "0123456789") != "" {
		return 0, false
	}
	n, err := strconv.Atoi(s)
	return n, err == nil
}

// parseTimestamp reads the text of a timestamp as wall clock in zone. Text with
// a zone of its own is an instant.
func parseTimestamp(s string, zone *time.Location) (time.Time, bool) {
	s = strings.TrimSpace(s)
	date, clock, timed := cutTime(s)
	if timed && strings.TrimSpace(clock) == "" {
		return time.Time{}, false
	}
	t, ok := dateParts3(date)
	if !ok || !timed {
		return t, ok
	}
	clock, name := cutZone(strings.TrimSpace(clock))
	since, ok := parseClock(clock)
	if !ok {
		return t, false
	}
	t = t.Add(since)
	if name == "" {
		return t, true
	}
	own, err := ParseZone(zoneName(name))
	if err != nil {
		return t, false
	}
	return Wall(Instant(t, own), zone), true
}

// cutZone cuts the zone off a clock.
func cutZone(s string) (clock, zone string) {
	for i := range len(s) {
		if c := s[i]; (c < '0' || c > '9') && c != ':' && c != '.' {
			return strings.TrimSpace(s[:i]), strings.TrimSpace(s[i:])
		}
	}
	return s, ""
}

// zoneName is a zone as [ParseZone] knows it: +2 and UTC+2 are offsets too.
func zoneName(s string) string {
	offset := s
	for _, prefix := range []string{"UTC", "GMT", "UT"} {
		if rest, ok := strings.CutPrefix(s, prefix); ok && rest != "" {
			offset = rest
			break
		}
	}
	if offset[0] != '+' && offset[0] != '-' {
		return s
	}
	hours, minutes, found := strings.Cut(offset[1:], ":")
	if !found {
		minutes = "00"
		if len(hours) == 4 {
			hours, minutes = hours[:2], hours[2:]
		}
	}
	return offset[:1] + hours + ":" + minutes
}

// parseClock reads hours, minutes, seconds and a fraction.
func parseClock(s string) (time.Duration, bool) {
	s, fraction, fractional := strings.Cut(s, ".")
	parts := strings.Split(s, ":")
	if len(parts) > 3 || fractional && len(parts) < 3 {
		return 0, false
	}
	var total time.Duration
	units := [3]time.Duration{time.Hour, time.Minute, time.Second}
	for i, part := range parts {
		n, ok := digits(part)
		if !ok || len(part) > 2 || i == 0 && n > 23 || n > 59 {
			return 0, false
		}
		total += time.Duration(n) * units[i]
	}
	if fraction == "" {
		return total, true
	}
	fraction = (fraction + "000000")[:max(6, len(fraction))]
	micros, ok := digits(fraction[:6])
	if _, rest := digits(fraction); !ok || !rest {
		return 0, false
	}
	return total + time.Duration(micros)*time.Microsecond, true
}
