package server

import (
	"context"
	"fmt"
	"io"
	"iter"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/decimal128"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/iceberg-go"
	"github.com/apache/iceberg-go/table"
	sqle "github.com/dolthub/go-mysql-server"
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/analyzer"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/rowexec"
	"github.com/dolthub/go-mysql-server/sql/transform"

	"github.com/firndb/firn/metatables"

	"github.com/firndb/firn/server/functions"
)

// shadow is the database "d" of one table "t" that is made of given batches.
type shadow struct {
	sql.DatabaseProvider
	relation *relation
}

func (s shadow) Database(*sql.Context, string) (sql.Database, error) { return s, nil }
func (s shadow) HasDatabase(_ *sql.Context, name string) bool        { return name == "d" }
func (s shadow) AllDatabases(*sql.Context) []sql.Database            { return []sql.Database{s} }
func (s shadow) Name() string                                        { return "d" }
func (s shadow) GetTableNames(*sql.Context) ([]string, error)        { return []string{"t"}, nil }

func (s shadow) GetTableInsensitive(*sql.Context, string) (sql.Table, bool, error) {
	return s.relation, true, nil
}

func (s shadow) Function(ctx *sql.Context, name string) (sql.Function, bool) {
	return functions.NewSet().Lookup(ctx, name)
}

// shadowSchema has a column of every kind.
func shadowSchema() *iceberg.Schema {
	p := iceberg.PrimitiveTypes
	field := func(id int, name string, t iceberg.Type) iceberg.NestedField {
		return iceberg.NestedField{ID: id, Name: name, Type: t}
	}
	return iceberg.NewSchema(0,
		field(1, "b", p.Bool), field(2, "i", p.Int32), field(3, "l", p.Int64), field(4, "f", p.Float32), field(5, "d", p.Float64),
		field(6, "s", p.String), field(7, "day", p.Date), field(8, "ts", p.Timestamp), field(9, "tz", p.TimestampTz),
		field(10, "dec", iceberg.DecimalTypeOf(9, 2)), field(11, "bin", p.Binary),
		field(12, "st", &iceberg.StructType{FieldList: []iceberg.NestedField{
			field(13, "a", p.Int32), field(14, "b", p.String),
			field(15, "in", &iceberg.StructType{FieldList: []iceberg.NestedField{field(16, "x", p.Float32), field(17, "day", p.Date)}}),
			field(18, "dec", iceberg.DecimalTypeOf(9, 2)),
		}}),
		field(19, "li", &iceberg.ListType{ElementID: 20, Element: p.Int64}),
	)
}

// fill appends a random value to a builder, NULL now and then.
func fill(r *rand.Rand, to array.Builder) {
	if r.IntN(5) == 0 {
		to.AppendNull()
		return
	}
	few := r.IntN(4)
	switch b := to.(type) {
	case *array.BooleanBuilder:
		b.Append(few%2 == 0)
	case *array.Int32Builder:
		b.Append([]int32{0, 1, -7, math.MaxInt32}[few])
	case *array.Int64Builder:
		b.Append([]int64{0, 200, math.MinInt64, math.MaxInt64 - int64(r.IntN(3)), int64(r.IntN(50)), 1 << 53}[r.IntN(6)])
	case *array.Float32Builder:
		b.Append([]float32{0, 0.1, float32(math.Inf(1)), -1.5}[few])
	case *array.Float64Builder:
		b.Append([]float64{0, math.Copysign(0, -1), math.NaN(), math.Inf(-1), 0.1, 1e300, -2.5, float64(r.IntN(9))}[r.IntN(8)])
	case *array.StringBuilder:
		b.Append([]string{"", "a", "A", "a ", "é", "100", "abc%", "<nil>"}[r.IntN(8)])
	case *array.Date32Builder:
		b.Append(arrow.Date32([]int{0, 20000, 20001, -700000}[few]))
	case *array.TimestampBuilder:
		b.Append(arrow.Timestamp([]int64{0, 1, 20000 * 86400e6, 1761440400000000, 1761444000000000, -1}[r.IntN(6)]))
	case *array.Decimal128Builder:
		b.Append(decimal128.FromI64(int64(few) * 125))
	case *array.BinaryBuilder:
		b.Append([]byte{byte(few), 'a'})
	case *array.StructBuilder:
		b.Append(true)
		for i := range b.NumField() {
			fill(r, b.FieldBuilder(i))
		}
	case *array.ListBuilder:
		b.Append(true)
		for range few {
			fill(r, b.ValueBuilder())
		}
	}
}

