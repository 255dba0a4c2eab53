package rewrite_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/apache/iceberg-go"
	"github.com/apache/iceberg-go/table"

	"github.com/firndb/firn/maintenance/rewrite"
)

// Rows move unless something about them must change.
func TestRowsMove(t *testing.T) {
	for _, version := range []string{"2", "3"} {
		for name, tc := range map[string]struct {
			props   iceberg.Properties
			delete  []int64
			options map[string]string
			moved   int64
		}{
			"all":               {moved: 12},
			"with deletes":      {delete: []int64{5}, moved: 11},
			"deletes, copied":   {delete: []int64{1, 6, 12}, options: map[string]string{rewrite.OptionCopyRowGroups: "0"}, moved: 9},
			"deletes, decoded":  {delete: []int64{5, 6}, options: map[string]string{rewrite.OptionDecodeAll: "true"}},
			"a file of deletes": {delete: []int64{5, 6, 7, 8, 10}, moved: 7},
			"decode-all":        {options: map[string]string{rewrite.OptionDecodeAll: "true"}},
			"copied":            {options: map[string]string{rewrite.OptionCopyRowGroups: "0"}, moved: 12},
			"another codec":     {props: iceberg.Properties{"write.parquet.compression-codec": "snappy"}, moved: 12},
			"version 2 pages":   {props: iceberg.Properties{"write.parquet.page-version": "v2"}, moved: 12},
			"with Bloom filter": {props: iceberg.Properties{"write.parquet.bloom-filter-enabled.column.id": "true"}},
		} {
			t.Run(version+" "+name, func(t *testing.T) {
				g := newGround(t, version, nil, nil)
				g.append(1, 2, 3, 4)
				g.append(5, 6, 7, 8)
				g.append(9, 10, 11, 12)
				want := []int64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}
				if len(tc.delete) > 0 {
					g.delete(tc.delete...)
					want = slices.DeleteFunc(want, func(id int64) bool { return slices.Contains(tc.delete, id) })
				}
				g.change(func(tx *table.Transaction) error { return tx.SetProperties(tc.props) })
				var lineage []string
				if version == "3" {
					lineage = g.lineage()
				}
				options := all()
				for k, v := range tc.options {
					options[k] = v
				}
				r := g.execute(g.plan(options))
				if r.MovedRows != tc.moved || r.AddedFiles != 1 {
					t.Errorf("%d rows moved, %d files; want %d and 1", r.MovedRows, r.AddedFiles, tc.moved)
				}
				g.wantIDs(want...)
				if version == "3" && !slices.Equal(g.lineage(), lineage) {
					t.Errorf("lineage was\n%s\nand is\n%s", strings.Join(lineage, "\n"), strings.Join(g.lineage(), "\n"))
				}
				g.wantNoStrays()
			})
		}
	}
}

// Small files become one row group, in the order of the table.
func TestRowGroupsAreMerged(t *testing.T) {
	g := newGround(t, "2", nil, nil)
	for i := range int64(40) {
		g.append(i*10, i*10+1, i*10+2)
	}
	g.execute(g.plan(all()))
	files := g.dataFiles()
	if len(files) != 1 || len(files[0].SplitOffsets()) != 1 {
		t.Fatalf("%d files", len(files))
	}
	if low, high := int64Bound(files[0].LowerBoundValues()[1]), int64Bound(files[0].UpperBoundValues()[1]); low != 0 || high != 392 {
		t.Errorf("bounds %d to %d", low, high)
	}
}

func int64Bound(b []byte) int64 { return int64(binary.LittleEndian.Uint64(b)) }

// A column that a file lacks is null.
func TestRowsMoveIntoANewerSchema(t *testing.T) {
	g := newGround(t, "2", nil, nil)
	g.append(1, 2)
	g.append(3)
	tx := g.load().NewTransaction()
	if err := tx.UpdateSchema(true, false).AddColumn([]string{"extra"}, iceberg.PrimitiveTypes.String, "", false, nil).Commit(); err != nil {
		t.Fatal(err)
	}
	if _, err := tx.Commit(context.Background()); err != nil {
		t.Fatal(err)
	}
	if r := g.execute(g.plan(all())); r.MovedRows != 3 {
		t.Errorf("%d rows moved", r.MovedRows)
	}
	g.wantIDs(1, 2, 3)
	df := g.dataFiles()[0]
	if df.NullValueCounts()[4] != 3 {
		t.Errorf("nulls are %v", df.NullValueCounts())
	}
}

