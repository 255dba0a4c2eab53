package functions

import (
	"strings"
	"sync"
	"time"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/expression/function"
	"github.com/dolthub/go-mysql-server/sql/types"
)

// dateTexts are the functions between times, text and numbers.
func dateTexts() []Function {
	return []Function{
		{
			Names: []string{"to_date"}, Usage: "text [, pattern]", min: 1, max: 2, make: makeToDate(false),
			Doc: "The date that the text says; what is no date is an error.",
		},
		{
			Names: []string{"try_to_date"}, Usage: "text [, pattern]", min: 1, max: 2, make: makeToDate(true),
			Doc: "As to_date, but NULL for what is no date.",
		},
		{
			Names: []string{"to_timestamp", "to_timestamp_ntz", "to_timestamp_ltz"}, Usage: "text [, pattern]", min: 1, max: 2, make: makeToTimestamp(false),
			Doc: "The timestamp that the text says; what is none is an error.",
		},
		{
			Names: []string{"try_to_timestamp"}, Usage: "text [, pattern]", min: 1, max: 2, make: makeToTimestamp(true),
			Doc: "As to_timestamp, but NULL for what is no timestamp.",
		},
		{
			Names: []string{"date_format"}, Usage: "time, pattern", min: 2, max: 2, make: makeDateFormat,
			Doc: "The time as text by a pattern of Spark's such as 'yyyy-MM-dd'; a pattern with % is MySQL's.",
		},
		{
			Names: []string{"from_unixtime"}, Usage: "seconds [, pattern]", min: 1, max: 2, make: makeFromUnixtime,
			Doc: "The instant that many seconds after 1970 in the session's time zone, as text.",
		},
		{
			Names: []string{"unix_timestamp", "to_unix_timestamp"}, Usage: "[time [, pattern]]", min: 0, max: 2, make: makeUnixTimestamp,
			Doc: "The seconds from 1970 to the time, or until now.",
		},
		instantOf("timestamp_seconds", "seconds", 1_000_000), instantOf("timestamp_millis", "milliseconds", 1000), instantOf("timestamp_micros", "microseconds", 1),
		sinceEpoch("unix_seconds", "seconds", 1_000_000), sinceEpoch("unix_millis", "milliseconds", 1000), sinceEpoch("unix_micros", "microseconds", 1),
		{
			Names: []string{"from_utc_timestamp"}, Usage: "time, zone", min: 2, max: 2, make: makeShift(false),
			Doc: "The wall clock in zone when it is that time in UTC.",
		},
		{
			Names: []string{"to_utc_timestamp"}, Usage: "time, zone", min: 2, max: 2, make: makeShift(true),
			Doc: "The wall clock in UTC when it is that time in zone.",
		},
	}
}

// memo keeps what was made of the last text, which usually is the same in every
// row.
type memo[T any] struct {
	mu    sync.Mutex
	from  string
	value T
	known bool
}

// get returns what make makes of s.
func (m *memo[T]) get(s string, make func(string) (T, error)) (T, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.known && m.from == s {
		return m.value, nil
	}
	v, err := make(s)
	if err == nil {
		m.from, m.value, m.known = s, v, true
	}
	return v, err
}

// patterns compiles the pattern of a call.
func (c call) patterns() func(v any) (pattern, error) {
	compiled := &memo[pattern]{}
	return func(v any) (pattern, error) {
		p, err := compiled.get(text(v, nil), compilePattern)
		if err != nil {
			return nil, c.bad("%s", err)
		}
		return p, nil
	}
}

// reader reads times: by Spark's cast, or by the pattern that is argument 1.
func (c call) reader(cast func(ctx *sql.Context, v any) (time.Time, error)) func(ctx *sql.Context, args []any) (time.Time, error) {
	compile := c.patterns()
	return func(ctx *sql.Context, args []any) (time.Time, error) {
		s, isText := args[0].(string)
		if len(args) < 2 || !isText {
			return cast(ctx, args[0])
		}
		p, err := compile(args[1])
		if err != nil {
			return time.Time{}, err
		}
		zone, err := Zone(ctx)
		if err != nil {
			return time.Time{}, err
		}
		t, ok := p.parse(s, zone)
		if !ok {
			return t, valueError(s, "time of the pattern "+text(args[1], nil))
		}
		return t, nil
	}
}

