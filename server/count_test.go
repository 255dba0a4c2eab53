package server

import (
	"testing"

	"github.com/apache/iceberg-go"
)

// TestCountOfSomeFiles: files that are left out are not counted by a shortcut.
func TestCountOfSomeFiles(t *testing.T) {
	r := &relation{keep: func(iceberg.DataFile) bool { return false }}
	if n, ok, err := r.count(t.Context(), &loaded{}); ok || err != nil {
		t.Errorf("got %d, %t, %v, want no count", n, ok, err)
	}
}
