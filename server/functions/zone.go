package functions

import (
	"fmt"
	"strings"
	"time"

	"github.com/dolthub/go-mysql-server/sql"
)

// Zone returns the session's time zone, UTC if there is no session.
func Zone(ctx *sql.Context) (*time.Location, error) {
	if ctx == nil || ctx.Session == nil {
		return time.UTC, nil
	}
	value, err := ctx.GetSessionVariable(ctx, "time_zone")
	if err != nil {
		return nil, err
	}
	name, ok := value.(string)
	if !ok {
		return nil, fmt.Errorf("time_zone has the unexpected type %T", value)
	}
	return ParseZone(name)
}

// ParseZone understands the values of MySQL's time_zone and of Spark's: an
// offset such as "+02:00", a name such as "Europe/Berlin", and SYSTEM.
func ParseZone(name string) (*time.Location, error) {
	switch {
	case strings.EqualFold(name, "SYSTEM"):
		return time.Local, nil
	case strings.EqualFold(name, "UTC"), strings.EqualFold(name, "Z"), name == "+00:00", name == "":
		return time.UTC, nil
	case name[0] == '+' || name[0] == '-':
		var hours, minutes int
		if n, err := fmt.Sscanf(name[1:], "%d:%d", &hours, &minutes); n != 2 || err != nil || hours > 14 || minutes > 59 {
			return nil, fmt.Errorf("time_zone %q is not an offset such as +02:00", name)
		}
		offset := hours*3600 + minutes*60
		if name[0] == '-' {
			offset = -offset
		}
		return time.FixedZone(name, offset), nil
	}
	loc, err := time.LoadLocation(name)
	if err != nil {
		return nil, fmt.Errorf("time_zone %q is neither an offset such as +02:00 nor a known name such as Europe/Berlin", name)
	}
	return loc, nil
}

// Wall returns the wall clock of the instant t in zone as a time in UTC,
// rounded to microseconds.
func Wall(t time.Time, zone *time.Location) time.Time {
	t = t.Round(time.Microsecond).In(zone)
	return time.Date(t.Year(), t.Month(), t.Day(), t.Hour(), t.Minute(), t.Second(), t.Nanosecond(), time.UTC)
}

// Instant is the inverse of Wall.
func Instant(t time.Time, zone *time.Location) time.Time {
	t = t.UTC()
	return time.Date(t.Year(), t.Month(), t.Day(), t.Hour(), t.Minute(), t.Second(), t.Nanosecond(), zone)
}
