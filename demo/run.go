package demo

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/firndb/firn/shell"
)

// Run runs the tutorial's statements on client, prints each with its result, and
// returns an error for the first that fails or whose result is not what the
// tutorial says.
func Run(ctx context.Context, client *shell.Client, out io.Writer) error {
	m := &notes{results: map[string]shell.Result{}}
	runner := shell.Runner{Client: client}
	for n, s := range tutorial(m) {
		if s.says != "" {
			fmt.Fprintf(out, "\n-- %s\n", s.says)
		}
		text := s.text()
		fmt.Fprintf(out, "firn> %s;\n", strings.ReplaceAll(text, "\n", "\n    > "))
		got, err := runner.Query(ctx, shell.Statement{Text: text, Line: n + 1})
		if err != nil {
			return fmt.Errorf("statement %d: %w", n+1, err)
		}
		if err := got.Print(out, shell.FormatTable); err != nil {
			return err
		}
		if s.check == nil {
			continue
		}
		if err := s.check(got); err != nil {
			return fmt.Errorf("statement %d: %w", n+1, err)
		}
	}
	return nil
}
