package config

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"
)

// units are what sizes may end with.
var units = []struct {
	name  string
	bytes int64
}{{"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30}, {"TiB", 1 << 40}}

// size reads a number of bytes: "1073741824" or "1GiB".
func (p *parser) size(node *yaml.Node, key string, dst *int64) error {
	var text string
	if err := p.text(node, key, &text); err != nil {
		return err
	}
	number, unit := text, int64(1)
	for _, u := range units {
		if rest, ok := strings.CutSuffix(text, u.name); ok {
			number, unit = strings.TrimSpace(rest), u.bytes
		}
	}
	n, err := strconv.ParseInt(number, 10, 64)
	if err != nil || n <= 0 || n > math.MaxInt64/unit {
		return fmt.Errorf("%w: line %d: %s: %q is no size; write a number of bytes, or one with KiB, MiB, GiB or TiB", ErrConfig, node.Line, key, text)
	}
	*dst = n * unit
	return nil
}

// age reads a duration: "90m", "12h", "7d".
func (p *parser) age(node *yaml.Node, key string, dst *time.Duration) error {
	var text string
	if err := p.text(node, key, &text); err != nil {
		return err
	}
	var d time.Duration
	var err error
	if days, ok := strings.CutSuffix(text, "d"); ok {
		var n int64
		if n, err = strconv.ParseInt(days, 10, 32); err == nil {
			d = time.Duration(min(n, 100_000)) * 24 * time.Hour
		}
	} else {
		d, err = time.ParseDuration(text)
	}
	if err != nil || d <= 0 {
		return fmt.Errorf("%w: line %d: %s: %q is no age; write a number above 0 with s, m, h or d behind it", ErrConfig, node.Line, key, text)
	}
	*dst = d
	return nil
}
