package procedures_test

import (
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/firndb/firn/catalog"
	"github.com/firndb/firn/internal/lakefixture"
	"github.com/firndb/firn/maintenance"
)

// TestExtremeArguments makes calls with the largest and smallest values that
// arguments and options can have. None panics, none harms the table, and what is
// refused is refused by name.
func TestExtremeArguments(t *testing.T) {
	lake := lakefixture.Open(t, catalog.Hooks{})
	env := lakeEnv(lake)
	env.Now = time.Now // what one expiry commits has the time of the machine
	long, over := "9223372036854775807", "9223372036854775808"
	for _, tc := range []struct {
		options map[string]string
		says    string
	}{
		{map[string]string{"target-file-size-bytes": long}, "max-file-size-bytes"},
		{map[string]string{"target-file-size-bytes": over}, "target-file-size-bytes"},
		{map[string]string{"max-file-size-bytes": long, "target-file-size-bytes": "9223372036854775806"}, ""},
		{map[string]string{"max-file-group-size-bytes": long, "max-file-group-input-files": long}, ""},
		{map[string]string{"min-input-files": "2147483647"}, ""},
		{map[string]string{"min-input-files": "2147483648"}, "min-input-files"},
		{map[string]string{"max-files-to-rewrite": "2147483647", "max-concurrent-file-group-rewrites": "2147483647"}, ""},
		{map[string]string{"partial-progress.enabled": "true", "partial-progress.max-commits": "2147483647", "partial-progress.max-failed-commits": "-1"}, ""},
		{map[string]string{"delete-ratio-threshold": "NaN"}, "delete-ratio-threshold"},
		{map[string]string{"delete-ratio-threshold": "1e400"}, "delete-ratio-threshold"},
		{map[string]string{"output-spec-id": "-1"}, "output-spec-id"},
		{map[string]string{"min-file-size-bytes": "-1"}, "min-file-size-bytes"},
	} {
		_, _, err := rewriteFiles(t, lake, arg("table", events), arg("options", tc.options))
		switch {
		case tc.says == "" && err != nil:
			t.Errorf("%v: %v", tc.options, err)
		case tc.says != "" && (!errors.Is(err, maintenance.ErrInvalid) || !strings.Contains(err.Error(), tc.says)):
			t.Errorf("%v: got %v, want a refusal that names %q", tc.options, err, tc.says)
		}
	}
	for _, at := range []time.Time{{}, time.Unix(math.MinInt32, 0), time.Date(9999, 12, 31, 23, 59, 59, 0, time.UTC)} {
		for _, last := range []int64{1, math.MaxInt32} {
			if _, _, err := call(t.Context(), env, "expire_snapshots", arg("table", events), arg("older_than", at), arg("retain_last", last)); err != nil {
				t.Errorf("older_than %v, retain_last %d: %v", at, last, err)
			}
		}
	}
	lake.Check(t, strings.Split(events, ".")...)
}
