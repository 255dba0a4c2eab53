package functions

import (
	"strings"
	"time"
)

// reading is what a pattern has found in a text.
type reading struct {
	year, month, day, yearDay, hour, minute, second, nanos int
	halfDay                                                string
	zone                                                   *time.Location
}

// parse reads text by the pattern, as wall clock in zone. Letters for which a
// text has nothing to read, such as those of weeks, are not known.
func (p pattern) parse(s string, zone *time.Location) (time.Time, bool) {
	r := reading{year: 1970, month: 1, day: 1}
	for i, f := range p {
		adjacent := i+1 < len(p) && p[i+1].letter != 0
		n, ok := r.read(f, s, adjacent)
		if !ok {
			return time.Time{}, false
		}
		s = s[n:]
	}
	if s != "" {
		return time.Time{}, false
	}
	return r.time(zone)
}

// read reads one field at the beginning of s and returns its length.
func (r *reading) read(f field, s string, adjacent bool) (int, bool) {
	switch f.letter {
	case 0:
		return len(f.text), strings.HasPrefix(s, f.text)
	case 'M', 'L':
		if f.count > 2 {
			return r.readMonth(s, f.count > 3)
		}
	case 'E':
		return readName(s, f.count > 3, func(i int) string { return time.Weekday(i).String() }, 7, func(int) {})
	case 'a':
		if len(s) < 2 {
			return 0, false
		}
		r.halfDay = strings.ToUpper(s[:2])
		return 2, r.halfDay == "AM" || r.halfDay == "PM"
	case 'S':
		return r.readFraction(f, s)
	case 'V', 'z', 'Z', 'X', 'x', 'O':
		return r.readZone(s)
	}
	return r.readNumber(f, s, adjacent)
}

func (r *reading) readMonth(s string, full bool) (int, bool) {
	return readName(s, full, func(i int) string { return time.Month(i + 1).String() }, 12, func(i int) { r.month = i + 1 })
}

// readName reads one of n names, or its first three letters.
func readName(s string, full bool, name func(int) string, n int, found func(int)) (int, bool) {
	for i := range n {
		word := name(i)
		if !full {
			word = word[:3]
		}
		if len(s) >= len(word) && s[:len(word)] == word {
			found(i)
			return len(word), true
		}
	}
	return 0, false
}

func (r *reading) readFraction(f field, s string) (int, bool) {
	n := 0
	for n < len(s) && n < f.count && '0' <= s[n] && s[n] <= '9' {
		n++
	}
	v, ok := digits((s[:n] + "000000000")[:9])
	r.nanos = v / 1000 * 1000
	return n, ok && n == f.count
}

func (r *reading) readZone(s string) (int, bool) {
	n := len(s)
	if i := strings.IndexByte(s, ' '); i >= 0 {
		n = i
	}
	if n == 0 {
		return 0, false
	}
	zone, err := ParseZone(zoneName(s[:n]))
	r.zone = zone
	return n, err == nil
}

// readNumber reads digits: exactly as many as letters, if there are at least
// two of these or another number follows; else one or two, a year any.
func (r *reading) readNumber(f field, s string, adjacent bool) (int, bool) {
	most := max(f.count, 2)
	if f.letter == 'y' || f.letter == 'u' {
		most = 4
		if f.count == 2 {
			most = 2
		}
	}
	if f.letter == 'D' {
		most = 3
	}
	if adjacent {
		most = f.count
	}
	n := 0
	for n < len(s) && n < most && '0' <= s[n] && s[n] <= '9' {
		n++
	}
	v, ok := digits(s[:n])
	if !ok || n < f.count {
		return 0, false
	}
	return n, r.set(f, v)
}

// set stores a number that was read.
func (r *reading) set(f field, v int) bool {
	switch f.letter {
	case 'y', 'u':
		if f.count == 2 {
			v += 2000
		}
		r.year = v
	case 'M', 'L':
		r.month = v
	case 'd':
		r.day = v
	case 'D':
		r.yearDay = v
		return v >= 1 && v <= 366
	case 'H':
		r.hour = v
		return v < 24
	case 'k':
		r.hour = v % 24
		return v >= 1 && v <= 24
	case 'h', 'K':
		r.hour = v % 12
		return v <= 12
	case 'm':
		r.minute = v
		return v < 60
	case 's':
		r.second = v
		return v < 60
	default:
		return false
	}
	return true
}

func (r *reading) time(zone *time.Location) (time.Time, bool) {
	d, ok := makeDate(r.year, r.month, r.day)
	if r.yearDay > 0 {
		d = d.AddDate(0, 0, r.yearDay-1)
	}
	if r.halfDay == "PM" {
		r.hour += 12
	}
	t := d.Add(time.Duration(r.hour)*time.Hour + time.Duration(r.minute)*time.Minute + time.Duration(r.second)*time.Second + time.Duration(r.nanos))
	if r.zone != nil {
		t = Wall(Instant(t, r.zone), zone)
	}
	return t, ok
}
