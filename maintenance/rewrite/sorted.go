package rewrite

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/apache/iceberg-go"
	iceio "github.com/apache/iceberg-go/io"
	"github.com/apache/iceberg-go/table"
	"golang.org/x/sync/semaphore"

	"github.com/firndb/firn/maintenance"
	"github.com/firndb/firn/maintenance/datafile"
	"github.com/firndb/firn/maintenance/internal/fetched"
	"github.com/firndb/firn/maintenance/internal/scratch"
)

// sorts is what the sorts of a rewrite share.
type sorts struct {
	limits maintenance.Limits
	// memory admits sorts by the bytes that they may keep.
	memory *semaphore.Weighted
	space  *scratch.Space
}

func newSorts(limits maintenance.Limits, now time.Time) sorts {
	return sorts{
		limits: limits, memory: semaphore.NewWeighted(limits.MemoryBytes),
		space: scratch.Folder(scratchDir(limits), limits.ScratchBytes, now),
	}
}

// Shares of a sort's memory. What is left is for reading, and for the garbage
// between two collections.
const (
	// rowsGrow is how much larger rows may be in memory than in files.
	rowsGrow    = 10
	leastMemory = 64 << 20
	// keysShare is for keys while they are sorted, orderShare for where rows go,
	// columnsShare for the values of the columns that are put in order, pagesShare for
	// the row groups that come of them, heldShare for files that were fetched,
	// footersShare for footers.
	keysShare    = 0.35
	orderShare   = 0.1
	columnsShare = 0.3
	pagesShare   = 0.1
	heldShare    = 0.05
	footersShare = 0.05
)

// sorting is the sort of one group.
type sorting struct {
	r    *runner
	g    Group
	name string
	// memory is how many bytes it may keep.
	memory int64
	tasks  []table.FileScanTask
	fs     iceio.IO
	// held has what was fetched of files that are not on this machine, nil if all
	// are.
	held    *fetched.FS
	footers *datafile.Footers
	// sampled are about how large columns are in the files that have no footers, by
	// their ids.
	sampled map[int]int64

	// deleted is how many rows the deletes remove.
	deleted int64

	mu sync.Mutex
	// steps are steps of work done, of which there are all, and reported the bytes
	// told of.
	steps, all, reported int64
}

// sorted rewrites a group with its rows in order. The files of the group follow
// each other in that order.
//
// The key columns of all rows are read first, and sorted with nothing but the
// rows' numbers. Then every column is read for itself, put in that order and
// encoded; or, if files store rows, all of them together.
func (r *runner) sorted(ctx context.Context, name string, g Group) (w written, err error) {
	memory := min(r.sorts.limits.MemoryBytes, rowsGrow*g.Bytes+leastMemory)
	if err := r.sorts.memory.Acquire(ctx, memory); err != nil {
		return w, err
	}
	defer r.sorts.memory.Release(memory)
	s := &sorting{r: r, g: g, name: name, memory: memory, fs: r.out.fs}
	s.footers = datafile.NewFooters(s.share(footersShare))
	for _, f := range g.Files {
		s.tasks = append(s.tasks, f.Task)
	}
	s.hold()
	defer func() {
		if s.held != nil {
			if closed := s.held.Close(); err == nil {
				err = closed
			}
		}
	}()
	if err := s.takeSample(ctx); err != nil {
		return w, err
	}
	order, cuts, err := s.order(ctx)
	if err != nil {
		return w, err
	}
	if s.held != nil {
		s.held.Done()
	}
	if r.o.Format == iceberg.ParquetFile {
		w, err = s.columns(ctx, order, cuts)
	} else {
		w, err = s.rowwise(ctx, order, cuts)
	}
	w.deleted = s.deleted
	return w, errors.Join(err, order.Close())
}

// share is a part of the memory.
func (s *sorting) share(of float64) int64 { return int64(float64(s.memory) * of) }

// undeleted are the tasks without their deletes: rows that are deleted have their
// numbers, too.
func (s *sorting) undeleted() []table.FileScanTask {
	tasks := slices.Clone(s.tasks)
	for i := range tasks {
		tasks[i].DeleteFiles, tasks[i].EqualityDeleteFiles, tasks[i].DeletionVectorFiles = nil, nil, nil
	}
	return tasks
}

// hold has the files that are not on this machine fetched once.
func (s *sorting) hold() {
	var away []File
	var bytes int64
	for _, f := range s.g.Files {
		if f.remote() {
			away = append(away, f)
			bytes += f.Size()
		}
	}
	if len(away) == 0 {
		return
	}
	space := s.r.sorts.space
	if bytes <= s.share(heldShare) {
		space = &scratch.Space{Create: func() (scratch.File, error) { return &sharedPages{}, nil }}
	}
	s.held = fetched.New(s.fs, space, wholeFile)
	s.fs = s.held
	for _, f := range away {
		s.held.Add(f.Path(), f.Size())
	}
}

// remote says whether a file is not on this machine.
func (f File) remote() bool {
	return strings.Contains(f.Path(), "://") && !strings.HasPrefix(f.Path(), "file://")
}

// working waits until the machine has a processor for the group. The caller calls
// what it returns when it is done.
func (r *runner) working(ctx context.Context) (func(), error) {
	select {
	case r.slots <- struct{}{}:
		return func() { <-r.slots }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// did reports progress. A row of a column that is read, or put in its place, is a
// step.
func (s *sorting) did(steps int64) {
	s.mu.Lock()
	s.steps = min(s.steps+steps, s.all)
	now := int64(float64(s.g.Bytes) * float64(s.steps) / float64(max(1, s.all)))
	bytes := now - s.reported
	s.reported = now
	s.mu.Unlock()
	if bytes > 0 {
		s.r.progress(bytes)
	}
}

// check compares the rows that were written with those that were sorted.
func (s *sorting) check(rows, written int64) error {
	if rows != written {
		return fmt.Errorf("%w: %d rows were read but %d written", maintenance.ErrCorrupt, rows, written)
	}
	return nil
}
