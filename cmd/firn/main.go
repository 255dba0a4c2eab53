package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"
	_ "time/tzdata" // SET time_zone works where the system has no zones
)

// version is set by the linker.
var version = "devel"

// world is what a command sees of its surroundings.
type world struct {
	stdin          io.Reader
	stdout, stderr io.Writer
	getenv         func(string) (string, bool)
	// terminal says whether stderr is one, where a progress line can be shown.
	terminal bool
	// typed says whether stdin is a terminal, at which somebody waits.
	typed bool
}

// errUsage says that the command line was wrong and has been complained about.
var errUsage = errors.New("wrong usage")

// misuse complains about a command line.
func misuse(w world, command, format string, args ...any) error {
	fmt.Fprintf(w.stderr, "firn %s: %s\n", command, fmt.Sprintf(format, args...))
	return errUsage
}

const usage = `usage: firn <command> [flags]

  serve    run the server
  sql      run statements, on a server or in process
  demo     run the tutorial on a lake of its own
  version  print the version

firn <command> -h lists the flags of a command.
`

// memoryTarget is what the collector works to keep the process below: the
// ceiling of a job's buffers. GOMEMLIMIT goes first.
const memoryTarget = 1 << 30

func main() {
	if _, set := os.LookupEnv("GOMEMLIMIT"); !set {
		debug.SetMemoryLimit(memoryTarget)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	// The first signal asks to end; a second one is not caught and ends.
	context.AfterFunc(ctx, stop)
	os.Exit(run(ctx, os.Args[1:], world{
		stdin: os.Stdin, stdout: os.Stdout, stderr: os.Stderr, getenv: os.LookupEnv,
		terminal: isTerminal(os.Stderr), typed: isTerminal(os.Stdin),
	}))
}

// isTerminal takes any character device but the null device for a terminal.
func isTerminal(f *os.File) bool {
	stat, err := f.Stat()
	if err != nil || stat.Mode()&os.ModeCharDevice == 0 {
		return false
	}
	null, err := os.Stat(os.DevNull)
	return err != nil || !os.SameFile(stat, null)
}

// run is the program without its process: it returns the exit code, 2 for a
// wrong command line and 1 for any other error.
func run(ctx context.Context, args []string, w world) int {
	if len(args) == 0 {
		fmt.Fprint(w.stderr, usage)
		return 2
	}
	var err error
	switch args[0] {
	case "serve":
		err = serve(ctx, args[1:], w)
	case "sql":
		err = runSQL(ctx, args[1:], w)
	case "demo":
		err = runDemo(ctx, args[1:], w)
	case "version", "-version", "--version":
		fmt.Fprintln(w.stdout, "firn", version)
	case "help", "-h", "--help":
		fmt.Fprint(w.stdout, usage)
	default:
		fmt.Fprintf(w.stderr, "firn: unknown command %q\n\n%s", args[0], usage)
		return 2
	}
	switch {
	case err == nil, errors.Is(err, flag.ErrHelp):
		return 0
	case errors.Is(err, errUsage):
		return 2
	}
	fmt.Fprintln(w.stderr, "firn:", err)
	return 1
}

// parse reads the flags of a command, which takes no other arguments.
func parse(flags *flag.FlagSet, args []string, w world) error {
	flags.SetOutput(w.stderr)
	if err := flags.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return err
		}
		return errUsage
	}
	if flags.NArg() > 0 {
		return misuse(w, flags.Name(), "unexpected argument %q", flags.Arg(0))
	}
	return nil
}
