package functions

import (
	"strings"
	"time"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
)

// dateParts are the fields of dates and timestamps.
func dateParts() []Function {
	one := func(doc string, part func(t time.Time) int, names ...string) Function {
		return Function{Names: names, Usage: "time", Doc: doc, min: 1, max: 1, make: func(c call) (sql.Expression, error) {
			return c.strict(types.Int32, func(ctx *sql.Context, args []any) (any, error) {
				t, err := moment(ctx, args[0])
				return int32(part(t)), err
			})
		}}
	}
	return []Function{
		one("The year.", time.Time.Year, "year"),
		one("The quarter, 1 to 4.", quarter, "quarter"),
		one("The month, 1 to 12.", func(t time.Time) int { return int(t.Month()) }, "month"),
		one("The day of the month.", time.Time.Day, "day", "dayofmonth"),
		one("The day of the year.", time.Time.YearDay, "dayofyear"),
		one("The day of the week; 1 is Sunday.", func(t time.Time) int { return int(t.Weekday()) + 1 }, "dayofweek"),
		one("The day of the week; 0 is Monday.", func(t time.Time) int { return (int(t.Weekday()) + 6) % 7 }, "weekday"),
		one("The ISO week of the year.", isoWeek, "weekofyear"),
		one("The hour.", time.Time.Hour, "hour"),
		one("The minute.", time.Time.Minute, "minute"),
		one("The second.", time.Time.Second, "second"),
		{
			Names: []string{"date_part", "datepart"}, Usage: "part, time", min: 2, max: 2, make: makeDatePart,
			Doc: "A part of a time by its name: year, quarter, month, week, day, dow, dow_iso, doy, hour, minute, second with its fraction.",
		},
		{
			Names: []string{"monthname"}, Usage: "time", min: 1, max: 1, make: nameOf("Jan"),
			Doc: "The short name of the month, such as Jan.",
		},
		{
			Names: []string{"dayname"}, Usage: "time", min: 1, max: 1, make: nameOf("Mon"),
			Doc: "The short name of the day, such as Mon.",
		},
	}
}

func nameOf(layout string) maker {
	return func(c call) (sql.Expression, error) {
		return c.strict(types.LongText, func(ctx *sql.Context, args []any) (any, error) {
			t, err := moment(ctx, args[0])
			return t.Format(layout), err
		})
	}
}

func quarter(t time.Time) int { return (int(t.Month()) + 2) / 3 }

func isoWeek(t time.Time) int {
	_, week := t.ISOWeek()
	return week
}

// makeDatePart is of the type that the part has: the seconds have a fraction.
func makeDatePart(c call) (sql.Expression, error) {
	part, err := c.constant(0)
	if err != nil {
		return nil, err
	}
	name, _ := part.(string)
	name = strings.ToLower(name)
	switch name {
	case "second", "s", "sec", "seconds", "secs":
		seconds, err := decimalType(8, 6)
		if err != nil {
			return nil, err
		}
		return c.strict(seconds, func(ctx *sql.Context, args []any) (any, error) {
			t, err := moment(ctx, args[1])
			if err != nil {
				return nil, err
			}
			return exact(float64(t.Second()) + float64(t.Nanosecond()/1000)/1e6)
		})
	}
	field := datePart(name)
	if field == nil && !c.open() {
		return nil, c.bad("no part %q; allowed are year, quarter, month, week, day, dow, dow_iso, doy, hour, minute, second", name)
	}
	return c.strict(types.Int32, func(ctx *sql.Context, args []any) (any, error) {
		t, err := moment(ctx, args[1])
		return int32(field(t)), err
	})
}

// datePart computes the part of that name, nil if there is none.
func datePart(name string) func(time.Time) int {
	switch name {
	case "year", "y", "years", "yr", "yrs":
		return time.Time.Year
	case "yearofweek":
		return func(t time.Time) int { y, _ := t.ISOWeek(); return y }
	case "quarter", "qtr":
		return quarter
	case "month", "mon", "mons", "months":
		return func(t time.Time) int { return int(t.Month()) }
	case "week", "w", "weeks":
		return isoWeek
	case "day", "d", "days":
		return time.Time.Day
	case "dayofweek", "dow":
		return func(t time.Time) int { return int(t.Weekday()) + 1 }
	case "dayofweek_iso", "dow_iso":
		return func(t time.Time) int { return (int(t.Weekday())+6)%7 + 1 }
	case "doy":
		return time.Time.YearDay
	case "hour", "h", "hours", "hr", "hrs":
		return time.Time.Hour
	case "minute", "m", "min", "mins", "minutes":
		return time.Time.Minute
	}
	return nil
}
