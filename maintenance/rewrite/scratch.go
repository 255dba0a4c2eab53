package rewrite

import (
	"fmt"
	"math"
	"os"
	"path/filepath"

	"github.com/firndb/firn/maintenance"
)

// How much larger than its files a group's rows are likely to be in memory and
// in scratch files.
const (
	memoryGrows  = 4
	scratchGrows = 3
)

// checkScratch refuses to sort a group of too many rows, or whose rows are likely
// to need more scratch space than there is. The error wraps
// maintenance.ErrRefused and says by how much.
func (p *Plan) checkScratch(limits maintenance.Limits) error {
	if !p.Options.Strategy.ordered() {
		return nil
	}
	var need int64
	for _, g := range p.Groups {
		if g.Rows >= math.MaxUint32 {
			return fmt.Errorf("%w: a group of files has %d rows, but fewer than %d can be sorted together; make groups smaller with option %q", maintenance.ErrRefused, g.Rows, math.MaxUint32, OptionMaxGroupSize)
		}
		if memoryGrows*g.Bytes > int64(float64(limits.MemoryBytes)*columnsShare) {
			need = max(need, scratchGrows*g.Bytes+g.held())
		}
	}
	if need == 0 {
		return nil
	}
	allowed, dir := limits.ScratchBytes, scratchDir(limits)
	if free := freeBytes(existing(dir)); allowed <= 0 || free < allowed {
		allowed = free
	}
	if need > allowed {
		return fmt.Errorf("%w: sorting the largest group of files is likely to need %d bytes of scratch space in %q, %d more than there are; make room, or make groups smaller with option %q",
			maintenance.ErrRefused, need, dir, need-allowed, OptionMaxGroupSize)
	}
	return nil
}

// held is how many bytes of a group's files are kept once they are fetched.
func (g Group) held() int64 {
	var n int64
	for _, f := range g.Files {
		if f.remote() {
			n += f.Size()
		}
	}
	return n
}

// scratchDir is the folder for scratch files.
func scratchDir(limits maintenance.Limits) string {
	if limits.ScratchDir != "" {
		return limits.ScratchDir
	}
	return filepath.Join(os.TempDir(), "firn-scratch")
}

// existing is the folder, or the nearest above it that exists.
func existing(dir string) string {
	for {
		if _, err := os.Stat(dir); err == nil {
			return dir
		}
		above := filepath.Dir(dir)
		if above == dir {
			return dir
		}
		dir = above
	}
}
