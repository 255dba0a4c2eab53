package rewrite

import (
	"log"
	"os"
	"testing"
)

// TestMain has the tests write files as the program does.
func TestMain(m *testing.M) {
	if err := RegisterCompression(); err != nil {
		log.Fatal(err)
	}
	os.Exit(m.Run())
}
