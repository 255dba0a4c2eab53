package server

import (
	"github.com/dolthub/go-mysql-server/sql"
)

// newParser is the parser of statements.
func newParser(names *provider, cfg Config) sql.Parser {
	return sql.NewMysqlParser()
}
