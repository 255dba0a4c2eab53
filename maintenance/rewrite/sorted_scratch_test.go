package rewrite_test

import (
	"math/rand/v2"
	"strings"
	"testing"
)

// TestSortStaysWithinItsEstimate sorts texts that are much smaller in files than
// in memory: what the plan takes to be enough scratch space must be.
func TestSortStaysWithinItsEstimate(t *testing.T) {
	for _, format := range []string{"parquet", "avro"} {
		r := rand.New(rand.NewPCG(1, 2))
		g := newDocuments(t, "67108864", nil)
		for range 4 {
			var docs []document
			for range 4000 {
				body := append(randomBytes(r, 150), strings.Repeat("what all of them say, ", 60)...)
				docs = append(docs, document{r.Int64N(1e9), body})
			}
			g.appendDocuments(docs...)
		}
		setProperties(t, g.c, g.ident, map[string]string{"write.format.default": format})
		before := g.ids()
		e := tiny(t, g.c)
		e.Limits.MemoryBytes = 1 << 20
		plan := planSorted(t, g.c, "ns.t", "id", all())
		e.Limits.ScratchBytes = 3 * plan.Bytes()
		if _, err := plan.Execute(t.Context(), e); err != nil {
			t.Fatalf("%s: %v", format, err)
		}
		if format == "parquet" {
			g.wantIDs(before...)
		}
		g.wantNoStrays()
	}
}
