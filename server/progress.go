package server

import (
	"fmt"
	"sync"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/firndb/firn/maintenance"
)

// progressOf returns what shows a job's progress in the State of the process
// list, for example "rewrite 12 of 40, 3.1 of 9.8 GB". The engine's list holds
// counters by name only, so that the text is the name.
func progressOf(ctx *sql.Context) maintenance.Progress {
	var mu sync.Mutex
	shown := ""
	return func(u maintenance.Update) {
		mu.Lock()
		defer mu.Unlock()
		if shown != "" {
			ctx.ProcessList.RemoveTableProgress(ctx.Pid(), shown)
		}
		shown = progressText(u)
		ctx.ProcessList.AddTableProgress(ctx.Pid(), shown, int64(u.Total))
		ctx.ProcessList.UpdateTableProgress(ctx.Pid(), shown, int64(u.Done))
	}
}

// warningsOf returns what adds to the statement's warnings (SHOW WARNINGS).
func warningsOf(ctx *sql.Context) func(message string) {
	return func(message string) {
		ctx.Session.Warn(&sql.Warning{Level: "Warning", Code: codeWarning, Message: message})
	}
}

// commitText says that a snapshot is being committed; an expiry adds none.
func commitText(snapshot int64) string {
	if snapshot == 0 {
		return "commit of a new version"
	}
	return fmt.Sprintf("commit of snapshot %d", snapshot)
}

func progressText(u maintenance.Update) string {
	if u.Phase == maintenance.PhaseCommit {
		return commitText(u.Snapshot)
	}
	text := fmt.Sprintf("%s %d of %d", u.Phase, u.Done, u.Total)
	if u.TotalBytes <= 0 {
		return text
	}
	unit, size := "B", int64(1)
	for _, next := range []string{"kB", "MB", "GB", "TB"} {
		if u.TotalBytes < size*1000 {
			break
		}
		unit, size = next, size*1000
	}
	return fmt.Sprintf("%s, %.1f of %.1f %s", text, float64(u.DoneBytes)/float64(size), float64(u.TotalBytes)/float64(size), unit)
}
