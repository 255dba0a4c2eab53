package splice

import (
	"context"
	"fmt"

	"github.com/firndb/firn/maintenance/internal/parquet/format"
)

// maxFilter bounds a Bloom filter.
const maxFilter = 128 << 20

// moveFilters moves the Bloom filters of a row group that is copied. A filter
// whose length is not known ends where the next thing in the file may begin;
// such are left out unless they are required.
func (g *group) moveFilters(ctx context.Context, out *format.RowGroup) error {
	part := g.parts[0]
	for i, c := range g.target().columns {
		chunk := part.chunk(c)
		if chunk == nil || !chunk.Meta.BloomOffset.Set {
			continue
		}
		at, n := chunk.Meta.BloomOffset.V, chunk.Meta.BloomLength
		if !n.Set || n.V <= 0 || n.V > maxFilter || at < int64(len(magic)) || at > part.Source.end-n.V {
			if c.bloom {
				return part.wrap(c, fmt.Errorf("%w: the length of its Bloom filter is not known", ErrUnfit))
			}
			continue
		}
		b, err := part.Source.in.indexBytes(ctx, at, n.V)
		if err != nil {
			return part.wrap(c, err)
		}
		out.Columns[i].Meta.BloomOffset = format.Some(g.w.at)
		out.Columns[i].Meta.BloomLength = n
		if err := g.w.write(b); err != nil {
			return err
		}
	}
	return nil
}