func makeToDate(try bool) maker {
	return func(c call) (sql.Expression, error) {
		read := c.reader(func(_ *sql.Context, v any) (time.Time, error) { return day(v) })
		return c.strict(types.Date, func(ctx *sql.Context, args []any) (any, error) {
			t, err := read(ctx, args)
			if err != nil && try {
				return nil, nil
			}
			return dayOf(t), err
		})
	}
}

func makeToTimestamp(try bool) maker {
	return func(c call) (sql.Expression, error) {
		read := c.reader(moment)
		return c.strict(dateTime(), func(ctx *sql.Context, args []any) (any, error) {
			t, err := read(ctx, args)
			if err != nil && try {
				return nil, nil
			}
			return t, err
		})
	}
}

func makeDateFormat(c call) (sql.Expression, error) {
	if lit, ok := c.args[1].(*expression.Literal); ok && strings.Contains(text(lit.Value(), nil), "%") {
		return function.NewDateFormat(c.args[0], c.args[1]), nil
	}
	compile := c.patterns()
	return c.strict(types.LongText, func(ctx *sql.Context, args []any) (any, error) {
		t, err := moment(ctx, args[0])
		if err != nil {
			return nil, err
		}
		p, err := compile(args[1])
		if err != nil {
			return nil, err
		}
		zone, err := Zone(ctx)
		if err != nil {
			return nil, err
		}
		return p.format(t, zone), nil
	})
}

func makeFromUnixtime(c call) (sql.Expression, error) {
	if len(c.args) == 2 {
		if lit, ok := c.args[1].(*expression.Literal); ok && strings.Contains(text(lit.Value(), nil), "%") {
			return function.NewFromUnixtime(c.args...)
		}
	}
	compile := c.patterns()
	return c.strict(types.LongText, func(ctx *sql.Context, args []any) (any, error) {
		seconds, err := integer(args[0])
		if err != nil {
			return nil, err
		}
		var form any = defaultPattern
		if len(args) == 2 {
			form = args[1]
		}
		p, err := compile(form)
		if err != nil {
			return nil, err
		}
		zone, err := Zone(ctx)
		return p.format(Wall(time.Unix(seconds, 0), zone), zone), err
	})
}

func makeUnixTimestamp(c call) (sql.Expression, error) {
	if len(c.args) == 0 {
		return c.strict(types.Int64, func(ctx *sql.Context, _ []any) (any, error) { return ctx.QueryTime().Unix(), nil })
	}
	// Without a pattern the default one is meant, but Spark's cast takes more.
	read := c.reader(moment)
	return c.strict(types.Int64, func(ctx *sql.Context, args []any) (any, error) {
		t, err := read(ctx, args)
		if err != nil {
			return nil, err
		}
		return epochSeconds(ctx, t)
	})
}

// instantOf is a function that makes a timestamp of a count of units.
func instantOf(name, units string, micros int64) Function {
	return Function{
		Names: []string{name}, Usage: units, min: 1, max: 1, Doc: "The instant that many " + units + " after 1970 in UTC.",
		make: func(c call) (sql.Expression, error) {
			return c.strict(dateTime(), func(ctx *sql.Context, args []any) (any, error) {
				d, err := exact(args[0])
				if err != nil {
					return nil, err
				}
				n, err := integer(d.Shift(0).Mul(decimalOf(micros)).Floor())
				if err != nil {
					return nil, err
				}
				return wallOf(ctx, n)
			})
		},
	}
}

// sinceEpoch is a function that counts units since 1970.
func sinceEpoch(name, units string, micros int64) Function {
	return Function{
		Names: []string{name}, Usage: "time", min: 1, max: 1, Doc: "The " + units + " from 1970 in UTC to the time.",
		make: func(c call) (sql.Expression, error) {
			return c.strict(types.Int64, func(ctx *sql.Context, args []any) (any, error) {
				t, err := moment(ctx, args[0])
				if err != nil {
					return nil, err
				}
				n, err := epochMicros(ctx, t)
				return floorDiv(n, micros), err
			})
		},
	}
}

// makeShift moves a wall clock from one zone to another.
func makeShift(toUTC bool) maker {
	return func(c call) (sql.Expression, error) {
		return c.strict(dateTime(), func(ctx *sql.Context, args []any) (any, error) {
			t, err := moment(ctx, args[0])
			if err != nil {
				return nil, err
			}
			zone, err := ParseZone(zoneName(text(args[1], nil)))
			if err != nil {
				return nil, c.bad("%s", err)
			}
			if toUTC {
				return Wall(Instant(t, zone), time.UTC), nil
			}
			return Wall(t, zone), nil
		})
	}
}
