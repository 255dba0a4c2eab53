package server

import (
	"bytes"
	"log/slog"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// logBuffer is what a server has logged.
type logBuffer struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (b *logBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.Write(p)
}

// calls are the logged lines about calls, without what differs each time.
func (b *logBuffer) calls() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	var lines []string
	for line := range strings.Lines(b.buf.String()) {
		if strings.Contains(line, "call ") {
			line = regexp.MustCompile(`time=\S+ | connection=\d+`).ReplaceAllString(line, "")
			lines = append(lines, regexp.MustCompile(`duration=\S+`).ReplaceAllString(strings.TrimSpace(line), "duration=D"))
		}
	}
	b.buf.Reset()
	return lines
}

func TestCallsAreLogged(t *testing.T) {
	var log logBuffer
	c := serve(t, Config{procedure: newFakes().find, Log: slog.New(slog.NewTextHandler(&log, nil))})
	started := func(of string) string {
		return "level=INFO msg=\"call started\" " + of
	}
	ended := func(of, outcome string) string {
		return "level=INFO msg=\"call ended\" " + of + " duration=D outcome=" + outcome
	}
	const (
		echo   = `procedure=echo table=a.b user=anyone catalog=lake`
		format = `procedure=format table="" user=anyone catalog=lake`
		panics = `procedure=panic_execute table="" user=anyone catalog=lake`
		plan   = `procedure=echo table=a.b user=anyone explain=true catalog=lake`
		wrong  = `level=INFO msg="call refused" procedure=echo table=a.b user=anyone error="echo: bad argument: there is no argument`
	)
	for _, test := range []struct {
		query string
		want  []string
	}{
		{"CALL system.echo(yes => true, table => 'a.b')", []string{started(echo), ended(echo, `ok result.text="lake UTC a.b [] []" result.n=<nil> result.small=<nil> result.x=<nil> result.yes=true result.at=<nil>`)}},
		{"CALL system.format()", []string{started(format), ended(format, `failed error="format: this and that: unsupported"`)}},
		{"CALL system.panic_execute()", []string{started(panics), ended(panics, "panicked")}},
		{"EXPLAIN CALL system.echo('a.b')", []string{started(plan), ended(plan, "ok rows=2")}},
		{"CALL system.echo('a.b', nope => 1)", []string{wrong}},
		{"SELECT 1", nil},
	} {
		if _, err := queryRows(c.db, test.query); err != nil && test.want == nil {
			t.Errorf("%s: %v", test.query, err)
		}
		got := log.calls()
		if len(got) == 1 {
			got[0], _, _ = strings.Cut(got[0], ` \"nope`)
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s: (-want +got)\n%s", test.query, diff)
		}
	}
}
