package server

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"
	"sync"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/iceberg-go"
	"github.com/apache/iceberg-go/table"
	"github.com/dolthub/go-mysql-server/sql"

	"github.com/firndb/firn/maintenance"
	"github.com/firndb/firn/maintenance/datafile"
	"github.com/firndb/firn/metatables"
)

// relation is a table of the engine: an Iceberg table or a metadata table of
// one, at one version. Its table is loaded when its columns or rows are needed.
type relation struct {
	name string
	db   *database
	meta *metatables.Table
	load func() (*loaded, error)
	// columns is the projection, nil for all columns.
	columns []string
	// filter is a condition that every wanted row meets; rows that do not may
	// be returned.
	filter iceberg.BooleanExpression
	// keep, if set, says which files may have wanted rows.
	keep fileFilter
	// fields are what of struct columns is looked at, as in a request for a
	// metadata table.
	fields []string
	// limit is how many rows are wanted at most, 0 if all are.
	limit int64
	cache *metatables.Cache
}

// loaded is what is known of a relation once its table is loaded.
type loaded struct {
	tbl *table.Table
	at  selection
	// fields are the columns: own ones of the table, then metadata columns if
	// they are wanted.
	fields []iceberg.NestedField
	own    int
	schema sql.Schema
}

var (
	_ sql.ProjectedTable  = (*relation)(nil)
	_ sql.PrimaryKeyTable = (*relation)(nil)
	_ sql.CommentedTable  = (*relation)(nil)
)

func newRelation(ctx context.Context, db *database, e entry, v version) *relation {
	r := &relation{name: e.name(db), db: db, meta: e.meta, cache: db.stmt.cache}
	r.load = sync.OnceValues(func() (*loaded, error) {
		tbl, err := db.stmt.pins.Load(ctx, db.catalog, e.ident)
		if err != nil {
			return nil, err
		}
		l := &loaded{tbl: tbl}
		if l.at, err = v.of(tbl); err != nil {
			return nil, err
		}
		schema, err := r.icebergSchema(l)
		if err != nil {
			return nil, err
		}
		l.fields = schema.Fields()
		l.own = len(l.fields)
		if e.hidden {
			partition, err := metatables.PartitionType(tbl.Metadata())
			if err != nil {
				return nil, err
			}
			l.fields = slices.Clip(l.fields)
			for _, f := range datafile.MetadataColumns(tbl.Metadata().Version(), partition) {
				if f.ID != datafile.DeletedID || e.deleted {
					l.fields = append(l.fields, f)
				}
			}
		}
		l.schema, err = schemaOf(l.fields, r.name, db.Name())
		return l, err
	})
	return r
}

// icebergSchema is the schema of all columns.
func (r *relation) icebergSchema(l *loaded) (*iceberg.Schema, error) {
	if r.meta != nil {
		return r.meta.Schema(l.tbl)
	}
	if l.at.snapshot != nil && l.at.branch == "" {
		if s := l.tbl.SnapshotByID(*l.at.snapshot); s != nil && s.SchemaID != nil {
			if schema, ok := l.tbl.Schemas()[*s.SchemaID]; ok {
				return schema, nil
			}
		}
	}
	return l.tbl.Schema(), nil
}

// Name implements sql.Table.
func (r *relation) Name() string { return r.name }

// String implements fmt.Stringer.
func (r *relation) String() string { return r.name }

// Collation implements sql.Table.
func (r *relation) Collation() sql.CollationID { return sql.Collation_Default }

// Comment implements sql.CommentedTable. A table's own comment is not shown:
// information_schema asks every table for it, which would load them all.
func (r *relation) Comment() string {
	if r.meta != nil {
		return r.meta.Doc
	}
	return ""
}

// Schema implements sql.Table. A table that cannot be loaded has no columns;
// reading it returns the error.
func (r *relation) Schema() sql.Schema {
	l, err := r.load()
	if err != nil {
		return nil
	}
	if r.columns == nil {
		return l.schema
	}
	schema := make(sql.Schema, 0, len(r.columns))
	for _, name := range r.columns {
		if i := l.column(name); i >= 0 {
			schema = append(schema, l.schema[i])
		}
	}
	return schema
}

