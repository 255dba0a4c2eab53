package maintenance_test

import (
	"bufio"
	"flag"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"github.com/apache/iceberg-go/table"

	"github.com/firndb/firn/catalog"
	"github.com/firndb/firn/internal/faultio"
)

// killedIn and killedAt make the test binary the process that is killed: it
// rewrites the table of the world in a folder and stops for good at a step.
var (
	killedIn = flag.String("killed-in", "", "the folder of a world to rewrite until killed")
	killedAt = flag.String("killed-at", "", "the step to stop at")
)

// killPoints are where processes are killed: with a data file written, another
// begun, manifests written, the commit not yet made, the commit made, and files
// of the expiry deleted.
func killPoints() []string {
	return []string{"closed 1", "create 2", "create 3", "commit 1", "committed 1", "committed 3", "removed 8"}
}

// TestKilledProcessIsSettled kills a process, with no chance to tidy up, while it
// rewrites and expires. The rows stay as they are; a day later what it left over
// is gone, too.
func TestKilledProcessIsSettled(t *testing.T) {
	if *killedIn != "" {
		runUntilKilled(t)
		return
	}
	for _, at := range killPoints() {
		t.Run(at, func(t *testing.T) {
			w := deletedFrom(t, "2")
			records := t.TempDir()
			others := maps.Clone(w.others)
			head := w.rows[w.load().CurrentSnapshot().SnapshotID]
			kill(t, w.dir, records, at)
			w.open(catalog.Hooks{})
			w.lost = true
			for _, s := range w.load().Metadata().Snapshots() {
				if w.rows[s.SnapshotID] == nil {
					w.rows[s.SnapshotID] = head
				}
			}
			w.checkAll()
			w.settled(records)
			if at == "committed 3" { // the expiry, which has not begun to delete
				w.removeAbandoned()
			}
			w.checkTidy(others)
		})
	}
}

// kill runs the test binary as a process that stops at a step, and kills it there.
func kill(t *testing.T, dir, records, at string) {
	t.Helper()
	child := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestKilledProcessIsSettled$", "-killed-in="+dir+":"+records, "-killed-at="+at)
	child.Stderr = os.Stderr
	out, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	stopped := lines.Scan() && lines.Text() == "stopped"
	if err := child.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	err = child.Wait()
	if status, ok := child.ProcessState.Sys().(syscall.WaitStatus); !stopped || !ok || status.Signal() != syscall.SIGKILL {
		t.Fatalf("the process did not come to %q: %q, %v", at, lines.Text(), err)
	}
}

// runUntilKilled is the process that is killed.
func runUntilKilled(t *testing.T) {
	dir, records, _ := strings.Cut(*killedIn, ":")
	kind, n, _ := strings.Cut(*killedAt, " ")
	var at int
	if _, err := fmt.Sscan(n, &at); err != nil {
		t.Fatal(err)
	}
	f := &faultio.Faults{At: at - 1, Ops: []faultio.Op{faultio.Op(kind)}, Failing: func() {
		fmt.Println("stopped")
		select {}
	}}
	w := &world{t: t, dir: dir, ident: table.Identifier{"ns", "t"}, version: 2, rows: map[int64][]string{}, others: map[string]bool{}}
	w.open(f.Hooks())
	w.env.Limits.Concurrency, w.env.Journal = 1, openJournal(records)
	if err := w.rewriteAll(); err != nil {
		t.Fatal(err)
	}
	if _, err := expireAllIn(w.env, w.ident); err != nil {
		t.Fatal(err)
	}
}
