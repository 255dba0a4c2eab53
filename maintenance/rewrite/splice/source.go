package splice

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/firndb/firn/maintenance/internal/parquet/codec"
	"github.com/firndb/firn/maintenance/internal/parquet/format"
)

// Source is an open file whose row groups can become parts. It is for use by
// one goroutine.
type Source struct {
	name   string
	target *Target
	in     *input
	footer *format.Footer
	end    int64 // where the footer begins
	leaves []leaf
}

// Open reads the footer of a file and checks that its row groups can become
// those of target. The caller closes r once the source is no longer used. The
// error wraps ErrUnfit if the file must be decoded.
func (t *Target) Open(ctx context.Context, name string, r io.ReaderAt, size int64) (*Source, error) {
	in, err := newInput(ctx, r, size)
	if err != nil {
		return nil, fmt.Errorf("%q: %w", name, err)
	}
	return t.source(ctx, name, in)
}

// OpenBytes is Open for a file in memory, which the source keeps.
func (t *Target) OpenBytes(ctx context.Context, name string, b []byte) (*Source, error) {
	return t.source(ctx, name, &input{size: int64(len(b)), tail: b})
}

func (t *Target) source(ctx context.Context, name string, in *input) (*Source, error) {
	s := &Source{name: name, target: t, in: in, leaves: make([]leaf, len(t.columns))}
	if err := s.open(ctx); err != nil {
		return nil, fmt.Errorf("%q: %w", name, err)
	}
	return s, nil
}

func (s *Source) open(ctx context.Context) error {
	b, at, err := s.in.footer(ctx)
	if err != nil {
		return err
	}
	s.end = at
	if s.footer, err = format.ReadFooter(b); err != nil {
		return fmt.Errorf("%w: %w", ErrUnfit, err)
	}
	if s.footer.Encrypted {
		return fmt.Errorf("%w: it is encrypted or signed", ErrUnfit)
	}
	if err := checkWriter(s.footer.CreatedBy); err != nil {
		return err
	}
	root, leaves, err := schemaTree(s.footer.Schema)
	if err != nil {
		return err
	}
	if err := match(s.target.root, root, s.target.Valued, s.leaves); err != nil {
		return err
	}
	for _, c := range s.target.columns {
		if leaf := s.leaves[c.index].index; c.order != nil && leaf >= 0 && (leaf >= len(s.footer.Ordered) || !s.footer.Ordered[leaf]) {
			return fmt.Errorf("%w: column %q: the order of its bounds is not defined", ErrUnfit, c.name())
		}
	}
	var rows int64
	for i := range s.footer.RowGroups {
		g := &s.footer.RowGroups[i]
		rows += g.NumRows
		if len(g.Columns) != leaves || g.NumRows < 0 {
			return fmt.Errorf("%w: row group %d has %d of %d columns and %d rows", ErrUnfit, i, len(g.Columns), leaves, g.NumRows)
		}
		if err := s.checkGroup(g); err != nil {
			return fmt.Errorf("row group %d: %w", i, err)
		}
	}
	if rows != s.footer.NumRows {
		return fmt.Errorf("%w: its row groups have %d rows, not %d", ErrUnfit, rows, s.footer.NumRows)
	}
	// Thousands of small files are open at once.
	s.footer.Schema, s.footer.KeyValues, s.footer.Ordered = nil, nil, nil
	return nil
}

// checkWriter refuses writers whose statistics are not to be believed. Those of
// parquet-mr before 1.10 and of parquet-cpp on its own may be wrong (PARQUET-251,
// PARQUET-686, PARQUET-816), and what is written here bears another name, so
// that readers could no longer know.
func checkWriter(createdBy string) error {
	writer, rest, _ := strings.Cut(createdBy, " version ")
	switch {
	case createdBy == "" || writer == "parquet-cpp" || strings.HasPrefix(createdBy, "impala"):
		return fmt.Errorf("%w: it was written by %q, whose statistics may be wrong", ErrUnfit, createdBy)
	case writer != "parquet-mr":
		return nil
	}
	major, rest, _ := strings.Cut(rest, ".")
	minor, _, _ := strings.Cut(rest, ".")
	x, errX := strconv.Atoi(major)
	y, errY := strconv.Atoi(strings.TrimRight(minor, "abcdefghijklmnopqrstuvwxyz-"))
	if err := errors.Join(errX, errY); err != nil || x < 1 || x == 1 && y < 10 {
		return fmt.Errorf("%w: it was written by %q, whose statistics may be wrong", ErrUnfit, createdBy)
	}
	return nil
}

