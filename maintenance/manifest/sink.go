package manifest

// sink takes the values of a leaf.
type sink interface {
	// read takes the next value from c.
	read(c *cursor)
	// addMissing takes a NULL.
	addMissing()
	// columns are what was read, a column for each leaf of the sink, which
	// begins anew.
	columns() []Column
}

type longSink struct{ longsBuilder }

func (s *longSink) read(c *cursor)    { s.add(c.long()) }
func (s *longSink) add0()             { s.add(0) }
func (s *longSink) columns() []Column { return []Column{s.build()} }

type bytesSink struct{ bytesBuilder }

func (s *bytesSink) read(c *cursor)    { s.add(c.bytes()) }
func (s *bytesSink) columns() []Column { return []Column{s.build()} }

type pathSink struct{ pathsBuilder }

func (s *pathSink) read(c *cursor)    { s.add(c.bytes()) }
func (s *pathSink) columns() []Column { return []Column{s.build()} }

type dictSink struct{ dictBuilder }

func (s *dictSink) read(c *cursor)    { s.add(c.bytes()) }
func (s *dictSink) columns() []Column { return []Column{s.build()} }

// tupleSink keeps partitions as they are encoded.
type tupleSink struct {
	dictBuilder
	typ  *tupleType
	skip skipper
}

func (s *tupleSink) read(c *cursor) {
	from := c.at
	s.skip.skip(c)
	s.add(c.data[from:c.at])
}

func (s *tupleSink) columns() []Column {
	return []Column{&Tuples{s.build(), s.typ}}
}

type listSink struct{ listsBuilder }

func (s *listSink) read(c *cursor) {
	from := len(s.items.values)
	for !c.bad {
		n, _ := c.blockLength(1)
		if n == 0 {
			break
		}
		for range n {
			s.items.add(c.long())
		}
	}
	s.end(from)
}

func (s *listSink) columns() []Column { return []Column{s.build()} }

type mapSink struct{ mapsBuilder }

func (s *mapSink) read(c *cursor) {
	for !c.bad {
		n, _ := c.blockLength(2)
		if n == 0 {
			break
		}
		for range n {
			p := pair{id: int32(c.long())}
			if s.ofBytes {
				p.bytes = c.bytes()
			} else {
				p.long = c.long()
			}
			s.pairs = append(s.pairs, p)
		}
	}
	s.end()
}

func (s *mapSink) columns() []Column { return []Column{s.build()} }

// pickSink takes the values that a map has for a few columns.
type pickSink struct {
	ids     []int32
	ofBytes bool
	longs   []longsBuilder
	bytes   []bytesBuilder
	found   []pair
}

func (s *pickSink) read(c *cursor) {
	for i := range s.found {
		s.found[i] = pair{id: -1}
	}
	for !c.bad {
		n, _ := c.blockLength(2)
		if n == 0 {
			break
		}
		for ; n > 0 && !c.bad; n-- {
			s.readPair(c)
		}
	}
	for i, f := range s.found {
		s.addPair(i, f)
	}
}

func (s *pickSink) readPair(c *cursor) {
	id := int32(c.long())
	for i, wanted := range s.ids {
		if id != wanted {
			continue
		}
		if s.ofBytes {
			s.found[i] = pair{id: 0, bytes: c.bytes()}
		} else {
			s.found[i] = pair{id: 0, long: c.long()}
		}
		return
	}
	if s.ofBytes {
		c.bytes()
	} else {
		c.skipLongs(1)
	}
}

// addPair adds a value to the column of ids[i]; its id is negative if the map
// has none.
func (s *pickSink) addPair(i int, f pair) {
	switch {
	case s.ofBytes && f.id < 0:
		s.bytes[i].addMissing()
	case s.ofBytes:
		s.bytes[i].add(f.bytes)
	case f.id < 0:
		s.longs[i].addMissing()
	default:
		s.longs[i].add(f.long)
	}
}

func (s *pickSink) addMissing() {
	for i := range s.ids {
		s.addPair(i, pair{id: -1})
	}
}

func (s *pickSink) columns() []Column {
	columns := make([]Column, len(s.ids))
	for i := range s.ids {
		if s.ofBytes {
			columns[i] = s.bytes[i].build()
		} else {
			columns[i] = s.longs[i].build()
		}
	}
	return columns
}

// newSink makes the sink of the leaves of one field.
func newSink(form shape, read []Leaf, tuple *tupleType) sink {
	switch form {
	case longShape:
		return &longSink{}
	case bytesShape, rawShape:
		return &bytesSink{}
	case pathShape:
		return &pathSink{}
	case dictShape:
		return &dictSink{}
	case tupleShape:
		return &tupleSink{typ: tuple, skip: skipperOf(tuple.record)}
	case listShape:
		return &listSink{}
	}
	ofBytes := form == boundsShape
	if !read[0].one {
		return &mapSink{mapsBuilder{ofBytes: ofBytes}}
	}
	s := &pickSink{
		ofBytes: ofBytes, longs: make([]longsBuilder, len(read)), bytes: make([]bytesBuilder, len(read)),
		found: make([]pair, len(read)),
	}
	for _, l := range read {
		s.ids = append(s.ids, l.id)
	}
	return s
}
