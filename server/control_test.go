package server

import (
	"context"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/firndb/firn/procedures"
)

func TestPanicEndsItsStatementOnly(t *testing.T) {
	c := serve(t, Config{procedure: newFakes().find})
	conn, err := c.db.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	for _, query := range []string{"CALL system.panic_find()", "CALL system.panic_plan()", "CALL system.panic_execute()"} {
		_, err := queryRows(conn, query)
		if num, state := errno(t, err); num != codePanic || state != "HY000" || !strings.Contains(err.Error(), "went wrong") {
			t.Errorf("%s: got %v", query, err)
		}
		got, err := queryRows(conn, "SELECT 1")
		if err != nil || len(got) != 1 {
			t.Fatalf("after %s, the connection is lost: %v", query, err)
		}
	}
}

func TestKillQuery(t *testing.T) {
	fake := newFakes()
	c := serve(t, Config{procedure: fake.find})
	conn, err := c.db.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	id, err := queryRows(conn, "SELECT CONNECTION_ID()")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan error)
	go func() {
		_, err := queryRows(conn, "CALL system.wait()")
		done <- err
	}()
	<-fake.started
	state, err := queryRows(c.db, "SELECT user, state FROM information_schema.processlist WHERE id = "+id[0])
	if err != nil || len(state) != 1 || state[0] != "anyone | wait 1 of 4" {
		t.Errorf("the process list shows %q, %v", state, err)
	}
	if _, err := c.db.ExecContext(t.Context(), "KILL QUERY "+id[0]); err != nil {
		t.Fatal(err)
	}
	err = <-done
	if num, state := errno(t, err); num != 1317 || state != "70100" {
		t.Errorf("a killed call returned %v", err)
	}
	if _, err := queryRows(conn, "SELECT 1"); err != nil {
		t.Errorf("after KILL QUERY the connection is lost: %v", err)
	}
}

func TestStopCancelsAfterGrace(t *testing.T) {
	fake := newFakes()
	c := serve(t, Config{procedure: fake.find, Grace: time.Millisecond})
	done := make(chan error)
	go func() {
		_, err := queryRows(c.db, "CALL system.wait()")
		done <- err
	}()
	<-fake.started
	if err := c.stop(); err != nil {
		t.Fatal(err)
	}
	if num, _ := errno(t, <-done); num != 1317 {
		t.Errorf("the running call ended with number %d, want 1317", num)
	}
	if err := c.db.PingContext(t.Context()); err == nil {
		t.Error("a stopped server still answers")
	}
}

func TestStopLetsStatementsFinish(t *testing.T) {
	started, release := make(chan struct{}), make(chan struct{})
	slow := &ending{name: "slow", end: func(ctx context.Context) error {
		close(started)
		<-release
		return ctx.Err()
	}}
	find := func(string) (procedures.Procedure, error) { return slow, nil }
	c := serve(t, Config{Grace: time.Minute, procedure: find})
	idle, err := c.db.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer idle.Close()
	done := make(chan error)
	go func() {
		_, err := queryRows(c.db, "CALL system.slow()")
		done <- err
	}()
	<-started
	stopped := make(chan error)
	go func() { stopped <- c.stop() }()
	// The idle connection ends at once, the other one only with its statement.
	for idle.PingContext(t.Context()) == nil {
		runtime.Gosched()
	}
	select {
	case err := <-stopped:
		t.Fatalf("the server stopped while a statement was running: %v", err)
	default:
	}
	close(release)
	if err := <-done; err != nil {
		t.Errorf("the running call ended with %v", err)
	}
	if err := <-stopped; err != nil {
		t.Errorf("stop: %v", err)
	}
}
