package splice

import (
	"errors"
	"testing"

	"github.com/firndb/firn/maintenance/internal/parquet/format"
)

// Levels of a column that has none would be taken for values where others are
// put before them.
func TestLevelsThatAColumnLacks(t *testing.T) {
	for _, tc := range []struct {
		name           string
		def, rep       int32
		maxDef, maxRep uint8
		understood     bool
	}{
		{name: "none", understood: true},
		{name: "definition", def: 2},
		{name: "repetition", rep: 2, maxDef: 1},
		{name: "of an optional column", def: 2, maxDef: 1, understood: true},
		{name: "of a list", def: 2, rep: 2, maxDef: 2, maxRep: 1, understood: true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			c := &column{maxDef: tc.maxDef, maxRep: tc.maxRep, typ: format.Int64}
			r := &pages{src: &Source{leaves: []leaf{{maxDef: tc.maxDef}}}, col: c}
			p := &page{body: make([]byte, 20), PageHeader: format.PageHeader{
				Type: format.DataPageV2, Values: 2, Rows: 2, Encoding: format.Plain, DefBytes: tc.def, RepBytes: tc.rep,
			}}
			if err := r.check(p); (err == nil) != tc.understood || err != nil && !errors.Is(err, ErrUnfit) {
				t.Errorf("error is %v", err)
			}
		})
	}
}
