package config

import (
	"fmt"
	"math"
	"strconv"
	"strings"

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
