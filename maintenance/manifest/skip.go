package manifest

// skipper passes over a value: its steps one after the other.
type skipper []skipStep

// skipStep passes over one thing.
type skipStep struct {
	what skipKind
	// n is how many numbers, or how many bytes.
	n int
	// branches of a union; items of an array or map.
	branches []skipper
	items    skipper
	// least is the smallest size of an item.
	least int
}

type skipKind uint8

const (
	skipNumbers skipKind = iota // n ints, longs or enums
	skipFixed                   // n bytes
	skipBytes                   // a string or bytes
	skipItems                   // an array or map
	skipUnion
	skipBroken // what cannot be skipped
)

const (
	// maxDepth is how deep a value may be nested, maxSteps how much a type may
	// consist of. Types beyond, as those that contain themselves are, cannot be
	// skipped; no writer of manifests has them.
	maxDepth = 32
	maxSteps = 100_000
)

// skipperOf makes the skipper of a type.
func skipperOf(n *node) skipper {
	c := skipCompiler{left: maxSteps}
	return c.append(nil, n, 0)
}

type skipCompiler struct{ left int }

func (c *skipCompiler) append(to skipper, n *node, depth int) skipper {
	c.left--
	if depth > maxDepth || c.left < 0 {
		return append(to, skipStep{what: skipBroken})
	}
	switch n.typ {
	case "null":
		return to
	case "int", "long", "enum":
		if last := len(to) - 1; last >= 0 && to[last].what == skipNumbers {
			to[last].n++
			return to
		}
		return append(to, skipStep{what: skipNumbers, n: 1})
	case "boolean":
		return append(to, skipStep{what: skipFixed, n: 1})
	case "float":
		return append(to, skipStep{what: skipFixed, n: 4})
	case "double":
		return append(to, skipStep{what: skipFixed, n: 8})
	case "fixed":
		return append(to, skipStep{what: skipFixed, n: n.size})
	case "string", "bytes":
		return append(to, skipStep{what: skipBytes})
	case "record", "error":
		for _, f := range n.fields {
			to = c.append(to, f.typ, depth+1)
		}
		return to
	case "array", "map":
		var items skipper
		if n.typ == "map" {
			items = skipper{{what: skipBytes}}
		}
		items = c.append(items, n.items, depth+1)
		return append(to, skipStep{what: skipItems, items: items, least: items.least()})
	case "union":
		branches := make([]skipper, len(n.union))
		for i, b := range n.union {
			branches[i] = c.append(nil, b, depth+1)
		}
		return append(to, skipStep{what: skipUnion, branches: branches})
	}
	return append(to, skipStep{what: skipBroken})
}

// least is the size of the smallest value, in bytes.
func (s skipper) least() int {
	size := 0
	for _, step := range s {
		switch step.what {
		case skipNumbers, skipFixed:
			size += step.n
		case skipBroken:
		default:
			size++
		}
	}
	return size
}

// skip passes over a value. It takes no longer than the data is long.
func (s skipper) skip(c *cursor) {
	for i := range s {
		step := &s[i]
		switch step.what {
		case skipNumbers:
			c.skipLongs(step.n)
		case skipFixed:
			c.take(int64(step.n))
		case skipBytes:
			c.bytes()
		case skipItems:
			step.skipItems(c)
		case skipUnion:
			branch := c.long()
			if branch < 0 || branch >= int64(len(step.branches)) {
				c.fail()
				return
			}
			step.branches[branch].skip(c)
		default:
			c.fail()
		}
		if c.bad {
			return
		}
	}
}

func (s *skipStep) skipItems(c *cursor) {
	for !c.bad {
		n, length := c.blockLength(s.least)
		switch {
		case n == 0:
			return
		case length >= 0:
			c.take(length)
		case s.least == 0:
			// Items without content: nothing to pass over.
		case len(s.items) == 1 && s.items[0].what == skipNumbers:
			c.skipLongs(n * s.items[0].n)
		case len(s.items) == 2 && s.items[0].what == skipNumbers && s.items[0].n == 1 && s.items[1].what == skipBytes:
			c.skipPairs(n)
		default:
			for ; n > 0 && !c.bad; n-- {
				s.items.skip(c)
			}
		}
	}
}
