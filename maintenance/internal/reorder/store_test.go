package reorder

import (
	"testing"
	"time"

	"github.com/firndb/firn/maintenance/internal/scratch"
)

// TestStoreMemory has blocks of which few fit into a slab: what is left of slabs
// counts as memory, too.
func TestStoreMemory(t *testing.T) {
	const most = 10 << 20
	space := scratch.Folder(t.TempDir(), 0, time.Now())
	for _, size := range []int{100, 600 << 10, 3 << 20} {
		s := &store{most: most, log: space.NewLog()}
		var c chain
		for range 2 * most / size {
			if err := s.add(&c, make([]byte, size), 1); err != nil {
				t.Fatal(err)
			}
		}
		var slabs, filled int
		for _, slab := range s.slabs {
			slabs += cap(slab)
			filled += len(slab)
		}
		if slabs > most || filled < most/3 {
			t.Errorf("blocks of %d bytes take %d of %d bytes, and fill %d", size, slabs, most, filled)
		}
		if err := s.close(); err != nil {
			t.Error(err)
		}
	}
}
