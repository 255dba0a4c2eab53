package procedures

import (
	"context"
	"time"

	"github.com/apache/iceberg-go/table"

	"github.com/firndb/firn/maintenance"
)

// Procedure is one call of a procedure: its parameters are fields that [Bind]
// sets through the declaration in Info.
type Procedure interface {
	// Info declares the procedure. It is the only declaration.
	Info() Info
	// Plan reads what it needs and says what Execute will do. It changes
	// nothing. Bind must have been called before.
	Plan(ctx context.Context, env Env) (Plan, error)
}

// Info declares a procedure.
type Info struct {
	Name string
	// Doc says in one sentence what the procedure does.
	Doc string
	// Notes are further paragraphs for the reference, in Markdown.
	Notes []string
	// Params are the parameters in positional order.
	Params []Param
	// Options are the keys of the parameter "options", if there is one.
	Options []Param
	Output  []Column
}

// Column is an output column.
type Column struct {
	Name     string
	Type     Type
	Nullable bool
	Doc      string
}

// Type is the SQL type of a parameter or column, in Spark's spelling.
type Type string

// The types that parameters and columns have.
const (
	TypeString      Type = "string"
	TypeInt         Type = "int"
	TypeLong        Type = "bigint"
	TypeDouble      Type = "double"
	TypeBoolean     Type = "boolean"
	TypeTimestamp   Type = "timestamp"
	TypeStringMap   Type = "map<string,string>"
	TypeLongArray   Type = "array<bigint>"
	TypeStringArray Type = "array<string>"
)

// Row is one row of a result, in the order of Info.Output. A cell is nil,
// string, int64, int32, float64, bool or time.Time.
type Row []any

// Plan is what a call will do. One that holds something until it is executed is
// an io.Closer, too.
type Plan interface {
	// Steps lists it, in order: what EXPLAIN CALL shows.
	Steps() []Step
	// Execute does it: writes files, commits, then deletes. A plan is executed
	// at most once.
	Execute(ctx context.Context) ([]Row, error)
}

// Step is one thing that a call will do, or for a file that it leaves alone,
// why. Counts and bytes equal what the call then does.
type Step struct {
	// Action is what is done: one of the Action constants.
	Action Action
	// Object is what it is done to: a group, a snapshot, a file.
	Object string
	// Partition is the partition that the object belongs to, as a path such as
	// "event_time_day=2026-01-09", empty if none.
	Partition string
	// FilesIn and BytesIn are read or removed, FilesOut and BytesOut written.
	// BytesOut is an estimate where only writing tells.
	FilesIn, FilesOut int64
	BytesIn, BytesOut int64
	// Reason says why, for a person.
	Reason string
}

// Action is the kind of a [Step].
type Action string

// What steps do. Skip names something looked at and left alone.
const (
	ActionRewrite Action = "rewrite"
	ActionExpire  Action = "expire"
	ActionCommit  Action = "commit"
	ActionDelete  Action = "delete"
	ActionTag     Action = "tag"
	ActionSkip    Action = "skip"
)

// Env is what a call takes from outside.
type Env struct {
	maintenance.Env
	// Zone is the session's time zone, for times written without one.
	Zone *time.Location
	// Namespace is the session's namespace within the catalog, empty if it is
	// in none.
	Namespace table.Identifier
	// Files finds the table or view of a name, as a query would, and returns what
	// hands over its columns file_path and last_modified; nil if nothing can. The
	// error is that of the query, or wraps ErrArgument for columns that are not so.
	Files func(ctx context.Context, view string) (maintenance.FileList, error)
}
