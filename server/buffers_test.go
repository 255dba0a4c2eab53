package server

import (
	"testing"

	"github.com/dolthub/go-mysql-server/sql"
)

// Rows that are sent keep no memory until the statement ends, and none that
// another statement writes over while a cursor still sends them.
func TestResultsShareNoBuffer(t *testing.T) {
	serve(t, Config{})
	b := sql.ByteBufPool.Get().(*sql.ByteBuffer)
	defer sql.ByteBufPool.Put(b)
	for range 20 {
		b.Grow(1 << 20)
	}
	if n := cap(b.Get()); n != 0 {
		t.Errorf("the buffer has grown to %d bytes", n)
	}
}
