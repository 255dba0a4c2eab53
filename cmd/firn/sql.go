package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"

	"github.com/firndb/firn/shell"
)

func runSQL(ctx context.Context, args []string, w world) error {
	flags := flag.NewFlagSet("sql", flag.ContinueOnError)
	var s settings
	s.register(flags)
	host := flags.String("host", "", "`name` of the server; default: no server, in process")
	port := flags.Int("port", 3307, "the server's port")
	user := flags.String("user", "root", "user `name`; the password is taken from FIRN_PASSWORD")
	var text optional
	flags.Var(&text, "e", "the `statements` to run")
	file := flags.String("f", "", "a `file` of statements to run; default: standard input")
	format := flags.String("format", "table", "how to print results: table, csv, json or vertical")
	if err := parse(flags, args, w); err != nil {
		return err
	}
	script, err := readScript(text, *file, w.stdin)
	if err != nil {
		return err
	}
	chosen, err := shell.ParseFormat(*format)
	if err != nil {
		return err
	}
	run := func(client *shell.Client, _ int) error {
		runner := shell.Runner{Client: client, Out: w.stdout, Format: chosen}
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

// readScript returns the statements to run from the first source given.
func readScript(text optional, file string, stdin io.Reader) (string, error) {
	switch {
	case text.set && file != "":
		return "", errors.New("-e and -f exclude each other")
	case text.set:
		return text.value, nil
	case file != "":
		script, err := os.ReadFile(file)
		return string(script), err
	}
	script, err := io.ReadAll(stdin)
	if err != nil {
		return "", fmt.Errorf("read standard input: %w", err)
	}
	return string(script), nil
}

// optional is a flag that may be given as an empty string.
type optional struct {
	value string
	set   bool
}

func (o *optional) String() string { return o.value }

func (o *optional) Set(value string) error {
	o.value, o.set = value, true
	return nil
}