// shadowBatches are random batches; some are slices of larger ones.
func shadowBatches(t *testing.T, r *rand.Rand) []arrow.RecordBatch {
	schema, err := table.SchemaToArrowSchema(shadowSchema(), nil, true, false)
	if err != nil {
		t.Fatal(err)
	}
	var batches []arrow.RecordBatch
	for range r.IntN(4) {
		b := array.NewRecordBuilder(memory.DefaultAllocator, schema)
		n := r.IntN(40)
		for i := range b.Fields() {
			for range n {
				fill(r, b.Field(i))
			}
		}
		batch := b.NewRecordBatch()
		if n > 4 && r.IntN(2) == 0 {
			batch = batch.NewSlice(2, int64(n-1))
		}
		batches = append(batches, batch)
	}
	return batches
}

// picked picks columns of a batch.
func picked(batch arrow.RecordBatch, names []string) arrow.RecordBatch {
	if names == nil {
		batch.Retain()
		return batch
	}
	fields, columns := make([]arrow.Field, len(names)), make([]arrow.Array, len(names))
	for i, name := range names {
		at := batch.Schema().FieldIndices(name)[0]
		fields[i], columns[i] = batch.Schema().Field(at), batch.Column(at)
	}
	return array.NewRecordBatch(arrow.NewSchema(fields, nil), columns, batch.NumRows())
}

func newShadow(t *testing.T, batches []arrow.RecordBatch) shadow {
	meta := &metatables.Table{
		Name:   "t",
		Schema: func(*table.Table) (*iceberg.Schema, error) { return shadowSchema(), nil },
		Count: func(context.Context, *table.Table, metatables.Request) (n int64, ok bool, err error) {
			for _, batch := range batches {
				n += batch.NumRows()
			}
			return n, true, nil
		},
		Read: func(_ context.Context, _ *table.Table, req metatables.Request) iter.Seq2[arrow.RecordBatch, error] {
			return func(yield func(arrow.RecordBatch, error) bool) {
				for _, batch := range batches {
					if !yield(picked(batch, req.Columns), nil) {
						return
					}
				}
			}
		},
	}
	fields := shadowSchema().Fields()
	schema, err := schemaOf(fields, "t", "d")
	if err != nil {
		t.Fatal(err)
	}
	l := &loaded{fields: fields, schema: schema}
	return shadow{relation: &relation{name: "t", meta: meta, load: func() (*loaded, error) { return l, nil }}}
}

// engines are two engines of one database: the second aggregates and filters
// below itself.
func engines(t *testing.T, s shadow) (plain, ours *sqle.Engine) {
	engineGlobals.Lock()
	defer engineGlobals.Unlock()
	make := func(b sql.NodeExecBuilder) *sqle.Engine {
		engine := sqle.New(addRules(analyzer.NewBuilder(s)).Build(), &sqle.Config{})
		engine.Analyzer.ExecBuilder = b
		t.Cleanup(func() { engine.Close() })
		return engine
	}
	return make(rowexec.DefaultBuilder), make(newBuilder())
}

func shadowContext(t *testing.T, zone string) *sql.Context {
	s := &session{BaseSession: sql.NewBaseSession()}
	ctx := sql.NewContext(t.Context(), sql.WithSession(s))
	s.SetCurrentDatabase("d")
	if err := s.SetSessionVariable(ctx, "time_zone", zone); err != nil {
		t.Fatal(err)
	}
	return ctx
}

// shadowAnswer is the result of a query with the Go types of its values, or its error.
func shadowAnswer(ctx *sql.Context, engine *sqle.Engine, query string) (result string) {
	defer func() {
		// The engine panics where a NaN becomes a decimal.
		if p := recover(); p != nil {
			result = fmt.Sprint("error: panic: ", p)
		}
	}()
	schema, rows, _, err := engine.Query(ctx, query)
	if err != nil {
		return "error: " + err.Error()
	}
	var out strings.Builder
	for _, c := range schema {
		fmt.Fprintf(&out, "%s %s\n", c.Name, c.Type)
	}
	for {
		row, err := rows.Next(ctx)
		if err == io.EOF {
			break
		}
		if err != nil {
			return "error: " + err.Error()
		}
		for _, v := range row {
			fmt.Fprintf(&out, "%T(%v) ", v, v)
		}
		out.WriteByte('\n')
	}
	if err := rows.Close(ctx); err != nil {
		return "error: " + err.Error()
	}
	return out.String()
}

// isBelow says whether the rows of a query's GROUP BY and Filter nodes are made
// below the engine.
func isBelow(ctx *sql.Context, engine *sqle.Engine, query string) bool {
	n, err := engine.AnalyzeQuery(ctx, query)
	if err != nil {
		return false
	}
	below := false
	transform.Inspect(n, func(n sql.Node) bool {
		switch n.(type) {
		case *plan.GroupBy, *plan.Filter:
			made, err := engine.Analyzer.ExecBuilder.(*rowexec.BaseBuilder).Build(ctx, n, nil)
			if err != nil {
				return false
			}
			switch made.(type) {
			case *aggregateRows, *rows:
				below = true
			}
		}
		return !below
	})
	return below
}
