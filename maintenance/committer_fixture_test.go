package maintenance

import (
	"context"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/iceberg-go"
	icecat "github.com/apache/iceberg-go/catalog"
	iceio "github.com/apache/iceberg-go/io"
	"github.com/apache/iceberg-go/table"

	"github.com/firndb/firn/catalog"
)

// ledger is a catalog on SQLite with one table, ns.t, in a folder of its own,
// and a test's hands on its commits and files.
type ledger struct {
	t     *testing.T
	dir   string
	c     *catalog.Catalog
	ident table.Identifier
	env   Env

	// commit, if set, stands in for the catalog's commits through c.
	commit func(ctx context.Context, reqs []table.Requirement, updates []table.Update, next func() error) error
	// disk, if set, is asked before each operation on a file and may fail it.
	disk func(op, path string) error

	mu    sync.Mutex
	waits []time.Duration
}

func newLedger(t *testing.T, props iceberg.Properties) *ledger {
	t.Helper()
	l := &ledger{t: t, dir: t.TempDir(), ident: table.Identifier{"ns", "t"}}
	l.reopen()
	ctx := context.Background()
	if err := l.c.Iceberg().CreateNamespace(ctx, l.ident[:1], nil); err != nil {
		t.Fatal(err)
	}
	schema := iceberg.NewSchema(0, iceberg.NestedField{ID: 1, Name: "id", Type: iceberg.PrimitiveTypes.Int64})
	all := iceberg.Properties{"format-version": "2"}
	maps.Copy(all, props)
	if _, err := l.c.Iceberg().CreateTable(ctx, l.ident, schema, icecat.WithProperties(all)); err != nil {
		t.Fatal(err)
	}
	return l
}

// reopen connects anew, as after a crash.
func (l *ledger) reopen() {
	l.t.Helper()
	hooks := catalog.Hooks{
		IO: func(inner iceio.IO) iceio.IO { return watchedIO{inner: inner, ledger: l} },
		Commit: func(ctx context.Context, ident table.Identifier, reqs []table.Requirement, updates []table.Update, next catalog.CommitFunc) (meta table.Metadata, location string, err error) {
			run := func() error {
				meta, location, err = next(ctx, ident, reqs, updates)
				return err
			}
			if l.commit == nil {
				err = run()
			} else {
				err = l.commit(ctx, reqs, updates, run)
			}
			return meta, location, err
		},
	}
	c, err := catalog.Open(context.Background(), catalog.Config{Name: "lake", Properties: map[string]string{
		"type": "sql", "uri": "file:" + filepath.Join(l.dir, "catalog.db"), "warehouse": "file://" + filepath.Join(l.dir, "wh"),
	}}, hooks)
	if err != nil {
		l.t.Fatal(err)
	}
	l.c = c
	l.env = Env{Catalog: c, Now: func() time.Time { return time.Now() }, Wait: func(ctx context.Context, d time.Duration) error {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.waits = append(l.waits, d)
		return ctx.Err()
	}}
}

func (l *ledger) load() *table.Table {
	l.t.Helper()
	tbl, err := l.c.Load(context.Background(), l.ident)
	if err != nil {
		l.t.Fatal(err)
	}
	return tbl
}

// append adds one data file with the given ids in a snapshot of its own. It
// bypasses the hooks, like another writer.
func (l *ledger) append(ids ...int64) *table.Table {
	l.t.Helper()
	return l.appendTo(table.MainBranch, ids...)
}

func (l *ledger) appendTo(branch string, ids ...int64) *table.Table {
	l.t.Helper()
	ctx := context.Background()
	tbl, err := l.c.Iceberg().LoadTable(ctx, l.ident)
	if err != nil {
		l.t.Fatal(err)
	}
	schema, err := table.SchemaToArrowSchema(tbl.Schema(), nil, false, false)
	if err != nil {
		l.t.Fatal(err)
	}
	builder := array.NewRecordBuilder(memory.DefaultAllocator, schema)
	builder.Field(0).(*array.Int64Builder).AppendValues(ids, nil)
	record := builder.NewRecordBatch()
	reader, err := array.NewRecordReader(schema, []arrow.RecordBatch{record})
	if err != nil {
		l.t.Fatal(err)
	}
	tx, err := tbl.NewTransactionOnBranchWithError(branch)
	if err != nil {
		l.t.Fatal(err)
	}
	if err := tx.Append(ctx, reader, nil); err != nil {
		l.t.Fatal(err)
	}
	if tbl, err = tx.Commit(ctx); err != nil {
		l.t.Fatal(err)
	}
	return tbl
}

// apply commits updates without the hooks, like another writer.
func (l *ledger) apply(updates ...table.Update) {
	l.t.Helper()
	if _, _, err := l.c.Iceberg().CommitTable(context.Background(), l.ident, nil, updates); err != nil {
		l.t.Fatal(err)
	}
}

// rows are the ids that a snapshot has, sorted; 0 is the current one.
func (l *ledger) rows(tbl *table.Table, snapshot int64) []int64 {
	l.t.Helper()
	var opts []table.ScanOption
	if snapshot != 0 {
		opts = append(opts, table.WithSnapshotID(snapshot))
	}
	_, batches, err := tbl.Scan(opts...).ToArrowRecords(context.Background())
	if err != nil {
		l.t.Fatal(err)
	}
	var ids []int64
	for batch, err := range batches {
		if err != nil {
			l.t.Fatal(err)
		}
		ids = append(ids, batch.Column(0).(*array.Int64).Int64Values()...)
		batch.Release()
	}
	slices.Sort(ids)
	return ids
}

// files lists the files under the warehouse whose names match pattern.
func (l *ledger) files(pattern string) []string {
	l.t.Helper()
	var found []string
	err := filepath.WalkDir(filepath.Join(l.dir, "wh"), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		ok, err := filepath.Match(pattern, d.Name())
		if ok {
			found = append(found, path)
		}
		return err
	})
	if err != nil {
		l.t.Fatal(err)
	}
	return found
}

// scratch writes a file beside the table's and returns its path.
func (l *ledger) scratch(name string) string {
	l.t.Helper()
	path := filepath.Join(l.dir, "wh", name)
	if err := os.WriteFile(path, []byte("x"), 0o644); err != nil {
		l.t.Fatal(err)
	}
	return path
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

var errCrash = errors.New("the disk is gone")

// watchedIO asks the ledger before each operation.
type watchedIO struct {
	inner  iceio.IO
	ledger *ledger
}

func (w watchedIO) ask(op, path string) error {
	if w.ledger.disk == nil {
		return nil
	}
	return w.ledger.disk(op, path)
}

func (w watchedIO) Open(name string) (iceio.File, error) {
	if err := w.ask("open", name); err != nil {
		return nil, err
	}
	return w.inner.Open(name)
}

func (w watchedIO) Remove(name string) error {
	if err := w.ask("remove", name); err != nil {
		return err
	}
	return w.inner.Remove(name)
}
