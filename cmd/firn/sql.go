package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/firndb/firn/shell"
)

func runSQL(ctx context.Context, args []string, w world) error {
	flags := flag.NewFlagSet("sql", flag.ContinueOnError)
	var s settings
	s.register(flags)
	host := flags.String("host", "", "`name` of the server; default: no server, in process")
	port := flags.Int("port", 3307, "the server's `port`")
	user := flags.String("user", "root", "user `name`; the password is taken from FIRN_PASSWORD")
	var text, file optional
	flags.Var(&text, "e", "the `statements` to run; may be given several times")
	flags.Var(&file, "f", "a `file` of statements to run; default: standard input")
	format := flags.String("format", "table", "how to print results: table, csv, json or vertical")
	if err := parse(flags, args, w); err != nil {
		return err
	}
	chosen, err := shell.ParseFormat(*format)
	if err != nil {
		return misuse(w, "sql", "%v", err)
	}
	if text.set && file.set {
		return misuse(w, "sql", "-e and -f exclude each other")
	}
	if given := firstSet(flags, "port", "user"); *host == "" && given != "" {
		return misuse(w, "sql", "-%s says how to reach a server; name it with -host", given)
	}
	if given := firstSet(flags, "config", "data-dir"); *host != "" && given != "" {
		return misuse(w, "sql", "-%s is for running in process; leave it or -host out", given)
	}
	script, err := readScript(ctx, text, file, w)
	if err != nil {
		return err
	}
	run := func(client *shell.Client, _ int) error {
		runner := shell.Runner{Client: client, Out: w.stdout, Format: chosen, Warn: w.stderr}
		if w.terminal {
			runner.Watch = shell.Progress(ctx, client, w.stderr)
		}
		return runner.Script(ctx, shell.Split(script))
	}
	if *host == "" {
		c, err := s.load(w)
		if err != nil {
			return err
		}
		return local(ctx, c, w, run)
	}
	password, _ := w.getenv("FIRN_PASSWORD")
	client, err := shell.Dial(ctx, shell.Address{Host: *host, Port: *port, User: *user, Password: password})
	if err != nil {
		return err
	}
	defer client.Close()
	return run(client, *port)
}

// firstSet returns the first of the flags that the command line has; "" if it
// has none of them.
func firstSet(flags *flag.FlagSet, names ...string) string {
	given := map[string]bool{}
	flags.Visit(func(f *flag.Flag) { given[f.Name] = true })
	for _, name := range names {
		if given[name] {
			return name
		}
	}
	return ""
}

// readScript returns the statements to run: those of -e, of the file of -f or
// of standard input.
func readScript(ctx context.Context, text, file optional, w world) (string, error) {
	switch {
	case text.set:
		return strings.Join(text.values, "\n;"), nil
	case file.set:
		script, err := os.ReadFile(file.values[len(file.values)-1])
		return string(script), err
	}
	if w.typed {
		fmt.Fprintln(w.stderr, "Type statements, each ended by a semicolon; Ctrl-D runs them, Ctrl-C leaves.")
	}
	return readAll(ctx, w.stdin)
}

// readAll reads r to its end, or until ctx is done: a terminal may never end.
func readAll(ctx context.Context, r io.Reader) (string, error) {
	type read struct {
		text []byte
		err  error
	}
	done := make(chan read, 1)
	go func() {
		text, err := io.ReadAll(r)
		done <- read{text, err}
	}()
	select {
	case <-ctx.Done():
		return "", context.Cause(ctx)
	case got := <-done:
		if got.err != nil {
			return "", fmt.Errorf("read standard input: %w", got.err)
		}
		return string(got.text), nil
	}
}

// optional is a flag that may be given as an empty string, and several times.
type optional struct {
	values []string
	set    bool
}

func (o *optional) String() string { return strings.Join(o.values, " ") }

func (o *optional) Set(value string) error {
	o.values, o.set = append(o.values, value), true
	return nil
}