// RowGroup is what can be said of a row group from the footer.
type RowGroup struct {
	// Start is where its first page begins, Bytes how long its chunks are
	// together, compressed.
	Start, Bytes, Rows int64
}

// RowGroups lists the row groups in their order.
func (s *Source) RowGroups() []RowGroup {
	out := make([]RowGroup, len(s.footer.RowGroups))
	for i := range out {
		g := &s.footer.RowGroups[i]
		out[i].Rows = g.NumRows
		for j := range g.Columns {
			m := &g.Columns[j].Meta
			out[i].Bytes += m.Compressed
			if at := m.Start(); j == 0 || at < out[i].Start {
				out[i].Start = at
			}
		}
	}
	return out
}

// checkGroup checks the chunks that the target takes.
func (s *Source) checkGroup(g *format.RowGroup) error {
	var bytes int64
	for i := range g.Columns {
		bytes += max(0, g.Columns[i].Meta.Compressed)
	}
	for _, c := range s.target.columns {
		leaf := s.leaves[c.index].index
		if leaf < 0 {
			if c.bloom {
				return fmt.Errorf("%w: column %q must have a Bloom filter", ErrUnfit, c.name())
			}
			continue
		}
		if err := s.checkChunk(c, &g.Columns[leaf], g.NumRows); err != nil {
			return fmt.Errorf("column %q: %w", c.name(), err)
		}
		if c.bloom && (bytes < s.target.CopyBytes || !g.Columns[leaf].Meta.BloomOffset.Set) {
			return fmt.Errorf("%w: column %q must have a Bloom filter", ErrUnfit, c.name())
		}
	}
	return nil
}

func (s *Source) checkChunk(c *column, chunk *format.ColumnChunk, rows int64) error {
	m := &chunk.Meta
	switch {
	case chunk.Elsewhere || !chunk.HasMeta:
		return fmt.Errorf("%w: its chunk is encrypted or in another file", ErrUnfit)
	case m.Type != c.typ:
		return fmt.Errorf("%w: its chunk is of physical type %d", ErrUnfit, m.Type)
	case !codec.Known(m.Codec):
		return fmt.Errorf("%w: codec %d is not known", ErrUnfit, m.Codec)
	case m.NumValues < 0 || m.Compressed < 0 || m.Uncompressed < 0 || m.Start() < int64(len(magic)) || m.Compressed > s.end-m.Start():
		return fmt.Errorf("%w: %d bytes of %d values at %d are not within the file", ErrUnfit, m.Compressed, m.NumValues, m.Start())
	case c.maxRep == 0 && m.NumValues != rows || m.NumValues < rows:
		return fmt.Errorf("%w: %d values make no %d rows", ErrUnfit, m.NumValues, rows)
	}
	nulls, ok := s.leaves[c.index].nulls(m)
	if !ok || nulls < 0 || nulls > m.NumValues {
		return fmt.Errorf("%w: it is not known how many nulls there are", ErrUnfit)
	}
	if c.lineage != 0 && nulls != 0 && nulls != m.NumValues {
		return fmt.Errorf("%w: some values are null and stand for others", ErrUnfit)
	}
	return nil
}

// nulls is how many values of a chunk are null.
func (l leaf) nulls(m *format.ColumnMeta) (int64, bool) {
	if l.maxDef == 0 {
		return 0, true
	}
	return m.Statistics.NullCount.V, m.Statistics.NullCount.Set
}

// statistics are the bounds of a chunk.
func (c *column) statistics(m *format.ColumnMeta) bounds {
	b := c.bounds(m.Statistics.Min, m.Statistics.Max)
	if b.known() {
		b.minExact, b.maxExact = m.Statistics.MinExact, m.Statistics.MaxExact
	}
	return b
}