// Bounds hold for all rows and NaNs are counted, by whatever tells of them.
func TestFloatsThatMove(t *testing.T) {
	nan := math.NaN()
	for name, tc := range map[string]struct {
		files     [][]float64
		nans      int64
		low, high float64
		unbounded bool
	}{
		"no NaN":   {[][]float64{{1, 2}, {-3, 0}}, 0, -3, 2, false},
		"some":     {[][]float64{{1, nan}, {-3, nan, nan}}, 3, -3, 1, false},
		"one file": {[][]float64{{nan, nan}, {-3, 7}}, 2, -3, 7, false},
		"only":     {[][]float64{{nan}, {nan}}, 2, 0, 0, true},
	} {
		t.Run(name, func(t *testing.T) {
			g := newGround(t, "2", nil, nil)
			rows := int64(0)
			for _, prices := range tc.files {
				g.appendPrices(prices...)
				rows += int64(len(prices))
			}
			// The second time, files are those that Firn wrote.
			for range 2 {
				if r := g.execute(g.plan(all())); r.MovedRows != rows {
					t.Errorf("%d rows moved of %d", r.MovedRows, rows)
				}
				df := g.dataFiles()[0]
				low, ok := df.LowerBoundValues()[3]
				if df.NaNValueCounts()[3] != tc.nans || ok == tc.unbounded {
					t.Fatalf("NaNs %v, bounds %v", df.NaNValueCounts(), df.LowerBoundValues())
				}
				if tc.unbounded {
					continue
				}
				l, h := floatBound(low), floatBound(df.UpperBoundValues()[3])
				if l != tc.low || h != tc.high {
					t.Errorf("bounds %v to %v, want %v to %v", l, h, tc.low, tc.high)
				}
			}
		})
	}
}

// The facts about floats are those of the rows that stay, which footers do not
// tell where there are NaNs.
func TestFloatsOfRowsThatStay(t *testing.T) {
	nan := math.NaN()
	for name, tc := range map[string]struct {
		files     [][]float64
		gone      []float64
		nans      int64
		low, high float64
		unbounded bool
	}{
		"no NaN":               {[][]float64{{1, 2, 9}, {-3, 0}}, []float64{-3, 9}, 0, 0, 2, false},
		"with NaN":             {[][]float64{{1, nan, 9, 4}, {-3, nan, nan, 0.5}}, []float64{-3, 9}, 3, 0.5, 4, false},
		"only NaN stays":       {[][]float64{{1, nan}, {7, nan}}, []float64{1, 7}, 2, 0, 0, true},
		"NaN beside rows gone": {[][]float64{{1, nan}, {-5, 2, 3, 8}}, []float64{8, -5}, 1, 1, 3, false},
		"NaN goes":             {[][]float64{{1, nan, nan, 3}, {2, 3, nan}}, []float64{1, nan}, 0, 2, 3, false},
	} {
		t.Run(name, func(t *testing.T) {
			g := newGround(t, "2", nil, nil)
			want := int64(0)
			for _, prices := range tc.files {
				g.appendPrices(prices...)
				want += int64(len(prices))
			}
			for _, price := range tc.gone {
				for _, prices := range tc.files {
					for _, p := range prices {
						if p == price || p != p && price != price {
							want--
						}
					}
				}
				g.change(func(tx *table.Transaction) error {
					if price != price {
						return tx.Delete(context.Background(), iceberg.IsNaN(iceberg.Reference("price")), nil)
					}
					return tx.Delete(context.Background(), iceberg.EqualTo(iceberg.Reference("price"), price), nil)
				})
			}
			if r := g.execute(g.plan(all())); r.MovedRows != want {
				t.Errorf("%d rows moved of %d", r.MovedRows, want)
			}
			df := g.dataFiles()[0]
			low, ok := df.LowerBoundValues()[3]
			if df.NaNValueCounts()[3] != tc.nans || ok == tc.unbounded {
				t.Fatalf("NaNs %v, bounds %v", df.NaNValueCounts(), df.LowerBoundValues())
			}
			if tc.unbounded {
				return
			}
			l, h := floatBound(low), floatBound(df.UpperBoundValues()[3])
			if l != tc.low || h != tc.high {
				t.Errorf("bounds %v to %v, want %v to %v", l, h, tc.low, tc.high)
			}
		})
	}
}

// Where rows are cut out the manifest's zeros are of the sign that they had, which
// the footer does not tell.
func TestZerosOfRowsThatStay(t *testing.T) {
	g := newGround(t, "2", nil, nil)
	g.appendPrices(0, 5, 9)
	g.execute(g.plan(map[string]string{rewrite.OptionRewriteAll: "true", rewrite.OptionDecodeAll: "true"}))
	g.change(func(tx *table.Transaction) error {
		return tx.Delete(context.Background(), iceberg.EqualTo(iceberg.Reference("price"), 9.0), nil)
	})
	if r := g.execute(g.plan(all())); r.MovedRows != 2 {
		t.Errorf("%d rows moved", r.MovedRows)
	}
	df := g.dataFiles()[0]
	wantBound(t, df.LowerBoundValues()[3], 0)
	wantBound(t, df.UpperBoundValues()[3], 5)
}

func floatBound(b []byte) float64 { return math.Float64frombits(binary.LittleEndian.Uint64(b)) }

// A file that is damaged fails the rewrite and leaves nothing behind.
func TestDamagedFileFailsTheRewrite(t *testing.T) {
	g := newGround(t, "2", nil, nil)
	g.append(count(500)...)
	g.append(1000)
	path := strings.TrimPrefix(g.dataFiles()[0].FilePath(), "file://")
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	copy(b[4:], slices.Repeat([]byte{0xff}, 8))
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
	r, err := g.plan(all()).Execute(context.Background(), env(g.c))
	if err == nil {
		t.Errorf("it was rewritten: %s", fmt.Sprint(r))
	}
	g.wantNoStrays()
}
