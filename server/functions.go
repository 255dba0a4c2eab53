package server

import (
	"github.com/dolthub/go-mysql-server/sql"
)

// lookupFunction returns Firn's function of that name, in any case.
func lookupFunction(ctx *sql.Context, name string) (sql.Function, bool) {
	return nil, false
}
