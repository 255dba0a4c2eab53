package predicate

import (
	"strings"
	"time"
)

// Env is what constants are folded with.
type Env struct {
	// Now is the time of current_timestamp() and the like.
	Now time.Time
	// Zone is the session's time zone: that of current_date and of timestamps
	// written without one. nil is UTC.
	Zone *time.Location
}

func (e Env) zone() *time.Location {
	if e.Zone == nil {
		return time.UTC
	}
	return e.Zone
}

// now is the clock with the microseconds that Spark keeps.
func (e Env) now() time.Time { return e.Now.UTC().Truncate(time.Microsecond) }

func (e Env) today() Date { return DateOf(Wall(e.now(), e.zone())) }

// special reads the names of days that Spark allows in place of a date or
// timestamp (SparkDateTimeUtils.convertSpecialDate).
func (e Env) special(s string) (wall time.Time, ok bool) {
	switch strings.ToLower(s) {
	case "epoch":
		return Wall(time.Unix(0, 0), e.zone()), true
	case "now":
		return Wall(e.now(), e.zone()), true
	case "today":
		return e.today().Midnight(), true
	case "yesterday":
		return (e.today() - 1).Midnight(), true
	case "tomorrow":
		return (e.today() + 1).Midnight(), true
	}
	return time.Time{}, false
}
