package rewrite_test

import (
	"encoding/binary"
	"math"
	"testing"

	"github.com/apache/iceberg-go"
	"github.com/apache/iceberg-go/table"

	"github.com/firndb/firn/maintenance/rewrite"
)

// The manifest tells NaN apart from the other values, whose bounds are exact to
// the sign of a zero, as the table's metrics modes ask for them: also where row
// groups are moved as they are.
func TestFloatsInManifests(t *testing.T) {
	nan, negative := math.NaN(), math.Copysign(0, -1)
	for name, tc := range map[string]struct {
		prices    []float64
		mode      string
		nans      int64
		low, high float64
		none      bool
	}{
		"numbers":   {prices: []float64{2, 1, 3}, low: 1, high: 3},
		"NaN":       {prices: []float64{nan, 1, nan, 3}, nans: 2, low: 1, high: 3},
		"all NaN":   {prices: []float64{nan, nan}, nans: 2, none: true},
		"zero":      {prices: []float64{0, 5}, low: 0, high: 5},
		"last zero": {prices: []float64{-5, negative}, low: -5, high: negative},
		"zeros":     {prices: []float64{0, negative}, low: negative, high: 0},
		"counts":    {prices: []float64{nan, 1}, mode: "counts", nans: 1, none: true},
		"by length": {prices: []float64{nan, 1}, mode: "truncate(4)", nans: 1, low: 1, high: 1},
	} {
		t.Run(name, func(t *testing.T) {
			g := newGround(t, "2", nil, nil)
			g.appendPrices(tc.prices...)
			g.appendPrices(tc.prices...)
			if tc.mode != "" {
				g.change(func(tx *table.Transaction) error {
					return tx.SetProperties(iceberg.Properties{"write.metadata.metrics.column.price": tc.mode})
				})
			}
			g.execute(g.plan(map[string]string{rewrite.OptionRewriteAll: "true", rewrite.OptionDecodeAll: "true"}))
			check := func() {
				t.Helper()
				df := g.dataFiles()[0]
				if n := df.NaNValueCounts()[3]; n != 2*tc.nans {
					t.Errorf("%d NaNs, want %d", n, 2*tc.nans)
				}
				low, high := df.LowerBoundValues()[3], df.UpperBoundValues()[3]
				if tc.none {
					if low != nil || high != nil {
						t.Errorf("bounds %x and %x", low, high)
					}
					return
				}
				wantBound(t, low, tc.low)
				wantBound(t, high, tc.high)
			}
			check()
			g.execute(g.plan(map[string]string{rewrite.OptionRewriteAll: "true"}))
			check()
		})
	}
}

func wantBound(t *testing.T, got []byte, want float64) {
	t.Helper()
	if len(got) != 8 || binary.LittleEndian.Uint64(got) != math.Float64bits(want) {
		t.Errorf("bound %x, want %g", got, want)
	}
}
