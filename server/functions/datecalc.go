package functions

import (
	"math"
	"strings"
	"time"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/expression/function"
	"github.com/dolthub/go-mysql-server/sql/types"
)

// dateArithmetic are the functions that make dates of dates.
func dateArithmetic() []Function {
	return []Function{
		{
			Names: []string{"date_trunc"}, Usage: "unit, time", min: 2, max: 2, make: makeDateTrunc,
			Doc: "The beginning of the year, quarter, month, week, day, hour, minute, second, millisecond or microsecond that time is in; NULL for another unit.",
		},
		{
			Names: []string{"trunc"}, Usage: "date, unit", min: 2, max: 2, make: makeTrunc,
			Doc: "The first day of the year, quarter, month or week that date is in; NULL for another unit.",
		},
		{
			Names: []string{"date_add", "dateadd"}, Usage: "date, days", min: 2, max: 2, make: makeDateAdd(1),
			Doc: "The date that many days later. With INTERVAL instead of a number it is MySQL's DATE_ADD.",
		},
		{
			Names: []string{"date_sub"}, Usage: "date, days", min: 2, max: 2, make: makeDateAdd(-1),
			Doc: "The date that many days earlier. With INTERVAL instead of a number it is MySQL's DATE_SUB.",
		},
		{
			Names: []string{"datediff", "date_diff"}, Usage: "end, start", min: 2, max: 2, make: makeDateDiff,
			Doc: "The days from start to end.",
		},
		{
			Names: []string{"add_months"}, Usage: "date, months", min: 2, max: 2, make: makeAddMonths,
			Doc: "The date that many months later, at most the last day of its month.",
		},
		{
			Names: []string{"months_between"}, Usage: "time1, time2 [, round]", min: 2, max: 3, make: makeMonthsBetween,
			Doc: "The months from time2 to time1; a month has 31 days for what is left over. Rounded to eight digits unless round is false.",
		},
		{
			Names: []string{"last_day"}, Usage: "date", min: 1, max: 1, make: makeLastDay,
			Doc: "The last day of the month that date is in.",
		},
		{
			Names: []string{"next_day"}, Usage: "date, weekday", min: 2, max: 2, make: makeNextDay,
			Doc: "The first day after date with that name, such as 'Mon'.",
		},
		{
			Names: []string{"make_date"}, Usage: "year, month, day", min: 3, max: 3, make: makeMakeDate,
			Doc: "The date of these numbers.",
		},
		{
			Names: []string{"makedate"}, Usage: "year, day", min: 2, max: 2, make: makeDayOfYear,
			Doc: "The date of that day of the year, the first being 1, as in MySQL.",
		},
		{
			Names: []string{"make_timestamp"}, Usage: "year, month, day, hour, minute, second", min: 6, max: 6, make: makeMakeTimestamp,
			Doc: "The timestamp of these numbers; the second may have a fraction.",
		},
		{
			Names: []string{"date_from_unix_date"}, Usage: "days", min: 1, max: 1, make: makeFromUnixDate,
			Doc: "The date that many days after 1970-01-01.",
		},
		{
			Names: []string{"unix_date"}, Usage: "date", min: 1, max: 1, make: makeUnixDate,
			Doc: "The days from 1970-01-01 to date.",
		},
	}
}

func makeDateTrunc(c call) (sql.Expression, error) {
	return c.strict(dateTime(), func(ctx *sql.Context, args []any) (any, error) {
		t, err := moment(ctx, args[1])
		if err != nil {
			return nil, err
		}
		if at, ok := truncate(t, text(args[0], nil)); ok {
			return at, nil
		}
		return nil, nil
	})
}

func makeTrunc(c call) (sql.Expression, error) {
	return c.strict(types.Date, func(_ *sql.Context, args []any) (any, error) {
		d, err := day(args[0])
		if err != nil {
			return nil, err
		}
		switch unit := strings.ToLower(text(args[1], nil)); unit {
		case "year", "yyyy", "yy", "quarter", "month", "mon", "mm", "week":
			at, _ := truncate(d, unit)
			return at, nil
		}
		return nil, nil
	})
}

// truncate is where the unit that t is in begins.
func truncate(t time.Time, unit string) (time.Time, bool) {
	switch strings.ToLower(unit) {
	case "year", "yyyy", "yy":
		return time.Date(t.Year(), 1, 1, 0, 0, 0, 0, time.UTC), true
	case "quarter":
		return time.Date(t.Year(), time.Month(quarter(t)*3-2), 1, 0, 0, 0, 0, time.UTC), true
	case "month", "mon", "mm":
		return time.Date(t.Year(), t.Month(), 1, 0, 0, 0, 0, time.UTC), true
	case "week":
		return dayOf(t).AddDate(0, 0, -(int(t.Weekday())+6)%7), true
	case "day", "dd":
		return dayOf(t), true
	case "hour":
		return t.Truncate(time.Hour), true
	case "minute":
		return t.Truncate(time.Minute), true
	case "second":
		return t.Truncate(time.Second), true
	case "millisecond":
		return t.Truncate(time.Millisecond), true
	case "microsecond":
		return t.Truncate(time.Microsecond), true
	}
	return t, false
}

func makeDateAdd(sign int) maker {
	return func(c call) (sql.Expression, error) {
		if _, ok := c.args[1].(*expression.Interval); ok {
			if sign > 0 {
				return function.NewDateAdd(c.args...)
			}
			return function.NewDateSub(c.args...)
		}
		return c.strict(types.Date, func(_ *sql.Context, args []any) (any, error) {
			d, err := day(args[0])
			if err != nil {
				return nil, err
			}
			n, err := small(args[1])
			if err != nil {
				return nil, err
			}
			return d.AddDate(0, 0, sign*n), nil
		})
	}
}

