package chain

import (
	"context"
	"fmt"

	"github.com/firndb/firn/maintenance"
	"github.com/firndb/firn/maintenance/rewrite"
	"github.com/firndb/firn/spelling"
)

// rewriteJob rewrites groups of files, part by part.
type rewriteJob[G any] struct {
	// groups are in the order in which they are rewritten; left are those that
	// max_bytes has no room for.
	groups, left []G
	maxBytes     int64
	// how says how files are put together, nothing if they are just filled.
	how  string
	view func(G) view
	// none says why there are no groups at all.
	none func() string
	// part rewrites some of the groups and commits them.
	part func(ctx context.Context, env maintenance.Env, groups []G) (tally, error)
}

// view is what a group looks like.
type view struct {
	files           int
	bytes, filesOut int64
	reason          string
}

// tally is what rewriting has done.
type tally struct {
	files, added, failedFiles, failedCommits int
	bytes                                    int64
}

func (j *rewriteJob[G]) choose(groups []G, room int64) *rewriteJob[G] {
	j.groups, j.left = within(groups, room, func(g G) int64 { return j.view(g).bytes })
	return j
}

func (j *rewriteJob[G]) outlook() Outlook {
	o := Outlook{Run: len(j.groups) > 0}
	for _, g := range j.groups {
		v := j.view(g)
		o.FilesIn += int64(v.files)
		o.FilesOut += v.filesOut
		o.BytesIn += v.bytes
	}
	o.BytesOut = o.BytesIn
	beyond := j.leave(j.left, fmt.Sprintf("max_bytes %d", j.maxBytes))
	switch {
	case o.Run:
		first := j.view(j.groups[0]).reason
		o.Reason = joined(fmt.Sprintf("%s in %s, such as: %s", spelling.Count(o.FilesIn, "file"), spelling.Count(len(j.groups), "group"), first), j.how, beyond)
	case beyond != "":
		o.Reason = beyond
	default:
		o.Reason = j.none()
	}
	return o
}

// leave says what a bound has left for another run, nothing if that is nothing.
func (j *rewriteJob[G]) leave(left []G, bound string) string {
	if len(left) == 0 {
		return ""
	}
	var sum int64
	for _, g := range left {
		sum += j.view(g).bytes
	}
	return fmt.Sprintf("left by %s: %s of %s", bound, spelling.Count(len(left), "group"), bytes(sum))
}

// run does at least one part: a call that never gets further would not end.
func (j *rewriteJob[G]) run(ctx context.Context, env maintenance.Env, over func() bool) (outcome, error) {
	var sum tally
	var err error
	rest := j.groups
	for i, groups := range parts(j.groups) {
		if i > 0 && over() {
			break
		}
		var did tally
		did, err = j.part(ctx, env, groups)
		sum.add(did)
		if err != nil {
			break
		}
		rest = rest[len(groups):]
	}
	beyond := j.leave(j.left, fmt.Sprintf("max_bytes %d", j.maxBytes))
	late := ""
	if err == nil {
		late = j.leave(rest, "max_duration")
	}
	return outcome{text: joined(sum.text(), beyond, late), failed: sum.failed()}, err
}

func (t *tally) add(other tally) {
	t.files += other.files
	t.added += other.added
	t.bytes += other.bytes
	t.failedFiles += other.failedFiles
	t.failedCommits += other.failedCommits
}

// text says what has been done, nothing if that is nothing.
func (t tally) text() string {
	if t.files == 0 {
		return ""
	}
	return fmt.Sprintf("%s of %s rewritten into %d", spelling.Count(t.files, "file"), bytes(t.bytes), t.added)
}

// failed says what could not be done, nothing if all was.
func (t tally) failed() string {
	var files, commits string
	if t.failedFiles > 0 {
		files = spelling.Count(t.failedFiles, "file") + " could not be rewritten, as the log says"
	}
	if t.failedCommits > 0 {
		commits = spelling.Count(t.failedCommits, "commit") + " lost against another writer"
	}
	return joined(files, commits)
}

// partOptions makes each part one commit, whose loss is no error, and groups no
// larger than what may be rewritten: one that is could never be.
func partOptions(o rewrite.Options, maxBytes int64) rewrite.Options {
	o.PartialProgress, o.MaxCommits, o.MaxFailedCommits = true, 1, 1
	if maxBytes > 0 {
		o.MaxGroupSize = min(o.MaxGroupSize, maxBytes)
	}
	return o
}
