package extsort

import (
	"math/rand/v2"
	"testing"

	"github.com/firndb/firn/maintenance/internal/rowkey"
)

// Surveys of parts of keys are together that of all.
func TestSurveysAreJoined(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 500 {
		var whole, joined survey
		var all rowkey.Keys
		for range 1 + rng.IntN(4) {
			var keys rowkey.Keys
			for range 1 + rng.IntN(3) {
				for range 2 {
					b := byte(rng.IntN(4))
					keys.Data, all.Data = append(keys.Data, b), append(all.Data, b)
				}
				keys.Ends, all.Ends = append(keys.Ends, uint32(len(keys.Data))), append(all.Ends, uint32(len(all.Data)))
			}
			var part survey
			part.add(keys)
			joined.join(part)
		}
		if whole.add(all); joined != whole {
			t.Fatalf("%x: differ in %x, want %x", all.Data, joined.differ[:2], whole.differ[:2])
		}
	}
}
