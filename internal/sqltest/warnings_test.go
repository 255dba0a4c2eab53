package sqltest

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/firndb/firn/catalog"
	"github.com/firndb/firn/internal/faultio"
	"github.com/firndb/firn/internal/lakefixture"
)

// stickyLake is the lake on a store that can refuse to
// delete, ten days after its files were written.
func stickyLake(t *testing.T) (*Session, *faultio.S3) {
	t.Helper()
	store := faultio.NewS3(t, lakefixture.Bucket)
	root := filepath.Join(lakefixture.Testdata(t), "lake")
	err := filepath.WalkDir(filepath.Join(root, "wh"), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		content, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		key, err := filepath.Rel(root, path)
		if err == nil {
			_, err = store.PutObject(lakefixture.Bucket, filepath.ToSlash(key), map[string]string{}, bytes.NewReader(content), int64(len(content)), nil)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	props := store.Properties()
	props["type"], props["warehouse"] = "sql", "s3://"+lakefixture.Bucket+"/wh"
	props["uri"] = lakefixture.Open(t, catalog.Hooks{}).Config.Properties["uri"]
	set, err := catalog.NewSet([]catalog.Config{{Name: lakefixture.Name, Properties: props}}, lakefixture.Name, catalog.Hooks{})
	if err != nil {
		t.Fatal(err)
	}
	return ServeAt(t, &lakefixture.Lake{Set: set}, func() time.Time { return time.Now().Add(10 * 24 * time.Hour) }), store
}

// answer is what a statement gives, as text.
func (s *Session) answer(t *testing.T, statement string) string {
	t.Helper()
	got, err := s.Query(t.Context(), statement, false)
	if err != nil {
		t.Fatalf("%s: %v", statement, err)
	}
	return format{headless: true}.text(got)
}

// TestWarningsOfFailedDeletions has a store that refuses to delete some objects: the
// calls count what is gone, SHOW WARNINGS says what is not, and the next call, when
// the store allows it, deletes the rest.
func TestWarningsOfFailedDeletions(t *testing.T) {
	s, store := stickyLake(t)
	keys := func(part string) (found []string) {
		for _, key := range store.Keys(t, lakefixture.Bucket) {
			if strings.Contains(key, part) {
				found = append(found, key)
			}
		}
		return found
	}
	stray := keys("ops/orphans/data/stray.txt")[0]
	store.Stick(stray)
	files := strings.Count(s.answer(t, "CALL lake.system.remove_orphan_files('ops.orphans')"), "s3://")
	warnings := s.answer(t, "SHOW WARNINGS")
	if files != 7 || !strings.Contains(warnings, "1 files could not be deleted: orphan files, which the next call finds again") ||
		!strings.Contains(warnings, "not deleted: s3://lake/"+stray+": ") || !strings.Contains(warnings, "AccessDenied") {
		t.Errorf("%d orphans were found, with the warnings\n%s", files, warnings)
	}
	if got := s.answer(t, "SELECT 1"); got != "1" || s.answer(t, "SHOW WARNINGS") != "" {
		t.Errorf("after the next statement: %s, with the warnings\n%s", got, s.answer(t, "SHOW WARNINGS"))
	}

	lists := keys("ops/chain/metadata/snap-")
	store.Stick(lists...)
	counts := strings.Split(s.answer(t, "CALL lake.system.expire_snapshots('ops.chain', TIMESTAMP '2100-01-01 00:00:00')"), "\t")
	warnings = s.answer(t, "SHOW WARNINGS")
	if len(counts) != 6 || counts[4] != "0" || counts[3] == "0" || strings.Count(warnings, "\n") != len(lists)-1 ||
		!strings.Contains(warnings, "14 files could not be deleted: those of expired snapshots, which nothing refers to; remove_orphan_files finds them") {
		t.Errorf("got %v, with the warnings\n%s", counts, warnings)
	}

	store.Free()
	if left := s.answer(t, "CALL lake.system.remove_orphan_files('ops.chain')"); strings.Count(left, "snap-") != len(lists)-1 || s.answer(t, "SHOW WARNINGS") != "" {
		t.Errorf("the next call found\n%s", left)
	}
	if left := s.answer(t, "CALL lake.system.remove_orphan_files('ops.orphans')"); left != "s3://lake/"+stray {
		t.Errorf("the next call found\n%s", left)
	}
}
