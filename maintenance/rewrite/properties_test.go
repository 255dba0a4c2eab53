package rewrite_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/apache/iceberg-go"
	"github.com/apache/iceberg-go/table"

	"github.com/firndb/firn/maintenance"
)

// A compression level that the codec does not have is refused by name before
// anything is written.
func TestCompressionLevels(t *testing.T) {
	const key = "write.parquet.compression-level"
	for _, tc := range []struct {
		codec, level, says string
	}{
		{"gzip", "9", ""},
		{"gzip", "0", ""},
		{"gzip", "-1", ""},
		{"gzip", "10", "must be 0 to 9"},
		{"gzip", "-2", "must be 0 to 9"},
		{"gzip", "best", "must be a whole number"},
		{"brotli", "11", ""},
		{"brotli", "12", "must be 0 to 11"},
		{"zstd", "99", ""},
		{"snappy", "99", ""},
		{"lz4_raw", "99", ""},
	} {
		t.Run(tc.codec+" "+tc.level, func(t *testing.T) {
			g := newGround(t, "2", nil, nil)
			g.append(1, 2)
			g.append(3)
			g.change(func(tx *table.Transaction) error {
				return tx.SetProperties(iceberg.Properties{"write.parquet.compression-codec": tc.codec, key: tc.level})
			})
			_, err := g.plan(all()).Execute(context.Background(), env(g.c))
			switch {
			case tc.says == "" && err != nil:
				t.Error(err)
			case tc.says != "" && (!errors.Is(err, maintenance.ErrInvalid) || !strings.Contains(err.Error(), key) || !strings.Contains(err.Error(), tc.says)):
				t.Errorf("error is %v", err)
			}
			g.wantIDs(1, 2, 3)
			g.wantNoStrays()
		})
	}
}
