package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/firndb/firn/shell"
)

// output collects what a command prints while it runs.
type output struct {
	mu sync.Mutex
	b  bytes.Buffer
	// line, if set, gets what is printed, one write at a time.
	line chan string
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	select {
	case o.line <- string(p):
	default:
	}
	return o.b.Write(p)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.b.String()
}

// firn runs the program and returns its exit code and what it printed.
func firn(t *testing.T, stdin string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, errs output
	code = run(t.Context(), args, world{
		stdin: strings.NewReader(stdin), stdout: &out, stderr: &errs,
		getenv: func(string) (string, bool) { return "", false },
	})
	return code, out.String(), errs.String()
}

func TestCommandLine(t *testing.T) {
	for _, tc := range []struct {
		args           string
		code           int
		stdout, stderr string
	}{
		{"", 2, "", "usage: firn"},
		{"help", 0, "usage: firn", ""},
		{"version", 0, "firn devel", ""},
		{"--version", 0, "firn devel", ""},
		{"srve", 2, "", `unknown command "srve"`},
		{"serve -h", 0, "", "-listen"},
		{"serve -nope", 2, "", "-nope"},
		{"serve now", 2, "", `unexpected argument "now"`},
		{"serve -listen 0.0.0.0:0", 1, "", "is not loopback"},
		{"serve -config /nonexistent/firn.yaml", 1, "", "/nonexistent/firn.yaml"},
		{"serve -listen 127.0.0.1:0 -cpuprofile /nonexistent/cpu.prof", 1, "", "/nonexistent/cpu.prof"},
		{"sql -format xml -e x", 2, "", `firn sql: unknown format "xml"`},
		{"sql -e x -f y", 2, "", "-e and -f exclude each other"},
		{"sql -port 3306 -e x", 2, "", "-port says how to reach a server; name it with -host"},
		{"sql -host localhost -data-dir x -e x", 2, "", "-data-dir is for running in process"},
		{"sql -f=", 1, "", "no such file"},
	} {
		t.Run(tc.args, func(t *testing.T) {
			code, stdout, stderr := firn(t, "", strings.Fields(tc.args)...)
			if code != tc.code || !strings.Contains(stdout, tc.stdout) || !strings.Contains(stderr, tc.stderr) {
				t.Errorf("exit code %d\n%s%s", code, stdout, stderr)
			}
		})
	}
}

