package journal

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// host is a folder for journals, a clock and what they log.
type host struct {
	t   *testing.T
	dir string
	at  time.Time
	log bytes.Buffer
}

func newHost(t *testing.T) *host {
	return &host{t: t, dir: filepath.Join(t.TempDir(), "journal"), at: time.Date(2026, 11, 30, 3, 0, 0, 0, time.UTC)}
}

// open is the journal of a new process.
func (h *host) open() *Journal {
	return Open(h.dir, func() time.Time { return h.at }, slog.New(slog.NewTextHandler(&h.log, nil)))
}

// die ends a process: its lock is free and its file as it is.
func die(j *Journal) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.closed = true
	if j.file != nil {
		j.file.close()
	}
}

// files are the names of the journal files.
func (h *host) files() []string {
	h.t.Helper()
	entries, err := os.ReadDir(h.dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		h.t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

func begin(j *Journal) *Run {
	r := j.Begin(Subject{Procedure: "rewrite_data_files", Catalog: "lake"})
	r.Describe([]string{"ns", "t"}, "u-u-i-d", []string{"s3://b/t"})
	return r
}

func TestRunThatEndsWellLeavesNothing(t *testing.T) {
	h := newHost(t)
	j := h.open()
	idle := begin(j)
	idle.End()
	if got := h.files(); got != nil {
		t.Errorf("a run that wrote nothing left %v", got)
	}
	r := begin(j)
	r.DataName()
	r.Try(7, "s3://b/t/metadata/1.json")
	r.Tried(Committed)
	r.Free(&Freed{Base: "s3://b/t/metadata/1.json", Snapshots: []int64{1}})
	r.Free(nil)
	r.End()
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	if got := h.files(); got != nil {
		t.Errorf("after the process ended there are %v", got)
	}
}

func TestEntriesOfADeadProcessAreAdopted(t *testing.T) {
	h := newHost(t)
	j := h.open()
	r := begin(j)
	data := r.DataName().String()
	meta, draft := r.MetadataName()
	if draft != 1 || r.Count() != 0 || r.Count() != 1 {
		t.Error("drafts count from 1, files from 0")
	}
	r.Try(7, "base")
	r.Tried(Refused)
	r.Try(8, "base2")
	if live := h.open().Adopt(); len(live) != 0 {
		t.Fatalf("a living process lost %v", live)
	}
	die(j)
	h.at = h.at.Add(time.Hour)
	next := h.open()
	got := next.Adopt()
	if len(got) != 1 {
		t.Fatalf("got %d entries, want 1", len(got))
	}
	e := got[0]
	if e.State != Interrupted || e.Catalog != "lake" || e.UUID != "u-u-i-d" || e.Places[0] != "s3://b/t" || h.at.Sub(e.Changed) != time.Hour {
		t.Errorf("got %+v", e)
	}
	if fmt.Sprint(e.Names) != fmt.Sprint([]string{data, meta.String()}) {
		t.Errorf("got the names %v", e.Names)
	}
	if fmt.Sprint(e.Attempts) != "[{7 base refused} {8 base2 }]" {
		t.Errorf("got the attempts %v", e.Attempts)
	}
	if got := h.files(); len(got) != 1 {
		t.Errorf("the dead process's file is still there: %v", got)
	}
	e.State, e.Note = Settled, "2 files removed"
	next.Settle(e)
	if again := next.Adopt(); len(again) != 0 {
		t.Errorf("a settled run is still open: %v", again)
	}
	die(next)
	last := h.open()
	if again := last.Adopt(); len(again) != 0 {
		t.Errorf("a settled run is open again: %v", again)
	}
	if got := last.Entries(); len(got) != 1 || got[0].Note != "2 files removed" || !got[0].Checked.Equal(h.at) {
		t.Errorf("what was settled is not to be seen: %+v", got)
	}
}

func TestStatesOfEndedRuns(t *testing.T) {
	h := newHost(t)
	j := h.open()
	unknown := begin(j)
	unknown.Try(1, "base")
	unknown.Tried(NotKnown)
	unknown.LeaveBehind()
	unknown.End()
	left := begin(j)
	left.DataName()
	left.LeaveBehind()
	left.End()
	freeing := begin(j)
	freeing.Free(&Freed{Base: "base", Snapshots: []int64{1}})
	freeing.End()
	begin(j).DataName() // runs
	var states []string
	for _, e := range j.Adopt() {
		states = append(states, string(e.State))
	}
	want := map[string]int{"outcome unknown": 1, "files left over": 2}
	got := map[string]int{}
	for _, s := range states {
		got[s]++
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// TestEveryPrefixOfAFile cuts a dead process's file at every byte: the entries
// are those of the whole lines, and nothing fails.
func TestEveryPrefixOfAFile(t *testing.T) {
	h := newHost(t)
	j := h.open()
	first, second := begin(j), begin(j)
	first.DataName()
	second.DataName()
	first.Try(1, "base")
	first.Tried(Committed)
	first.End()
	second.DataName()
	die(j)
	path := filepath.Join(h.dir, h.files()[0])
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	wants := []int{0, 1, 2, 2, 2, 1, 1} // entries after so many lines
	for n := range len(whole) + 1 {
		entries, _, err := read(bytes.NewReader(whole[:n]))
		if err != nil {
			t.Fatalf("%d bytes: %v", n, err)
		}
		lines, got := max(0, bytes.Count(whole[:n], []byte("\n"))-1), len(entries)
		// A line without its end counts if it is whole.
		if got != wants[lines] && (whole[n] != '\n' || got != wants[lines+1]) {
			t.Fatalf("%d bytes, %d lines: got %d entries, want %d", n, lines, got, wants[lines])
		}
	}
}

func TestDamagedLines(t *testing.T) {
	h := newHost(t)
	j := h.open()
	r := begin(j)
	r.DataName()
	r.Try(1, "base")
	die(j)
	path := filepath.Join(h.dir, h.files()[0])
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	damaged := bytes.Replace(whole, []byte(`"base":"base"`), []byte(`"base":"bose"`), 1)
	damaged = append(damaged, "\x00\x00\x00"...)
	if err := os.WriteFile(path, damaged, 0o644); err != nil {
		t.Fatal(err)
	}
	got := h.open().Adopt()
	if len(got) != 1 || len(got[0].Attempts) != 0 || len(got[0].Names) != 1 {
		t.Errorf("got %+v, want what the line before the damaged one says", got)
	}
	if !strings.Contains(h.log.String(), "damaged") {
		t.Errorf("nothing about it is logged: %s", &h.log)
	}
}

func TestFileOfAnotherFormatIsLeftAlone(t *testing.T) {
	h := newHost(t)
	if err := os.MkdirAll(h.dir, 0o755); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"a" + suffix: "firn-journal 2\nwhatever\n", "notes.txt": "x"} {
		if err := os.WriteFile(filepath.Join(h.dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	j := h.open()
	if got := j.Adopt(); len(got) != 0 {
		t.Errorf("got %v", got)
	}
	if got := h.files(); len(got) != 2 {
		t.Errorf("there are %v", got)
	}
	if !strings.Contains(h.log.String(), "another format") {
		t.Errorf("nothing about it is logged: %s", &h.log)
	}
}

func TestFileDoesNotGrowWithoutBound(t *testing.T) {
	h := newHost(t)
	j := h.open()
	j.compactAt = 4 << 10
	open := begin(j)
	open.DataName()
	for range 100 {
		r := begin(j)
		r.DataName()
		r.End()
	}
	for i := range mostSettled + 20 {
		h.at = h.at.Add(time.Minute)
		e := Entry{ID: fmt.Sprint(i), State: Settled, Started: h.at}
		j.Settle(e)
	}
	if names := h.files(); len(names) != 1 {
		t.Fatalf("there are %v", names)
	}
	stat, err := os.Stat(filepath.Join(h.dir, h.files()[0]))
	if err != nil {
		t.Fatal(err)
	}
	if stat.Size() > 100<<10 && stat.Size() > leastCompact {
		t.Errorf("the file has %d bytes", stat.Size())
	}
	j.Adopt()
	if n := len(j.Entries()); n != mostSettled+1 {
		t.Errorf("there are %d entries, want %d settled and one open", n, mostSettled)
	}
	die(j)
	next := h.open()
	next.Adopt()
	if n := len(next.Entries()); n != mostSettled+1 {
		t.Errorf("the next process has %d entries", n)
	}
	h.at = h.at.Add(settledFor + time.Hour)
	next.Adopt()
	if n := len(next.Entries()); n != 1 {
		t.Errorf("%d entries are left after a month, want the open one", n)
	}
}

// brittle is a device that is full after so many bytes.
type brittle struct {
	device
	room int
}

func (b *brittle) Write(p []byte) (int, error) {
	n := min(len(p), b.room)
	written, err := b.device.Write(p[:n])
	b.room -= written
	if err == nil && n < len(p) {
		err = errors.New("no space left on device")
	}
	return written, err
}

// TestFullDisk fills the disk at every byte of an entry and then makes room: the
// run goes on, it is logged, and what is written later can be read.
func TestFullDisk(t *testing.T) {
	for room := 0; room < 200; room += 13 {
		h := newHost(t)
		j := h.open()
		full := &brittle{room: room}
		j.create = func(dir string) (*file, error) {
			f, err := createFile(dir)
			if err == nil {
				full.device = f.to
				f.to = full
			}
			return f, err
		}
		begin(j).DataName()
		if !strings.Contains(h.log.String(), "no space left") {
			t.Fatalf("room %d: nothing is logged: %s", room, &h.log)
		}
		full.room = 1 << 20
		second := begin(j)
		second.DataName()
		die(j)
		got := h.open().Adopt()
		if len(got) != 1 || got[0].ID != second.entry.ID {
			t.Fatalf("room %d: got %v", room, got)
		}
	}
}

func TestFolderThatCannotBeWritten(t *testing.T) {
	h := newHost(t)
	// A file where the folder should be, which stops root, too.
	if err := os.WriteFile(h.dir, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	j := h.open()
	j.Check()
	r := begin(j)
	if a, b := r.DataName(), r.DataName(); a == b {
		t.Error("a name was given twice")
	}
	r.Try(1, "base")
	r.Tried(NotKnown)
	r.End()
	if n := strings.Count(h.log.String(), "journal cannot be written"); n == 0 {
		t.Error("nothing is logged")
	}
	if got := j.Adopt(); len(got) != 1 || got[0].State != Unknown {
		t.Errorf("the process itself must remember the unknown outcome, got %v", got)
	}
	if err := j.Close(); err != nil {
		t.Error(err)
	}
}

func TestNoJournal(t *testing.T) {
	var j *Journal
	j.Check()
	r := begin(j)
	r.DataName()
	r.MetadataName()
	r.Try(1, "base")
	r.Tried(Committed)
	r.Free(&Freed{})
	r.LeaveBehind()
	r.End()
	var none *Run
	none.Describe(nil, "", nil)
	none.DataName()
	none.Try(1, "")
	none.End()
	if j.Adopt() != nil || j.Entries() != nil || j.Close() != nil {
		t.Error("a journal that is none has something")
	}
}

func FuzzRead(f *testing.F) {
	line, err := encode(&Entry{ID: "a", State: Running, Names: []string{"n"}})
	if err != nil {
		f.Fatal(err)
	}
	f.Add([]byte(header + string(line)))
	f.Add([]byte(header + string(line[:20]) + "\n" + string(line)))
	f.Add([]byte("firn-journal 9\n"))
	f.Fuzz(func(t *testing.T, content []byte) {
		entries, damaged, err := read(bytes.NewReader(content))
		if err != nil {
			return
		}
		again, _, err := read(bytes.NewReader(append(append([]byte(header), content...), '\n')))
		if err != nil || len(again) != len(entries) && damaged == 0 && !bytes.HasPrefix(content, []byte("firn")) {
			t.Errorf("%d entries, and %d behind a header: %v", len(entries), len(again), err)
		}
	})
}
