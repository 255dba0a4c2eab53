package predicate

import (
	"fmt"
	"strings"
	"time"
)

var timeFunctions = map[string]function{
	"current_timestamp": {0, 0, false, nowFunction},
	"now":               {0, 0, false, nowFunction},
	"localtimestamp": {0, 0, false, func(_ []Value, env Env) (Value, error) {
		return LocalTimestamp{Wall(env.now(), env.zone())}, nil
	}},
	"current_date": {0, 0, false, todayFunction},
	"curdate":      {0, 0, false, todayFunction},
	"date_sub":     {2, 2, false, func(args []Value, env Env) (Value, error) { return shiftDate(args, -1, env) }},
	"date_add":     {2, 2, false, func(args []Value, env Env) (Value, error) { return shiftDate(args, 1, env) }},
	"add_months": {2, 2, false, func(args []Value, env Env) (Value, error) {
		d, err := toDate(args[0], env)
		if err != nil {
			return nil, err
		}
		n, err := toInt(args[1])
		if err != nil {
			return nil, err
		}
		wall, err := addMonths(d.Midnight(), n)
		if err != nil {
			return nil, err
		}
		return DateOf(wall), nil
	}},
	"last_day": {1, 1, false, func(args []Value, env Env) (Value, error) {
		d, err := toDate(args[0], env)
		if err != nil {
			return nil, err
		}
		_, next, _ := Granule("month", d.Midnight())
		return DateOf(next) - 1, nil
	}},
	"datediff": {2, 2, false, func(args []Value, env Env) (Value, error) {
		end, err := toDate(args[0], env)
		if err != nil {
			return nil, err
		}
		start, err := toDate(args[1], env)
		return Int(end - start), err
	}},
	"date_trunc": {2, 2, false, func(args []Value, env Env) (Value, error) {
		return truncate(args[0], args[1], env, false)
	}},
	"trunc": {2, 2, false, func(args []Value, env Env) (Value, error) {
		return truncate(args[1], args[0], env, true)
	}},
	"make_date": {3, 3, false, func(args []Value, _ Env) (Value, error) {
		var n [3]int64
		for i := range n {
			var err error
			if n[i], err = toInt(args[i]); err != nil {
				return nil, err
			}
		}
		wall, ok := wallOf([]string{Int(n[0]).String(), Int(n[1]).String(), Int(n[2]).String()}, nil, "")
		if !ok || n[0] < 0 || n[0] > 99999 {
			return nil, fmt.Errorf("%d-%d-%d is not a date", n[0], n[1], n[2])
		}
		return DateOf(wall), nil
	}},
	"timestamp_seconds": {1, 1, false, epoch(1)},
	"timestamp_millis":  {1, 1, false, epoch(1_000)},
	"timestamp_micros":  {1, 1, false, epoch(1_000_000)},
}

func nowFunction(_ []Value, env Env) (Value, error) { return Timestamp{env.now()}, nil }

func todayFunction(_ []Value, env Env) (Value, error) { return env.today(), nil }

// epoch makes timestamps of a count of 1/perSecond seconds since 1970.
func epoch(perSecond int64) func([]Value, Env) (Value, error) {
	return func(args []Value, _ Env) (Value, error) {
		n, err := toInt(args[0])
		if err != nil {
			return nil, err
		}
		if !secondsInRange(n / perSecond) {
			return nil, errOverflow
		}
		return Timestamp{time.Unix(n/perSecond, n%perSecond*(int64(time.Second)/perSecond)).UTC()}, nil
	}
}

// shiftDate adds days, or an interval of days, to a date.
func shiftDate(args []Value, sign int64, env Env) (Value, error) {
	if i, ok := args[1].(Interval); ok {
		v := args[0]
		if s, ok := v.(String); ok {
			d, err := toDate(s, env)
			if err != nil {
				return nil, err
			}
			v = d
		}
		return addInterval(v, i, sign < 0, env)
	}
	d, err := toDate(args[0], env)
	if err != nil {
		return nil, err
	}
	n, err := toInt(args[1])
	if err != nil {
		return nil, err
	}
	if n > 2*maxDay || n < -2*maxDay {
		return nil, errOverflow
	}
	return addDays(d, sign*n)
}

// truncate folds date_trunc, or trunc, which gives a date.
func truncate(unit, v Value, env Env, date bool) (Value, error) {
	name, ok := unit.(String)
	if !ok {
		return nil, fmt.Errorf("the unit must be a string, such as 'DAY'")
	}
	canonical, err := TruncUnit(string(name))
	if err != nil {
		return nil, err
	}
	wall, err := toLocal(v, env)
	if err != nil {
		return nil, err
	}
	start, _, _ := Granule(canonical, wall)
	if date {
		return DateOf(start), nil
	}
	if _, ok := v.(LocalTimestamp); ok {
		return LocalTimestamp{start}, nil
	}
	return Timestamp{Instant(start, env.zone())}, nil
}

// TruncUnit is the unit, as Granule knows it, that date_trunc calls name.
func TruncUnit(name string) (string, error) {
	switch strings.ToUpper(name) {
	case "YEAR", "YYYY", "YY":
		return "year", nil
	case "QUARTER":
		return "quarter", nil
	case "MONTH", "MM", "MON":
		return "month", nil
	case "WEEK":
		return "week", nil
	case "DAY", "DD":
		return "day", nil
	case "HOUR":
		return "hour", nil
	case "MINUTE":
		return "minute", nil
	case "SECOND":
		return "second", nil
	}
	return "", fmt.Errorf("unknown unit %q; allowed are YEAR, QUARTER, MONTH, WEEK, DAY, HOUR, MINUTE and SECOND", clip(name))
}

// Granule is the unit of the calendar (year, quarter, month, week, day, hour,
// minute or second) that a wall clock time lies in: its start and the start of
// the next. A week starts on Monday. ok is false if there is no such unit.
func Granule(unit string, wall time.Time) (start, next time.Time, ok bool) {
	y, m, d := wall.Date()
	midnight := time.Date(y, m, d, 0, 0, 0, 0, time.UTC)
	switch unit {
	case "year":
		start = time.Date(y, 1, 1, 0, 0, 0, 0, time.UTC)
		return start, start.AddDate(1, 0, 0), true
	case "quarter":
		start = time.Date(y, (m-1)/3*3+1, 1, 0, 0, 0, 0, time.UTC)
		return start, start.AddDate(0, 3, 0), true
	case "month":
		start = time.Date(y, m, 1, 0, 0, 0, 0, time.UTC)
		return start, start.AddDate(0, 1, 0), true
	case "week":
		start = midnight.AddDate(0, 0, -(int(wall.Weekday())+6)%7)
		return start, start.AddDate(0, 0, 7), true
	case "day":
		return midnight, midnight.AddDate(0, 0, 1), true
	}
	step, ok := map[string]time.Duration{"hour": time.Hour, "minute": time.Minute, "second": time.Second}[unit]
	if !ok {
		return time.Time{}, time.Time{}, false
	}
	start = midnight.Add(wall.Sub(midnight).Truncate(step))
	return start, start.Add(step), true
}