func TestScriptStopsAtTheFirstError(t *testing.T) {
	dir := t.TempDir()
	script := filepath.Join(dir, "script.sql")
	text := "-- first;\nSELECT 'a;b' AS x;\n\n/* two\nlines */ SELECT 2 AS y,\n 3 AS z; SELECT * FROM nope.nope;\nSELECT 4 AS w;\n"
	if err := os.WriteFile(script, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	code, stdout, stderr := firn(t, "", "sql", "-data-dir", dir, "-f", script, "-format", "csv")
	if code != 1 {
		t.Errorf("exit code %d", code)
	}
	if want := "x\na;b\ny,z\n2,3\n"; stdout != want {
		t.Errorf("printed %q, want %q", stdout, want)
	}
	if !strings.HasPrefix(stderr, "firn: line 6: ERROR 1") {
		t.Errorf("error %q", stderr)
	}
}

func TestStatementsFromStandardInput(t *testing.T) {
	code, stdout, stderr := firn(t, "SELECT 1 AS n, NULL AS nothing", "sql", "-data-dir", t.TempDir(), "-format", "json")
	if want := "[\n  {\"n\": 1, \"nothing\": null}\n]\n"; code != 0 || stdout != want {
		t.Errorf("exit code %d, printed %q\n%s", code, stdout, stderr)
	}
}

func TestDataDirBesideCatalogs(t *testing.T) {
	file := filepath.Join(t.TempDir(), "firn.yaml")
	if err := os.WriteFile(file, []byte("catalogs:\n  a:\n    uri: http://127.0.0.1:1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	code, _, stderr := firn(t, "", "sql", "-config", file, "-data-dir", t.TempDir(), "-e", "SELECT 1")
	if code != 1 || !strings.HasPrefix(stderr, "firn: -data-dir is for the embedded lake") {
		t.Errorf("exit code %d\n%s", code, stderr)
	}
}

func TestWarningsAreShown(t *testing.T) {
	file := filepath.Join(t.TempDir(), "firn.yaml")
	if err := os.WriteFile(file, []byte("catalogs:\n  down:\n    uri: http://127.0.0.1:1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	code, stdout, stderr := firn(t, "", "sql", "-config", file, "-format", "csv", "-e", "SHOW DATABASES")
	if code != 0 || stdout != "Database\ninformation_schema\n" || !strings.HasPrefix(stderr, `line 1: warning: open catalog "down"`) {
		t.Errorf("exit code %d, printed %q\n%s", code, stdout, stderr)
	}
}

func TestSeveralTexts(t *testing.T) {
	code, stdout, stderr := firn(t, "", "sql", "-data-dir", t.TempDir(), "-format", "csv", "-e", "SET @a = 1 -- one", "-e", "SELECT @a;", "-e", "nope")
	if code != 1 || stdout != "@a\n1\n" || !strings.HasPrefix(stderr, "firn: line 3: ERROR 1064") {
		t.Errorf("exit code %d, printed %q\n%s", code, stdout, stderr)
	}
}

// A terminal does not end when the person at it wants to leave.
func TestInterruptWhileReading(t *testing.T) {
	ctx, stop := context.WithCancelCause(t.Context())
	open, typed := io.Pipe()
	defer typed.Close()
	errs := output{line: make(chan string, 1)}
	ended := make(chan int, 1)
	go func() {
		ended <- run(ctx, []string{"sql"}, world{stdin: open, stdout: &errs, stderr: &errs, typed: true})
	}()
	if line := <-errs.line; !strings.Contains(line, "Ctrl-D runs them") {
		t.Errorf("asked with %q", line)
	}
	stop(errors.New("interrupt"))
	if code := <-ended; code != 1 || !strings.HasSuffix(errs.String(), "firn: interrupt\n") {
		t.Errorf("exit code %d\n%s", code, errs.String())
	}
}

func TestServeDrains(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	errs := output{line: make(chan string, 16)}
	ended := make(chan int, 1)
	profile := filepath.Join(t.TempDir(), "cpu.prof")
	go func() {
		ended <- run(ctx, []string{"serve", "-listen", "127.0.0.1:0", "-data-dir", t.TempDir(), "-cpuprofile", profile}, world{
			stdout: &errs, stderr: &errs, getenv: func(string) (string, bool) { return "", false },
		})
	}()
	var port int
	line := <-errs.line
	if _, err := fmt.Sscanf(line, "firn devel listens on 127.0.0.1:%d", &port); err != nil {
		t.Fatalf("%q: %v", line, err)
	}
	client, err := shell.Dial(ctx, shell.Address{Host: "127.0.0.1", Port: port, User: "root"})
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	if _, err := client.Query(ctx, "SELECT 1"); err != nil {
		t.Fatal(err)
	}
	stop()
	if code := <-ended; code != 0 || !strings.Contains(errs.String(), "firn stops: ") {
		t.Errorf("exit code %d\n%s", code, errs.String())
	}
	if _, err := shell.Dial(t.Context(), shell.Address{Host: "127.0.0.1", Port: port, User: "root"}); err == nil {
		t.Error("a stopped server accepts connections")
	}
	if written, err := os.Stat(profile); err != nil || written.Size() == 0 {
		t.Errorf("no profile: %v", err)
	}
}

func TestDemoTwiceInOneFolder(t *testing.T) {
	dir := t.TempDir()
	for range 2 {
		code, stdout, stderr := firn(t, "", "demo", "-data-dir", dir)
		if code != 0 || !strings.HasSuffix(stdout, "Everything the tutorial says holds.\n") {
			t.Fatalf("exit code %d\n%s%s", code, stdout, stderr)
		}
	}
}
