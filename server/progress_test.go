package server

import (
	"testing"

	"github.com/firndb/firn/maintenance"
)

func TestProgressText(t *testing.T) {
	for want, u := range map[string]maintenance.Update{
		"delete 3 of 9":                     {Phase: "delete", Done: 3, Total: 9},
		"rewrite 12 of 40, 3.1 of 9.8 GB":   {Phase: "rewrite", Done: 12, Total: 40, DoneBytes: 3_100_000_000, TotalBytes: 9_800_000_000},
		"rewrite 1 of 2, 400.0 of 999.0 B":  {Phase: "rewrite", Done: 1, Total: 2, DoneBytes: 400, TotalBytes: 999},
		"rewrite 2 of 2, 1.0 of 1.0 kB":     {Phase: "rewrite", Done: 2, Total: 2, DoneBytes: 1000, TotalBytes: 1000},
		"rewrite 0 of 2, 0.0 of 12345.0 TB": {Phase: "rewrite", Total: 2, TotalBytes: 12345e12},
	} {
		if got := progressText(u); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
