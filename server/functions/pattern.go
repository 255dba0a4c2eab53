package functions

import (
	"fmt"
	"strings"
	"time"
)

// pattern is a datetime pattern of Spark's, cut into its fields; see "Datetime
// Patterns" in Spark's documentation.
type pattern []field

// field is equal letters of a pattern, or text that stands for itself.
type field struct {
	letter byte // 0 for text
	count  int
	text   string
}

// defaultPattern is what functions use that are given none.
const defaultPattern = "yyyy-MM-dd HH:mm:ss"

// compilePattern cuts a pattern. The error says which letters are not known.
func compilePattern(s string) (pattern, error) {
	var p pattern
	for i := 0; i < len(s); {
		c := s[i]
		j := i + 1
		switch {
		case c == '\'':
			end := strings.IndexByte(s[j:], '\'')
			if end < 0 {
				return nil, fmt.Errorf("the quote in pattern %q does not end", s)
			}
			quoted := s[j : j+end]
			if end == 0 {
				quoted = "'"
			}
			p = append(p, field{text: quoted})
			j += end + 1
		case 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z':
			for j < len(s) && s[j] == c {
				j++
			}
			if !strings.Contains("GyuMLdDEFahHkKmsSQqVzZxXO", s[i:i+1]) || j-i > 9 {
				return nil, fmt.Errorf("pattern %q has %q, which is none of y, M, L, d, D, E, a, H, h, k, K, m, s, S, Q, q, V, z, Z, X, x, O", s, s[i:j])
			}
			p = append(p, field{letter: c, count: j - i})
		case c == '[' || c == ']':
			// What is optional is always written, and is not read as optional.
		default:
			p = append(p, field{text: s[i:j]})
		}
		i = j
	}
	return p, nil
}

// format writes t, a wall clock in zone.
func (p pattern) format(t time.Time, zone *time.Location) string {
	var b strings.Builder
	for _, f := range p {
		if f.letter == 0 {
			b.WriteString(f.text)
			continue
		}
		b.WriteString(f.format(t, zone))
	}
	return b.String()
}

func (f field) format(t time.Time, zone *time.Location) string {
	padded := func(n int) string { return fmt.Sprintf("%0*d", f.count, n) }
	switch f.letter {
	case 'y', 'u':
		if f.count == 2 {
			return fmt.Sprintf("%02d", t.Year()%100)
		}
		return padded(t.Year())
	case 'M', 'L':
		switch {
		case f.count == 3:
			return t.Format("Jan")
		case f.count > 3:
			return t.Month().String()
		}
		return padded(int(t.Month()))
	case 'd':
		return padded(t.Day())
	case 'D':
		return padded(t.YearDay())
	case 'E':
		if f.count > 3 {
			return t.Weekday().String()
		}
		return t.Format("Mon")
	case 'F':
		return padded((t.Day()-1)%7 + 1)
	case 'a':
		return t.Format("PM")
	case 'H':
		return padded(t.Hour())
	case 'h':
		return padded((t.Hour()+11)%12 + 1)
	case 'k':
		return padded((t.Hour()+23)%24 + 1)
	case 'K':
		return padded(t.Hour() % 12)
	case 'm':
		return padded(t.Minute())
	case 's':
		return padded(t.Second())
	case 'S':
		return fmt.Sprintf("%09d", t.Nanosecond())[:f.count]
	case 'Q', 'q':
		return f.formatQuarter(quarter(t))
	case 'G':
		return "AD"
	}
	return f.formatZone(Instant(t, zone), zone)
}

func (f field) formatQuarter(n int) string {
	switch f.count {
	case 3:
		return fmt.Sprintf("Q%d", n)
	case 4:
		return fmt.Sprintf("%d%s quarter", n, []string{"st", "nd", "rd", "th"}[n-1])
	}
	return fmt.Sprintf("%0*d", f.count, n)
}

func (f field) formatZone(t time.Time, zone *time.Location) string {
	t = t.In(zone)
	switch f.letter {
	case 'V':
		if zone == time.UTC {
			return "UTC"
		}
		return zone.String()
	case 'z':
		name, _ := t.Zone()
		return name
	case 'X':
		if _, offset := t.Zone(); offset == 0 {
			return "Z"
		}
	case 'Z':
		switch {
		case f.count == 4:
			return "GMT" + t.Format("-07:00")
		case f.count == 5:
			return t.Format("Z07:00")
		}
		return t.Format("-0700")
	case 'O':
		if _, offset := t.Zone(); offset == 0 {
			return "GMT"
		}
		return "GMT" + t.Format("-07:00")
	}
	switch f.count {
	case 1:
		return strings.TrimSuffix(t.Format("-0700"), "00")
	case 2, 4:
		return t.Format("-0700")
	}
	return t.Format("-07:00")
}
