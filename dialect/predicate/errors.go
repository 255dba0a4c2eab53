package predicate

import (
	"errors"
	"fmt"
	"strings"
)

// Error classes. Every error of the package wraps one of them.
var (
	// ErrSyntax: the text is no condition, or a value in it is not valid.
	ErrSyntax = errors.New("invalid condition")
	// ErrUnsupported: the text may be valid SQL, but has no meaning here; the
	// message names the sub-expression and says what is allowed.
	ErrUnsupported = errors.New("unsupported condition")
)

// maxQuoted bounds how much of a sub-expression an error repeats, in bytes.
const maxQuoted = 120

// Invalid makes an ErrSyntax about the sub-expression text.
func Invalid(text, format string, args ...any) error {
	return about(ErrSyntax, text, format, args)
}

// Unsupported makes an ErrUnsupported about the sub-expression text.
func Unsupported(text, format string, args ...any) error {
	return about(ErrUnsupported, text, format, args)
}

func about(class error, text, format string, args []any) error {
	return fmt.Errorf("%w: %q: %w", class, clip(text), fmt.Errorf(format, args...))
}

// clip shortens what an error repeats.
func clip(text string) string {
	if len(text) > maxQuoted {
		return strings.ToValidUTF8(text[:maxQuoted], "") + "…"
	}
	return text
}
