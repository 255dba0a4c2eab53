package config

import (
	"fmt"
	"strings"

	"github.com/firndb/firn/spelling"
)

// unknown is the error for a key that does not exist.
func unknown(key string, line int, known []string) error {
	return fmt.Errorf("%w: line %d: unknown key %q; did you mean %q? known are %s", ErrConfig, line, key, spelling.Nearest(key, known), strings.Join(known, ", "))
}
