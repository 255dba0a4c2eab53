package maintenance

import (
	"bufio"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"
)

// mostStreamed is how many files a plan names whose results are streamed (Java's
// DeleteOrphanFilesSparkAction.MAX_ORPHAN_FILE_SAMPLE_SIZE_DEFAULT).
const mostStreamed = 20_000

// orphanFileBytes is what a file takes in memory besides its path.
const orphanFileBytes = 40

// orphanList collects orphans: all of them in memory, or when they are streamed
// the first by path, and all in a scratch file.
type orphanList struct {
	stream  bool
	sample  int
	memory  int64
	scratch *scratchSpace

	mu    sync.Mutex
	files []OrphanFile
	held  int64
	count int64
	bytes int64
	spill *orphanSpill
}

// add takes in files. It may be called from several goroutines.
func (l *orphanList) add(files []OrphanFile) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, f := range files {
		l.count++
		l.bytes += f.Bytes
		l.held += int64(len(f.Path)) + orphanFileBytes
	}
	l.files = append(l.files, files...)
	if !l.stream {
		if l.held > l.memory {
			return fmt.Errorf("%w: the names of %d orphan files and more need %d bytes of memory, %d more than there are for them: set %q to true, or raise the setting %q",
				ErrRefused, l.count, l.held, l.held-l.memory, "stream_results", "memory")
		}
		return nil
	}
	if l.spill == nil && l.count > int64(l.sample) {
		var err error
		if l.spill, err = newOrphanSpill(l.scratch); err != nil {
			return err
		}
		files = l.files
	}
	if l.spill == nil {
		return nil
	}
	if len(l.files) > 2*l.sample {
		defer l.cut()
	}
	return l.spill.add(files)
}

// cut leaves the first files by path.
func (l *orphanList) cut() {
	slices.SortFunc(l.files, byPath)
	if l.stream {
		l.files = l.files[:min(len(l.files), l.sample)]
	}
}

func byPath(a, b OrphanFile) int { return cmp.Compare(a.Path, b.Path) }

// finish puts what was collected into a plan.
func (l *orphanList) finish(p *Orphans) error {
	l.cut()
	if l.spill != nil {
		if err := l.spill.w.Flush(); err != nil {
			return err
		}
	}
	p.Files, p.Count, p.Bytes, p.spill = l.files, l.count, l.bytes, l.spill
	if p.spill == nil {
		// A list of files may name one twice.
		p.Files = slices.CompactFunc(p.Files, func(a, b OrphanFile) bool { return a.Path == b.Path })
		p.Count = int64(len(p.Files))
	}
	return nil
}

// discard gives back the scratch file.
func (l *orphanList) discard() {
	if l.spill != nil {
		l.spill.file.close()
		l.spill = nil
	}
}

// orphanSpill is orphans in a scratch file.
type orphanSpill struct {
	file *scratchFile
	w    *bufio.Writer
	n    int64
}

func newOrphanSpill(space *scratchSpace) (*orphanSpill, error) {
	f, err := space.create()
	if err != nil {
		return nil, err
	}
	return &orphanSpill{file: f, w: bufio.NewWriterSize(f, 1<<18)}, nil
}

func (s *orphanSpill) add(files []OrphanFile) error {
	var b []byte
	for _, f := range files {
		b = binary.AppendUvarint(b[:0], uint64(f.Bytes))
		b = binary.AppendUvarint(b, uint64(len(f.Path)))
		if _, err := s.w.Write(append(b, f.Path...)); err != nil {
			return err
		}
		s.n++
	}
	return nil
}

// chunks hands over the files, so many at once.
func (s *orphanSpill) chunks(size int, use func([]OrphanFile) error) error {
	in := s.file.reader()
	chunk := make([]OrphanFile, 0, size)
	for n := range s.n {
		bytes, err := binary.ReadUvarint(in)
		if err != nil {
			return broken(err)
		}
		length, err := binary.ReadUvarint(in)
		if err != nil {
			return broken(err)
		}
		path := make([]byte, length)
		if _, err := io.ReadFull(in, path); err != nil {
			return broken(err)
		}
		if chunk = append(chunk, OrphanFile{Path: string(path), Bytes: int64(bytes)}); len(chunk) < size && n < s.n-1 {
			continue
		}
		if err := use(chunk); err != nil {
			return err
		}
		chunk = chunk[:0]
	}
	return nil
}

func broken(err error) error {
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	return fmt.Errorf("read scratch file: %w", err)
}