func makeDateDiff(c call) (sql.Expression, error) {
	return c.strict(types.Int32, func(_ *sql.Context, args []any) (any, error) {
		end, err := day(args[0])
		if err != nil {
			return nil, err
		}
		start, err := day(args[1])
		return int32(epochDay(end) - epochDay(start)), err
	})
}

// epochDay counts the days since 1970-01-01.
func epochDay(t time.Time) int64 { return floorDiv(t.Unix(), 86400) }

// addMonths is t some months later, at most the last day of that month.
func addMonths(t time.Time, months int) time.Time {
	first := time.Date(t.Year(), t.Month(), 1, 0, 0, 0, 0, time.UTC).AddDate(0, months, 0)
	d := min(t.Day(), lastDay(first).Day())
	return first.AddDate(0, 0, d-1).Add(t.Sub(dayOf(t)))
}

func lastDay(t time.Time) time.Time {
	return time.Date(t.Year(), t.Month()+1, 0, 0, 0, 0, 0, time.UTC)
}

func makeAddMonths(c call) (sql.Expression, error) {
	return c.strict(types.Date, func(_ *sql.Context, args []any) (any, error) {
		d, err := day(args[0])
		if err != nil {
			return nil, err
		}
		n, err := small(args[1])
		return addMonths(d, n), err
	})
}

func makeLastDay(c call) (sql.Expression, error) {
	return c.strict(types.Date, func(_ *sql.Context, args []any) (any, error) {
		d, err := day(args[0])
		return lastDay(d), err
	})
}

// makeMonthsBetween is a whole number of months between equal days of the
// month and between last days; class DateTimeUtils of Spark has the rule.
func makeMonthsBetween(c call) (sql.Expression, error) {
	return c.strict(types.Float64, func(ctx *sql.Context, args []any) (any, error) {
		end, err := moment(ctx, args[0])
		if err != nil {
			return nil, err
		}
		start, err := moment(ctx, args[1])
		if err != nil {
			return nil, err
		}
		months := float64((end.Year()-start.Year())*12 + int(end.Month()) - int(start.Month()))
		last := end.Day() == lastDay(end).Day() && start.Day() == lastDay(start).Day()
		if end.Day() == start.Day() || last {
			return months, nil
		}
		rest := end.Sub(dayOf(end)) - start.Sub(dayOf(start))
		seconds := float64((end.Day()-start.Day())*86400) + math.Trunc(rest.Seconds())
		months += seconds / (31 * 86400)
		if len(args) == 3 {
			if round, err := truth(args[2]); err != nil || !round {
				return months, err
			}
		}
		return math.Round(months*1e8) / 1e8, nil
	})
}

// makeNextDay is strict about the name, as ANSI mode is.
func makeNextDay(c call) (sql.Expression, error) {
	return c.strict(types.Date, func(_ *sql.Context, args []any) (any, error) {
		d, err := day(args[0])
		if err != nil {
			return nil, err
		}
		name := strings.ToLower(strings.TrimSpace(text(args[1], nil)))
		for w := range time.Weekday(7) {
			full := strings.ToLower(w.String())
			if name == full || name == full[:3] || name == full[:2] {
				return d.AddDate(0, 0, (int(w)-int(d.Weekday())+6)%7+1), nil
			}
		}
		return nil, c.bad("%q is no day of the week", name)
	})
}

func makeMakeDate(c call) (sql.Expression, error) {
	return c.strict(types.Date, func(_ *sql.Context, args []any) (any, error) {
		var n [3]int
		for i, arg := range args {
			var err error
			if n[i], err = small(arg); err != nil {
				return nil, err
			}
		}
		d, ok := makeDate(n[0], n[1], n[2])
		if !ok {
			return nil, c.bad("there is no day %d-%d-%d", n[0], n[1], n[2])
		}
		return d, nil
	})
}

func makeMakeTimestamp(c call) (sql.Expression, error) {
	return c.strict(dateTime(), func(_ *sql.Context, args []any) (any, error) {
		var n [5]int
		for i := range n {
			var err error
			if n[i], err = small(args[i]); err != nil {
				return nil, err
			}
		}
		d, ok := makeDate(n[0], n[1], n[2])
		seconds, err := exact(args[5])
		if err != nil {
			return nil, err
		}
		micros := seconds.Shift(6).Truncate(0).IntPart()
		if !ok || n[3] < 0 || n[3] > 23 || n[4] < 0 || n[4] > 59 || micros < 0 || micros > 60e6 {
			return nil, c.bad("there is no time %d-%d-%d %d:%d:%s", n[0], n[1], n[2], n[3], n[4], seconds)
		}
		return d.Add(time.Duration(n[3])*time.Hour + time.Duration(n[4])*time.Minute + time.Duration(micros)*time.Microsecond), nil
	})
}

func makeFromUnixDate(c call) (sql.Expression, error) {
	return c.strict(types.Date, func(_ *sql.Context, args []any) (any, error) {
		n, err := small(args[0])
		return time.Unix(0, 0).UTC().AddDate(0, 0, n), err
	})
}

func makeUnixDate(c call) (sql.Expression, error) {
	return c.strict(types.Int32, func(_ *sql.Context, args []any) (any, error) {
		d, err := day(args[0])
		return int32(epochDay(d)), err
	})
}

func makeDayOfYear(c call) (sql.Expression, error) {
	return c.strict(types.Date, func(_ *sql.Context, args []any) (any, error) {
		year, err := small(args[0])
		if err != nil {
			return nil, err
		}
		n, err := small(args[1])
		if err != nil || n < 1 {
			return nil, err
		}
		first, ok := makeDate(year, 1, 1)
		if !ok {
			return nil, c.bad("there is no year %d", year)
		}
		return first.AddDate(0, 0, n-1), nil
	})
}
