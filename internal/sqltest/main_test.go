package sqltest

import (
	"log"
	"os"
	"testing"

	"github.com/firndb/firn/maintenance/rewrite"
)

// TestMain has the tests write files as the program does.
func TestMain(m *testing.M) {
	if err := rewrite.RegisterCompression(); err != nil {
		log.Fatal(err)
	}
	os.Exit(m.Run())
}
