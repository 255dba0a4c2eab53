package filter

import (
	"time"

	"github.com/apache/iceberg-go"

	"github.com/firndb/firn/dialect/predicate"
)

// Error classes. Every error of Parse wraps one of them.
var (
	// ErrSyntax: the text is wrong: it is no condition, names a column that
	// is not there, or has a value that the column cannot have.
	ErrSyntax = predicate.ErrSyntax
	// ErrUnsupported: the text may be right SQL, but cannot be used to choose
	// files; the message names the sub-expression and says what is allowed.
	ErrUnsupported = predicate.ErrUnsupported
)

// Options are what a condition's meaning depends on besides the schema.
type Options struct {
	// Now is the time of current_timestamp() and current_date().
	Now time.Time
	// Zone is the session's time zone, in which dates and timestamps without
	// a zone are meant; nil is UTC.
	Zone *time.Location
	// CaseSensitive makes column names match only as the schema spells them.
	CaseSensitive bool
	// Table is the table's name, in parts, by which columns may be qualified
	// (ns.t.column). Any number of leading parts may be left out in the text.
	Table []string
}

// Parse makes an expression of text. Its references are spelled as in the
// schema, and it binds to the schema without error.
func Parse(text string, schema *iceberg.Schema, opts Options) (iceberg.BooleanExpression, error) {
	if opts.Zone == nil {
		opts.Zone = time.UTC
	}
	tree, err := predicate.Parse(text, predicate.Env{Now: opts.Now, Zone: opts.Zone})
	if err != nil {
		return nil, err
	}
	t := &translator{schema: schema, opts: opts}
	return t.condition(tree, true)
}

type translator struct {
	schema *iceberg.Schema
	opts   Options
}

func (t *translator) env() predicate.Env {
	return predicate.Env{Now: t.opts.Now, Zone: t.opts.Zone}
}
