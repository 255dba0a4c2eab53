package rewrite_test

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/iceberg-go"
	"github.com/apache/iceberg-go/table"

	"github.com/firndb/firn/maintenance/rewrite"
)

// document is a row with a long text.
type document struct {
	id   int64
	body []byte
}

// newDocuments is a table that also has texts, with a target size.
func newDocuments(t *testing.T, target string, props iceberg.Properties) *ground {
	t.Helper()
	all := iceberg.Properties{"write.target-file-size-bytes": target}
	for k, v := range props {
		all[k] = v
	}
	g := newGround(t, "2", nil, all)
	g.change(func(tx *table.Transaction) error {
		return tx.UpdateSchema(true, false).AddColumn([]string{"body"}, iceberg.PrimitiveTypes.Binary, "", false, nil).Commit()
	})
	return g
}

// appendDocuments makes a file.
func (g *ground) appendDocuments(docs ...document) {
	g.t.Helper()
	schema, err := table.SchemaToArrowSchema(g.load().Schema(), nil, true, false)
	if err != nil {
		g.t.Fatal(err)
	}
	b := array.NewRecordBuilder(memory.DefaultAllocator, schema)
	defer b.Release()
	for _, d := range docs {
		b.Field(0).(*array.Int64Builder).Append(d.id)
		b.Field(1).(*array.Int32Builder).Append(0)
		b.Field(2).(*array.Float64Builder).Append(0)
		b.Field(3).(*array.BinaryBuilder).Append(d.body)
	}
	rdr, err := array.NewRecordReader(schema, []arrow.RecordBatch{b.NewRecordBatch()})
	if err != nil {
		g.t.Fatal(err)
	}
	defer rdr.Release()
	g.change(func(tx *table.Transaction) error { return tx.Append(context.Background(), rdr, nil) })
}

// randomBytes do not get smaller.
func randomBytes(r *rand.Rand, n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(r.Uint32())
	}
	return b
}

// wantSizes wants all files to be below the greatest size, and few.
func (g *ground) wantSizes(most int64, files int) {
	g.t.Helper()
	list := g.dataFiles()
	for _, f := range list {
		if f.FileSizeBytes() > most {
			g.t.Errorf("a file of %d rows has %d bytes, more than %d", f.Count(), f.FileSizeBytes(), most)
		}
	}
	if len(list) > files {
		g.t.Errorf("%d files, more than %d", len(list), files)
	}
}

// Rows of very different length: files and row groups end by bytes, not by rows.
func TestFilesOfLongRows(t *testing.T) {
	const target, most = 2 << 20, 2 << 20 * 9 / 5
	for name, test := range map[string]struct {
		files, short, long int // in each file
		order              string
		options            map[string]string
		props              iceberg.Properties
	}{
		"row groups too large to move": {4, 20, 45, "", nil, nil},
		"decoded":                      {4, 20, 45, "", map[string]string{rewrite.OptionDecodeAll: "true"}, nil},
		"decoded, many short rows":     {3, 3000, 45, "", map[string]string{rewrite.OptionDecodeAll: "true"}, nil},
		"decoded into plain pages":     {3, 20, 45, "", map[string]string{rewrite.OptionDecodeAll: "true"}, iceberg.Properties{"write.parquet.dict-encoding-enabled.column.body": "false"}},
		"merged":                       {30, 1, 4, "", nil, nil},
		"sorted, long rows last":       {4, 20, 45, "id", nil, nil},
		"sorted, many short rows":      {3, 3000, 45, "id", nil, nil},
		"in large pages":               {3, 20, 45, "", nil, iceberg.Properties{"write.parquet.page-size-bytes": "16777216"}},
	} {
		t.Run(name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(1, 1))
			g := newDocuments(t, "2097152", test.props)
			var bytes int64
			for range test.files {
				var docs []document
				for i := range test.short + test.long {
					d := document{int64(i), randomBytes(r, 20)}
					if i >= test.short {
						d = document{int64(100_000 + i), randomBytes(r, 100_000)}
					}
					docs = append(docs, d)
					bytes += int64(len(d.body))
				}
				g.appendDocuments(docs...)
			}
			before := g.ids()
			plan := g.plan(test.options)
			if test.order != "" {
				plan = planSorted(t, g.c, "ns.t", test.order, test.options)
			}
			g.execute(plan)
			g.wantSizes(most, int(bytes/(target*3/4))+1)
			g.wantIDs(before...)
			g.wantNoStrays()
			if again := g.plan(test.options); len(again.Groups) > 0 {
				t.Errorf("the next run would rewrite %d files", again.Files())
			}
		})
	}
}

// Texts that repeat within a file are in its dictionary once. Those of many files
// fit into no dictionary, and become plain: the new file is larger than the old
// ones were together.
func TestFilesThatGrow(t *testing.T) {
	const most = 4 << 20 * 9 / 5
	r := rand.New(rand.NewPCG(1, 1))
	g := newDocuments(t, "4194304", iceberg.Properties{"write.parquet.compression-codec": "uncompressed"})
	for range 8 {
		body := randomBytes(r, 300_000)
		var docs []document
		for i := range 20 {
			docs = append(docs, document{int64(i), body})
		}
		g.appendDocuments(docs...)
	}
	var small int64
	for _, f := range g.dataFiles() {
		small += f.FileSizeBytes()
	}
	if small > most {
		t.Fatalf("the files have no dictionaries: %d bytes", small)
	}
	before := g.ids()
	g.execute(g.plan(nil))
	g.wantSizes(most, 30)
	g.wantIDs(before...)
	if again := g.plan(nil); len(again.Groups) > 0 {
		t.Errorf("the next run would rewrite %d files", again.Files())
	}
}
