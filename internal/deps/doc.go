// Package deps holds modules in go.mod until the packages that need them exist.
package deps

import (
	_ "github.com/apache/arrow-go/v18/arrow"
	_ "github.com/cockroachdb/datadriven"
	_ "github.com/dolthub/go-mysql-server/server"
	_ "github.com/dolthub/vitess/go/vt/sqlparser"
	_ "github.com/go-sql-driver/mysql"
	_ "github.com/goccy/go-yaml"
	_ "github.com/google/go-cmp/cmp"
	_ "github.com/google/uuid"
	_ "github.com/johannesboyne/gofakes3"
	_ "github.com/johannesboyne/gofakes3/backend/s3mem"
	_ "github.com/xwb1989/sqlparser"
	_ "golang.org/x/sync/errgroup"
	_ "golang.org/x/term"
	_ "gopkg.in/src-d/go-errors.v1"
)
