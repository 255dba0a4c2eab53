package maintenance_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"testing"
	"time"

	"github.com/apache/iceberg-go"
	icecat "github.com/apache/iceberg-go/catalog"
	"github.com/apache/iceberg-go/table"

	"github.com/firndb/firn/catalog"
	"github.com/firndb/firn/maintenance"
)

var (
	errLostAnswer   = errors.New("the answer to the commit was lost")
	errLostQuestion = errors.New("the commit never arrived")
	errRefusal      = fmt.Errorf("%w: try again", table.ErrCommitFailed)
)

// world is a catalog in a folder with one table, ns.t (id bigint, part int,
// price double), and what is known about it.
type world struct {
	t       *testing.T
	rng     *rand.Rand
	dir     string
	kind    string
	version int
	c       *catalog.Catalog
	ident   table.Identifier
	env     maintenance.Env
	// before and after, if set, stand before and after the next commit.
	before, after func() error
	// disturbed says that they did something; lost that the outcome of a commit
	// is unknown.
	disturbed, lost bool
	depth           int
	// order is by which rewrites sort, none if it is empty; scratch is a folder.
	order, scratch string
	// rows are those of each snapshot when it was made.
	rows map[int64][]string
	// main, if set, are main's rows, which stay.
	main []string
	// others are unreferenced files that are not Firn's to remove.
	others map[string]bool
	next   int64
	story  []string
}

// newWorld is a world with a table of a random kind.
func newWorld(t *testing.T, seed uint64) *world {
	t.Helper()
	w := emptyWorld(t, seed)
	props, spec := w.randomKind()
	w.create(props, spec)
	return w
}

// emptyWorld is a world without a table.
func emptyWorld(t *testing.T, seed uint64) *world {
	t.Helper()
	w := &world{
		t: t, dir: t.TempDir(), scratch: t.TempDir(), rng: rand.New(rand.NewPCG(seed, 7)), ident: table.Identifier{"ns", "t"},
		rows: map[int64][]string{}, others: map[string]bool{},
	}
	w.open(catalog.Hooks{Commit: w.commit})
	return w
}

// open connects to the world's catalog, anew.
func (w *world) open(hooks catalog.Hooks) {
	w.t.Helper()
	c, err := catalog.Open(context.Background(), catalog.Config{Name: "c", Properties: map[string]string{
		"type": "sql", "warehouse": "file://" + w.dir,
		"uri": "file:" + filepath.Join(w.dir, "catalog.db") + "?_pragma=busy_timeout(10000)&_pragma=synchronous(0)&_pragma=journal_mode(memory)",
	}}, hooks)
	if err != nil {
		w.t.Fatal(err)
	}
	w.c = c
	w.env = maintenance.Env{
		Catalog: c, Now: time.Now, Limits: maintenance.Limits{Concurrency: 2, MemoryBytes: 1 << 26},
		Wait: func(ctx context.Context, _ time.Duration) error { return ctx.Err() },
		// What one commit makes, the same call may expire.
		Committed: func(int64) { w.remember(true) },
	}
}

// commit is the catalog's commit with what stands before and after it.
func (w *world) commit(ctx context.Context, ident table.Identifier, reqs []table.Requirement, updates []table.Update, next catalog.CommitFunc) (table.Metadata, string, error) {
	before, after := w.before, w.after
	w.before, w.after = nil, nil
	if before != nil {
		if err := before(); err != nil {
			return nil, "", err
		}
	}
	meta, location, err := next(ctx, ident, reqs, updates)
	if err == nil && after != nil {
		return nil, "", after()
	}
	return meta, location, err
}

// randomKind is a random kind of table.
func (w *world) randomKind() (iceberg.Properties, *iceberg.PartitionSpec) {
	props := iceberg.Properties{
		"format-version":                             pick(w.rng, "1", "2", "2", "3", "3"),
		"write.delete.mode":                          pick(w.rng, "merge-on-read", "merge-on-read", "copy-on-write"),
		"commit.retry.num-retries":                   pick(w.rng, "4", "4", "0"),
		"commit.manifest.min-count-to-merge":         pick(w.rng, "2", "3", "100"),
		"commit.manifest.target-size-bytes":          pick(w.rng, "8388608", "6000", "1"),
		"commit.manifest-merge.enabled":              pick(w.rng, "true", "false"),
		"write.metadata.delete-after-commit.enabled": pick(w.rng, "true", "false"),
		"write.metadata.previous-versions-max":       pick(w.rng, "2", "100"),
	}
	if props["format-version"] == "1" {
		props["write.delete.mode"] = "copy-on-write"
	}
	if w.rng.IntN(2) == 0 {
		return props, iceberg.UnpartitionedSpec
	}
	return props, byPart()
}

// byPart is the spec identity(part).
func byPart() *iceberg.PartitionSpec {
	spec := iceberg.NewPartitionSpec(iceberg.PartitionField{SourceIDs: []int{2}, FieldID: 1000, Name: "part", Transform: iceberg.IdentityTransform{}})
	return &spec
}

// create makes the table.
func (w *world) create(props iceberg.Properties, spec *iceberg.PartitionSpec) {
	w.t.Helper()
	ctx := context.Background()
	if err := w.c.Iceberg().CreateNamespace(ctx, w.ident[:1], nil); err != nil {
		w.t.Fatal(err)
	}
	schema := iceberg.NewSchema(
		0,
		iceberg.NestedField{ID: 1, Name: "id", Type: iceberg.PrimitiveTypes.Int64},
		iceberg.NestedField{ID: 2, Name: "part", Type: iceberg.PrimitiveTypes.Int32},
		iceberg.NestedField{ID: 3, Name: "price", Type: iceberg.PrimitiveTypes.Float64},
	)
	w.version = props.GetInt("format-version", 2)
	w.kind = fmt.Sprintf("%v %v", spec, props)
	if _, err := w.c.Iceberg().CreateTable(ctx, w.ident, schema, icecat.WithProperties(props), icecat.WithPartitionSpec(spec)); err != nil {
		w.t.Fatal(err)
	}
}

// load is the table as it is now.
func (w *world) load() *table.Table {
	w.t.Helper()
	tbl, err := w.c.Iceberg().LoadTable(context.Background(), w.ident)
	if err != nil {
		w.t.Fatal(err)
	}
	return tbl
}