// PrimaryKeySchema implements sql.PrimaryKeyTable, without which the engine
// does not project: all columns, none of them a key.
func (r *relation) PrimaryKeySchema() sql.PrimaryKeySchema {
	l, err := r.load()
	if err != nil {
		return sql.PrimaryKeySchema{}
	}
	return sql.PrimaryKeySchema{Schema: l.schema}
}

// WithProjections implements sql.ProjectedTable. The engine gives names in
// lower case.
func (r *relation) WithProjections(names []string) sql.Table {
	projected := *r
	projected.columns = slices.Clone(names)
	if projected.columns == nil {
		projected.columns = []string{}
	}
	return &projected
}

// Projections implements sql.ProjectedTable.
func (r *relation) Projections() []string { return r.columns }

// column finds a column by name, exactly or without regard to case; -1 if
// there is none.
func (l *loaded) column(name string) int {
	if i := slices.IndexFunc(l.fields, func(f iceberg.NestedField) bool { return f.Name == name }); i >= 0 {
		return i
	}
	return slices.IndexFunc(l.fields, func(f iceberg.NestedField) bool { return strings.EqualFold(f.Name, name) })
}

// selected are the columns to return, as positions in fields.
func (r *relation) selected(l *loaded) ([]int, error) {
	if r.columns == nil {
		all := make([]int, len(l.fields))
		for i := range all {
			all[i] = i
		}
		return all, nil
	}
	positions := make([]int, len(r.columns))
	for i, name := range r.columns {
		if positions[i] = l.column(name); positions[i] < 0 {
			return nil, fmt.Errorf("table %q has no column %q", r.name, name)
		}
	}
	return positions, nil
}

// batches streams the rows; each batch has at least the columns of fields that
// columns names.
func (r *relation) batches(ctx context.Context, l *loaded, columns []string) (iter.Seq2[arrow.RecordBatch, error], error) {
	if r.meta != nil {
		return r.meta.Read(ctx, l.tbl, r.request(l, columns)), nil
	}
	tasks, err := r.plan(ctx, l)
	if err != nil {
		return nil, err
	}
	fields := make([]iceberg.NestedField, len(columns))
	for i, name := range columns {
		at := l.column(name)
		if at < l.own && isMetaColumn(name) {
			return nil, fmt.Errorf("%w: table %q has a column called %q, which is the name of a metadata column; rename it", maintenance.ErrUnsupported, r.name, name)
		}
		fields[i] = l.fields[at]
	}
	return datafile.Read(ctx, l.tbl, fields, tasks), nil
}

// request asks a metadata table for columns.
func (r *relation) request(l *loaded, columns []string) metatables.Request {
	return metatables.Request{
		Snapshot: l.at.snapshot, Columns: columns,
		Fields: r.fields, Filter: r.filter, Limit: r.limit, Cache: r.cache,
	}
}

// plan lists the files that may have wanted rows. The filter chooses files and
// nothing else: the engine looks at the rows itself.
func (r *relation) plan(ctx context.Context, l *loaded) ([]table.FileScanTask, error) {
	var options []table.ScanOption
	if r.filter != nil {
		options = append(options, table.WithRowFilter(r.filter))
	}
	planner, err := l.scan(options...)
	if err != nil {
		return nil, err
	}
	tasks, err := planner.PlanFiles(ctx)
	if err != nil {
		return nil, err
	}
	// The planner cuts large files into pieces.
	whole := tasks[:0]
	for _, task := range tasks {
		if task.Start == 0 && (r.keep == nil || r.keep(task.File)) {
			whole = append(whole, task)
		}
	}
	return whole, nil
}

// scan makes a scan of the selected version.
func (l *loaded) scan(options ...table.ScanOption) (*table.Scan, error) {
	if l.at.branch != "" {
		return l.tbl.Scan(options...).UseRef(l.at.branch)
	}
	if l.at.snapshot != nil {
		options = append(options, table.WithSnapshotID(*l.at.snapshot))
	}
	return l.tbl.Scan(options...), nil
}
