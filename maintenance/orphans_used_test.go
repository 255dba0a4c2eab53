package maintenance

import (
	"errors"
	"testing"
)

// TestOrphansBySpelling is of field reports, 28 and 41: locations are compared
// as text, and a file that is referenced under another prefix is no orphan.
func TestOrphansBySpelling(t *testing.T) {
	used := func(o OrphanOptions, memory int64) *usedFiles {
		rules, err := newPathRules(o)
		if err != nil {
			t.Fatal(err)
		}
		u := newUsedFiles(rules, memory, newScratchSpace(Limits{ScratchDir: t.TempDir()}))
		t.Cleanup(u.close)
		if err := u.addLocations([]string{"s3a://b/x/y.parquet", "file:/p/q", "file:///p/g%3Dh/a", "hdfs://nn/x/z"}); err != nil {
			t.Fatal(err)
		}
		u.finish()
		if u.spilled() != (memory < 100) {
			t.Errorf("with %d bytes of memory: %d scratch files", memory, len(u.runs))
		}
		return u
	}
	for _, test := range []struct {
		options          OrphanOptions
		path             string
		orphan, conflict bool
	}{
		{OrphanOptions{}, "s3://b/x/y.parquet", false, false},
		{OrphanOptions{}, "s3n://b//x/y.parquet", false, false},
		{OrphanOptions{}, "s3://b/x/y", true, false},
		{OrphanOptions{}, `s3://b/x\y.parquet`, true, false},
		{OrphanOptions{}, "/p/q", false, false},
		{OrphanOptions{}, "file:///p/q", false, false},
		{OrphanOptions{}, "file:///p/g=h/a", false, false},
		{OrphanOptions{}, "/p/g%3Dh/a", false, false},
		{OrphanOptions{}, "file:///p/g%253Dh/a", true, false},
		{OrphanOptions{}, "gs://b/x/y.parquet", false, true},
		{OrphanOptions{}, "s3://c/x/y.parquet", false, true},
		{OrphanOptions{}, "hdfs:/x/z", false, true},
		{OrphanOptions{Mismatch: "IGNORE"}, "gs://b/x/y.parquet", false, false},
		{OrphanOptions{Mismatch: "delete"}, "gs://b/x/y.parquet", true, false},
		{OrphanOptions{EqualSchemes: map[string]string{"gs, gcs": "s3"}}, "gs://b/x/y.parquet", false, false},
		{OrphanOptions{EqualAuthorities: map[string]string{"c": "b"}}, "s3://c/x/y.parquet", false, false},
	} {
		for _, memory := range []int64{1 << 20, 2 * setFileBytes} {
			u := used(test.options, memory)
			free, err := u.orphans([]candidate{newCandidate(test.path, nil)})
			if err != nil {
				t.Fatal(err)
			}
			if conflict := u.conflict(); len(free) == 1 != test.orphan || errors.Is(conflict, ErrRefused) != test.conflict {
				t.Errorf("%+v %s: orphans %v, %v", test.options, test.path, free, conflict)
			}
		}
	}
}
