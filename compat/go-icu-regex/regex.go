package regex

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"unicode/utf8"
)

// Regex matches one pattern against one text. It is for one goroutine.
// Positions count characters from 1, occurrences from 1.
type Regex interface {
	// SetRegexString sets the pattern. The error wraps ErrInvalidRegex.
	SetRegexString(ctx context.Context, pattern string, flags RegexFlags) error
	// SetMatchString sets the text.
	SetMatchString(ctx context.Context, text string) error
	// IndexOf returns where the occurrence begins or, if end is set, the
	// position behind it; 0 if there is none.
	IndexOf(ctx context.Context, start, occurrence int, end bool) (int, error)
	// Matches says whether there is such an occurrence.
	Matches(ctx context.Context, start, occurrence int) (bool, error)
	// Replace returns the text with the occurrence replaced, with every one if
	// occurrence is 0. $1 in the replacement stands for the first group.
	Replace(ctx context.Context, replacement string, start, occurrence int) (string, error)
	// Substring returns the occurrence, false if there is none.
	Substring(ctx context.Context, start, occurrence int) (string, bool, error)
	// StringBufferSize is 0: there is no buffer.
	StringBufferSize() uint32
	// Close does nothing: there is nothing to free.
	Close() error
}

// Errors of using a Regex.
var (
	// ErrRegexNotYetSet: SetRegexString comes first.
	ErrRegexNotYetSet = errors.New("the regular expression is not set")
	// ErrMatchNotYetSet: SetMatchString comes before a match.
	ErrMatchNotYetSet = errors.New("the text to match is not set")
	// ErrInvalidRegex: the pattern is not one; the message says where.
	ErrInvalidRegex = errors.New("the given regular expression is invalid")
)

// RegexFlags change how a pattern is read. The values are ICU's.
type RegexFlags uint32

// The flags that MySQL's match types i, m, n and u stand for.
const (
	RegexFlags_None             RegexFlags = 0
	RegexFlags_Unix_Lines       RegexFlags = 1
	RegexFlags_Case_Insensitive RegexFlags = 2
	RegexFlags_Multiline        RegexFlags = 8
	RegexFlags_Dot_All          RegexFlags = 32
)

// SetRegexLeakHandler does nothing: a Regex holds nothing that could leak.
func SetRegexLeakHandler(func()) {}

// CreateRegex returns a Regex. It needs no buffer.
func CreateRegex(uint32) Regex { return &matcher{} }

type matcher struct {
	pattern  string
	flags    RegexFlags
	compiled *regexp.Regexp
	text     string
	hasText  bool
}

func (m *matcher) SetRegexString(_ context.Context, pattern string, flags RegexFlags) error {
	if m.compiled != nil && m.pattern == pattern && m.flags == flags {
		return nil
	}
	prefix := ""
	for _, f := range []struct {
		flag   RegexFlags
		letter string
	}{{RegexFlags_Case_Insensitive, "i"}, {RegexFlags_Multiline, "m"}, {RegexFlags_Dot_All, "s"}} {
		if flags&f.flag != 0 {
			prefix += f.letter
		}
	}
	full := pattern
	if prefix != "" {
		full = "(?" + prefix + ")" + pattern
	}
	compiled, err := regexp.Compile(full)
	if err != nil {
		return fmt.Errorf("%w: %q: %w", ErrInvalidRegex, pattern, err)
	}
	m.pattern, m.flags, m.compiled = pattern, flags, compiled
	return nil
}

func (m *matcher) SetMatchString(_ context.Context, text string) error {
	if m.compiled == nil {
		return ErrRegexNotYetSet
	}
	m.text, m.hasText = text, true
	return nil
}

// find returns the occurrence's submatch offsets in the text, nil if none.
func (m *matcher) find(start, occurrence int) ([]int, error) {
	switch {
	case m.compiled == nil:
		return nil, ErrRegexNotYetSet
	case !m.hasText:
		return nil, ErrMatchNotYetSet
	}
	from := byteOffset(m.text, start)
	if from < 0 {
		return nil, nil
	}
	occurrence = max(occurrence, 1)
	all := m.compiled.FindAllStringSubmatchIndex(m.text[from:], occurrence)
	if len(all) < occurrence {
		return nil, nil
	}
	found := all[occurrence-1]
	for i := range found {
		if found[i] >= 0 {
			found[i] += from
		}
	}
	return found, nil
}

func (m *matcher) IndexOf(_ context.Context, start, occurrence int, end bool) (int, error) {
	found, err := m.find(start, occurrence)
	if err != nil || found == nil {
		return 0, err
	}
	at := found[0]
	if end {
		at = found[1]
	}
	return utf8.RuneCountInString(m.text[:at]) + 1, nil
}

func (m *matcher) Matches(_ context.Context, start, occurrence int) (bool, error) {
	found, err := m.find(start, occurrence)
	return found != nil, err
}

func (m *matcher) Substring(_ context.Context, start, occurrence int) (string, bool, error) {
	found, err := m.find(start, occurrence)
	if err != nil || found == nil {
		return "", false, err
	}
	return m.text[found[0]:found[1]], true, nil
}

func (m *matcher) Replace(_ context.Context, replacement string, start, occurrence int) (string, error) {
	if occurrence == 0 {
		from := byteOffset(m.text, start)
		if _, err := m.find(start, 1); err != nil || from < 0 {
			return m.text, err
		}
		return m.text[:from] + m.compiled.ReplaceAllString(m.text[from:], replacement), nil
	}
	found, err := m.find(start, occurrence)
	if err != nil || found == nil {
		return m.text, err
	}
	out := append([]byte{}, m.text[:found[0]]...)
	out = m.compiled.ExpandString(out, replacement, m.text, found)
	return string(out) + m.text[found[1]:], nil
}

func (m *matcher) StringBufferSize() uint32 { return 0 }

func (m *matcher) Close() error { return nil }

// byteOffset is where the character at position start, from 1, begins; the
// length of the text for the position behind its end, -1 farther out.
func byteOffset(text string, start int) int {
	position := 1
	for i := range text {
		if position >= start {
			return i
		}
		position++
	}
	if position >= start {
		return len(text)
	}
	return -1
}
