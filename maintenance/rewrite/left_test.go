package rewrite_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/apache/iceberg-go"
	iceio "github.com/apache/iceberg-go/io"
	"github.com/apache/iceberg-go/table"

	"github.com/firndb/firn/catalog"
	"github.com/firndb/firn/maintenance"
	"github.com/firndb/firn/maintenance/journal"
	"github.com/firndb/firn/maintenance/rewrite"
)

// stubborn is a file system that removes no data file. If it is to spoil, the first
// page that is read is damaged on the way, once.
type stubborn struct {
	iceio.LocalFS
	mu      sync.Mutex
	spoil   bool
	refused []string
}

func (s *stubborn) Remove(name string) error {
	if !strings.HasSuffix(name, ".parquet") {
		return s.LocalFS.Remove(name)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.refused = append(s.refused, name)
	return errors.New("it stays")
}

func (s *stubborn) Open(name string) (iceio.File, error) {
	f, err := s.LocalFS.Open(name)
	if err != nil || !strings.HasSuffix(name, ".parquet") {
		return f, err
	}
	return &spoiled{f, s}, nil
}

type spoiled struct {
	iceio.File
	by *stubborn
}

// pageAt is where the first page of a file begins.
const pageAt = 4

func (f *spoiled) Read(p []byte) (int, error) {
	n, err := f.File.Read(p)
	f.by.mu.Lock()
	defer f.by.mu.Unlock()
	if f.by.spoil && n > pageAt+8 {
		f.by.spoil = false
		copy(p[pageAt:], "\xff\xff\xff\xff\xff\xff\xff\xff")
	}
	return n, err
}

// TestFilesThatCannotBeRemovedAreSettled lets the removal fail of a file that was
// written and is not needed: one with a page that was not what its footer says, and
// small ones that were put together again. The rewrite succeeds, the journal says
// that files are left over, and a day later those are gone that the table does not
// have.
func TestFilesThatCannotBeRemovedAreSettled(t *testing.T) {
	for name, options := range map[string]map[string]string{
		"damaged page":   all(),
		"together again": {rewrite.OptionTargetFileSize: "30000"},
	} {
		t.Run(name, func(t *testing.T) {
			g := newGround(t, "2", nil, iceberg.Properties{"write.parquet.row-group-limit": "100", "write.parquet.compression-codec": "uncompressed"})
			for i := range 6 {
				ids := count(1000)
				for j := range ids {
					ids[j] += int64(1000 * i)
				}
				g.append(ids...)
			}
			g.change(func(tx *table.Transaction) error {
				return tx.SetProperties(iceberg.Properties{"write.parquet.compression-codec": "zstd"})
			})
			store := &stubborn{spoil: name == "damaged page"}
			g.files = store
			records := filepath.Join(g.dir, "journal")
			var log bytes.Buffer
			e := env(g.c)
			e.Log = slog.New(slog.NewTextHandler(&log, nil))
			e.Journal = journal.Open(records, time.Now, e.Log)
			defer e.Journal.Close()
			if _, err := g.plan(options).Execute(t.Context(), e); err != nil {
				t.Fatal(err)
			}
			g.files = nil
			g.wantIDs(count(6000)...)
			left := g.strays()
			if name == "damaged page" { // what is decoded instead has the name of the file
				left = append(left, store.refused...)
			}
			if len(left) == 0 || len(left) != len(store.refused) || !strings.Contains(log.String(), "it stays") {
				t.Errorf("%q are left over, removals of %q failed, and the log says\n%s", left, store.refused, log.String())
			}
			if entries := e.Journal.Entries(); len(entries) != 1 || entries[0].State != journal.Leftover {
				t.Errorf("the journal has %+v", entries)
			}
			e.Now = func() time.Time { return time.Now().Add(25 * time.Hour) }
			maintenance.Settle(t.Context(), e, alone{g.c})
			g.wantNoStrays()
			g.wantIDs(count(6000)...)
			if entries := e.Journal.Entries(); len(entries) != 1 || entries[0].State != journal.Settled {
				t.Errorf("the journal has %+v", entries)
			}
		})
	}
}

// alone is a set of one catalog.
type alone struct{ c *catalog.Catalog }

func (a alone) Get(context.Context, string) (*catalog.Catalog, error) { return a.c, nil }
