package rewrite

import (
	"bytes"
	"fmt"
	"sort"

	"github.com/firndb/firn/maintenance"
	"github.com/firndb/firn/maintenance/internal/extsort"
)

// cuts is how the rows of a group, in order, make files and row groups: after
// equal shares of the bytes, but never between rows with equal keys, nor where a
// file would be so small that the next rewrite takes it again. How large a row
// will be is estimated from its old file.
type cuts struct {
	partitions []keyedPartition
	files      []cutFile

	// shares is how many files there should be, and next how many have ended; rows
	// is how many rows there are, and bytes about how large they are together, of
	// which seen have been placed.
	shares, next, rows int64
	bytes, seen        float64
	weights            rowWeights
	least, most        float64
	// groupBytes and groupRows bound row groups.
	groupBytes, groupRows int64
	// last is the key of the last row, run about how large the rows with it are as
	// far as they have been looked at.
	last []byte
	run  float64
	// buffer has the key that is being looked at.
	buffer []byte
}

// cutFile is the rows of a file.
type cutFile struct {
	partition int
	rows      int64
	bytes     float64
	// marks are after how many rows the file has 1, 2, 3, … times so many bytes.
	marks []int64
}

// rowGroup is rows of a file.
type rowGroup struct {
	file int
	// from is its first row among all.
	from, rows int64
}

func (s *sorting) newCuts(partitions []keyedPartition, rows, live int64) *cuts {
	c := &cuts{
		partitions: partitions, shares: max(1, s.g.OutputFiles), rows: live,
		least: float64(s.r.o.MinFileSize), most: float64(s.g.MaxFileSize),
		weights: s.weights(rows), groupRows: s.r.out.settings.rowGroupRows,
		groupBytes: max(1<<20, min(s.r.out.settings.rowGroupBytes, s.g.MaxFileSize, s.share(pagesShare))),
	}
	c.bytes = float64(live) * s.rowBytes()
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

// due is after how many bytes the open file should end.
func (c *cuts) due() float64 { return float64(c.next+1) * c.bytes / float64(c.shares) }

// open is the file that rows go to.
func (c *cuts) open() *cutFile { return &c.files[len(c.files)-1] }

// add places the next rows.
func (c *cuts) add(chunk *extsort.Chunk) error {
	for from := 0; from < len(chunk.Rows); {
		to := len(chunk.Rows)
		if c.partitioned() {
			if err := c.enter(c.key(chunk, from)); err != nil {
				return err
			}
			to = c.leaves(chunk, from)
		}
		c.place(chunk, from, to)
		from = to
	}
	if n := len(chunk.Rows); n > 0 {
		c.last = chunk.AppendKey(c.last[:0], n-1)
	}
	return nil
}

// key is the key of a row, valid until the next.
func (c *cuts) key(chunk *extsort.Chunk, row int) []byte {
	c.buffer = chunk.AppendKey(c.buffer[:0], row)
	return c.buffer
}

// leaves is the first row of a chunk after from that is not in the open file's
// partition.
func (c *cuts) leaves(chunk *extsort.Chunk, from int) int {
	partition, last := c.partitions[c.open().partition].key, len(chunk.Rows)-1
	if bytes.HasPrefix(c.key(chunk, last), partition) {
		return last + 1
	}
	return from + sort.Search(last-from, func(i int) bool { return !bytes.HasPrefix(c.key(chunk, from+i), partition) })
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
func (c *cuts) place(chunk *extsort.Chunk, from, to int) {
	step := c.step()
	for ; from < to; from++ {
		changes := c.mayEnd() && c.changes(chunk, from)
		if changes && c.open().bytes >= c.least && c.open().bytes+c.run > c.most {
			// As many rows with the next key would be too many.
			c.begin()
		}
		for changes && c.next+1 < c.shares && c.seen >= c.due() {
			if c.open().bytes >= c.least {
				c.begin()
			}
			c.next++
		}
		f, bytes := c.open(), c.weights.of(chunk.Rows[from])
		f.rows++
		f.bytes += bytes
		c.seen += bytes
		if changes {
			c.run = 0
		}
		c.run += bytes
		for f.bytes >= step*float64(len(f.marks)+1) {
			f.marks = append(f.marks, f.rows)
		}
		if f.bytes >= c.most {
			c.begin()
		}
	}
}

// mayEnd says whether the open file may end here: looking at keys takes time.
func (c *cuts) mayEnd() bool {
	if c.open().bytes >= c.most/2 || c.next+1 < c.shares && c.seen > 0 && c.seen >= c.due() {
		return true
	}
	c.run = 0
	return false
}

// begin begins another file of the same partition.
func (c *cuts) begin() { c.files = append(c.files, cutFile{partition: c.open().partition}) }

// changes says whether a row has another key than the one before.
func (c *cuts) changes(chunk *extsort.Chunk, row int) bool {
	if row > 0 {
		return !chunk.Same(row-1, row)
	}
	return !bytes.Equal(c.last, c.key(chunk, row))
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

// step is from how many bytes to how many files have marks.
func (c *cuts) step() float64 { return float64(c.groupBytes) / 64 }

// groups cuts the files into row groups of the same size.
func (c *cuts) groups() []rowGroup {
	var out []rowGroup
	var at int64
	most := c.groupRows
	for i, f := range c.files {
		// Estimates err.
		n := int64(f.bytes/(float64(c.groupBytes)*0.85)) + 1
		n = min(f.rows, max(n, (f.rows+most-1)/most))
		from := int64(0)
		for k := range n {
			to := f.after(float64(k+1)/float64(n), c.step())
			for from < to {
				rows := min(to-from, most)
				out = append(out, rowGroup{file: i, from: at + from, rows: rows})
				from += rows
			}
		}
		at += f.rows
	}
	return out
}

// after is after how many rows the file has a share of its bytes, of which there
// is a mark after each step.
func (f cutFile) after(share, step float64) int64 {
	if share >= 1 {
		return f.rows
	}
	all := f.bytes / step
	at := share * all
	i := min(int(at), len(f.marks))
	from, to, width := int64(0), f.rows, all-float64(len(f.marks))
	if i > 0 {
		from = f.marks[i-1]
	}
	if i < len(f.marks) {
		to, width = f.marks[i], 1
	}
	return from + int64((at-float64(i))/max(width, 1e-9)*float64(to-from))
}
