package shell

import (
	"context"
	"fmt"
	"io"
)

// Runner runs statements on one connection.
type Runner struct {
	Client *Client
	Out    io.Writer
	Format Format
	// Warn, if set, gets the warnings of statements, one a line.
	Warn io.Writer
	// Watch, if set, is called when a statement begins; what it returns is
	// called when the statement ends.
	Watch func(Statement) (done func())
}

// ScriptError is the error of one statement of a script.
type ScriptError struct {
	Statement Statement
	Err       error
}

// Error names the line of the script.
func (e *ScriptError) Error() string {
	return fmt.Sprintf("line %d: %v", e.Statement.Line, e.Err)
}

// Unwrap returns the statement's own error.
func (e *ScriptError) Unwrap() error { return e.Err }

// Script runs the statements in order and prints each result. It stops at the
// first error, which is a *ScriptError.
func (r *Runner) Script(ctx context.Context, statements []Statement) error {
	for _, s := range statements {
		result, err := r.Query(ctx, s)
		if err == nil {
			err = result.Print(r.Out, r.Format)
		}
		if err == nil && r.Warn != nil {
			for _, text := range result.Warnings {
				fmt.Fprintf(r.Warn, "line %d: warning: %s\n", s.Line, text)
			}
		}
		if err != nil {
			return &ScriptError{Statement: s, Err: err}
		}
	}
	return nil
}

// Query runs one statement and takes all its rows.
func (r *Runner) Query(ctx context.Context, s Statement) (Result, error) {
	if r.Watch != nil {
		defer r.Watch(s)()
	}
	return r.Client.Query(ctx, s.Text)
}
