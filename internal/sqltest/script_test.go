package sqltest

import (
	"path/filepath"
	"testing"

	"github.com/cockroachdb/datadriven"

	"github.com/firndb/firn/internal/lakefixture"
)

func TestScripts(t *testing.T) {
	for _, folder := range []string{"wire", "queries", "metatables", "procedures"} {
		t.Run(folder, func(t *testing.T) {
			datadriven.Walk(t, filepath.Join(lakefixture.Testdata(t), folder), RunScript)
		})
	}
}
