package rewrite

import (
	"bytes"
	"fmt"

	"github.com/firndb/firn/maintenance"
	"github.com/firndb/firn/maintenance/internal/extsort"
)

// cuts is how the rows of a group, in order, make files and row groups: after
// equal shares of the rows, but never between rows with equal keys, nor where a
// file would be so small that the next rewrite takes it again. What files will
// be like is estimated from the old ones.
type cuts struct {
	partitions []keyedPartition
	files      []cutFile

	// shares is how many files there should be; rows is how many rows there are, of
	// which seen have been placed, and next is how many files have ended.
	shares, rows, seen, next int64
	least, most              int64
	// rowBytes is how large a row is in a file, groupBytes and groupRows bound row
	// groups.
	rowBytes              float64
	groupBytes, groupRows int64
	// bucketRows is how many rows may be put in order at once.
	bucketRows int64
	// last is the key of the last row.
	last []byte
}

// cutFile is the rows of a file.
type cutFile struct {
	partition int
	rows      int64
}

// rowGroup is rows of a file.
type rowGroup struct {
	file int
	// from is its first row among all.
	from, rows int64
}

func (s *sorting) newCuts(partitions []keyedPartition, rows int64) *cuts {
	c := &cuts{
		partitions: partitions, shares: max(1, s.g.OutputFiles), rows: rows,
		least: s.r.o.MinFileSize, most: s.g.MaxFileSize,
		rowBytes: s.rowBytes(), groupRows: s.r.out.settings.rowGroupRows,
		groupBytes: max(1<<20, min(s.r.out.settings.rowGroupBytes, s.g.MaxFileSize, s.share(pagesShare))),
		bucketRows: s.bucketRows(rows),
	}
	if s.r.o.RewriteAll {
		c.least = 0
	}
	if !c.partitioned() {
		c.files = []cutFile{{}}
	}
	return c
}

// partitioned says that rows go to partitions by their keys: none, if no rows are
// left.
func (c *cuts) partitioned() bool { return len(c.partitions) == 0 || c.partitions[0].key != nil }

// due is after how many rows the open file should end.
func (c *cuts) due() int64 {
	if c.next+1 >= c.shares {
		return c.rows
	}
	return (c.next + 1) * c.rows / c.shares
}

// open is the file that rows go to.
func (c *cuts) open() *cutFile { return &c.files[len(c.files)-1] }

// add places the next rows.
func (c *cuts) add(chunk extsort.Chunk) error {
	for from := 0; from < len(chunk.Rows); {
		to := len(chunk.Rows)
		if c.partitioned() {
			if err := c.enter(chunk.Key(from)); err != nil {
				return err
			}
			partition := c.partitions[c.open().partition].key
			for to = from + 1; to < len(chunk.Rows) && bytes.HasPrefix(chunk.Key(to), partition); to++ {
			}
		}
		c.place(chunk, from, to)
		from = to
	}
	if n := len(chunk.Rows); n > 0 {
		c.last = append(c.last[:0], chunk.Key(n-1)...)
	}
	return nil
}

// enter begins a file for the partition of a key, unless it is that of the open
// one. No key of a partition begins as another's.
func (c *cuts) enter(key []byte) error {
	next := 0
	if len(c.files) > 0 {
		next = c.open().partition
		if bytes.HasPrefix(key, c.partitions[next].key) {
			return nil
		}
		next++
	}
	for ; next < len(c.partitions); next++ {
		if bytes.HasPrefix(key, c.partitions[next].key) {
			c.files = append(c.files, cutFile{partition: next})
			return nil
		}
	}
	return fmt.Errorf("%w: rows are not in the order of their partitions", maintenance.ErrCorrupt)
}

// place places rows of one partition.
func (c *cuts) place(chunk extsort.Chunk, from, to int) {
	for from < to {
		last := c.next+1 >= c.shares
		if !last && c.seen > 0 && c.seen >= c.due() && c.changes(chunk, from) {
			if c.size() >= c.least {
				c.begin()
			}
			c.next++
			continue
		}
		n := int64(to - from)
		if !last {
			n = min(n, max(1, c.due()-c.seen))
		}
		n = min(n, max(1, int64(float64(c.most)/c.rowBytes)-c.open().rows))
		c.open().rows += n
		c.seen += n
		from += int(n)
		if c.size() >= c.most {
			c.begin()
		}
	}
}

// size is about how large the open file will be.
func (c *cuts) size() int64 { return int64(float64(c.open().rows) * c.rowBytes) }

// begin begins another file of the same partition.
func (c *cuts) begin() { c.files = append(c.files, cutFile{partition: c.open().partition}) }

// changes says whether a row has another key than the one before.
func (c *cuts) changes(chunk extsort.Chunk, row int) bool {
	previous := c.last
	if row > 0 {
		previous = chunk.Key(row - 1)
	}
	return !bytes.Equal(previous, chunk.Key(row))
}

// finish drops files without rows.
func (c *cuts) finish() {
	var files []cutFile
	for _, f := range c.files {
		if f.rows > 0 {
			files = append(files, f)
		}
	}
	c.files = files
}

// groups cuts the files into row groups of the same size.
func (c *cuts) groups() []rowGroup {
	var out []rowGroup
	var at int64
	for i, f := range c.files {
		// Estimates err.
		n := int64(float64(f.rows)*c.rowBytes/(float64(c.groupBytes)*0.85)) + 1
		n = min(f.rows, max(n, (f.rows+c.groupRows-1)/c.groupRows, (f.rows+c.bucketRows-1)/c.bucketRows))
		for k := range n {
			from, to := f.rows*k/n, f.rows*(k+1)/n
			out = append(out, rowGroup{file: i, from: at + from, rows: to - from})
		}
		at += f.rows
	}
	return out
}

// buckets are where the rows begin that are put in order at once: some row
// groups.
func (c *cuts) buckets() []int64 {
	starts := []int64{0}
	var rows int64
	for _, g := range c.groups() {
		if rows > 0 && rows+g.rows > c.bucketRows {
			starts = append(starts, g.from)
			rows = 0
		}
		rows += g.rows
	}
	return starts
}
