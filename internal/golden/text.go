package golden

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
)

// The functions here write JSON text byte for byte as Python's json.dumps does
// with sorted keys, no spaces and no ASCII escapes: hashes of rows are over it.

// rowLines are rows as sorted lines of text.
type rowLines []string

// UnmarshalJSON reads a list of rows.
func (r *rowLines) UnmarshalJSON(content []byte) error {
	decoder := json.NewDecoder(bytes.NewReader(content))
	decoder.UseNumber()
	var rows []any
	if err := decoder.Decode(&rows); err != nil {
		return err
	}
	lines := make([]string, len(rows))
	for i, row := range rows {
		lines[i] = text(row)
	}
	slices.Sort(lines)
	*r = lines
	return nil
}

// text is a value as decoded by encoding/json, numbers as json.Number.
func text(v any) string {
	switch v := v.(type) {
	case nil:
		return "null"
	case bool:
		return strconv.FormatBool(v)
	case json.Number:
		return v.String()
	case string:
		return quote(v)
	case []any:
		return list(slices.Values(v), text)
	case map[string]any:
		keys := slices.Sorted(maps.Keys(v))
		return object(keys, func(k string) string { return text(v[k]) })
	default:
		return fmt.Sprintf("unexpected %T", v)
	}
}

func list[T any](values func(func(T) bool), text func(T) string) string {
	var parts []string
	for v := range values {
		parts = append(parts, text(v))
	}
	return "[" + strings.Join(parts, ",") + "]"
}

// object writes keys in the order in which they are given.
func object(keys []string, value func(string) string) string {
	parts := make([]string, len(keys))
	for i, k := range keys {
		parts[i] = quote(k) + ":" + value(k)
	}
	return "{" + strings.Join(parts, ",") + "}"
}

func quote(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch r {
		case '"', '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case '\n':
			b.WriteString(`\n`)
		case '\r':
			b.WriteString(`\r`)
		case '\t':
			b.WriteString(`\t`)
		case '\f':
			b.WriteString(`\f`)
		case '\b':
			b.WriteString(`\b`)
		default:
			if r < ' ' {
				fmt.Fprintf(&b, `\u%04x`, r)
			} else {
				b.WriteRune(r)
			}
		}
	}
	b.WriteByte('"')
	return b.String()
}

func floating(f float64) string {
	switch {
	case math.IsNaN(f):
		return `{"$float":"NaN"}`
	case math.IsInf(f, 1):
		return `{"$float":"Infinity"}`
	case math.IsInf(f, -1):
		return `{"$float":"-Infinity"}`
	}
	scientific := strconv.FormatFloat(f, 'e', -1, 64)
	if exponent, err := strconv.Atoi(scientific[strings.IndexByte(scientific, 'e')+1:]); err == nil && (exponent < -4 || exponent >= 16) {
		return scientific
	}
	plain := strconv.FormatFloat(f, 'f', -1, 64)
	if !strings.Contains(plain, ".") {
		plain += ".0"
	}
	return plain
}

func binary(b []byte) string { return fmt.Sprintf(`{"$bin":"%x"}`, b) }

// moment is a time with microseconds, or more if it has more.
func moment(t time.Time, zoned bool) string {
	layout := "2006-01-02T15:04:05.000000"
	if t.Nanosecond()%1000 != 0 {
		layout = "2006-01-02T15:04:05.000000000"
	}
	s := t.UTC().Format(layout)
	if zoned {
		s += "Z"
	}
	return quote(s)
}
