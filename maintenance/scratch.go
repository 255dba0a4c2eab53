package maintenance

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
)

// scratchSpace is room for files that do not outlive a job.
type scratchSpace struct {
	dir  string
	most int64

	mu   sync.Mutex
	used int64
}

func newScratchSpace(limits Limits) *scratchSpace {
	s := &scratchSpace{dir: limits.ScratchDir, most: limits.ScratchBytes}
	if s.dir == "" {
		s.dir = filepath.Join(os.TempDir(), "firn-scratch")
	}
	return s
}

// scratchFile is a file that is gone when it is closed, or garbage.
type scratchFile struct {
	*os.File
	space *scratchSpace
	size  int64
}

// create makes an empty file. It has no name, where that is possible.
func (s *scratchSpace) create() (*scratchFile, error) {
	if err := os.MkdirAll(s.dir, 0o700); err != nil {
		return nil, fmt.Errorf("make scratch folder: %w", err)
	}
	f, err := os.CreateTemp(s.dir, "firn-sort-*.tmp")
	if err != nil {
		return nil, fmt.Errorf("make scratch file: %w", err)
	}
	// Where an open file cannot be removed, it is when it is closed.
	_ = os.Remove(f.Name())
	return &scratchFile{File: f, space: s}, nil
}

// Write appends. The error wraps ErrRefused if there is no room.
func (f *scratchFile) Write(p []byte) (int, error) {
	f.space.mu.Lock()
	short := f.space.used + int64(len(p)) - f.space.most
	if f.space.most > 0 && short > 0 {
		f.space.mu.Unlock()
		return 0, fmt.Errorf("%w: comparing files needs more scratch space than the %d bytes allowed: %d more at this point", ErrRefused, f.space.most, short)
	}
	f.space.used += int64(len(p))
	f.space.mu.Unlock()
	n, err := f.File.Write(p)
	f.size += int64(n)
	return n, err
}

func (f *scratchFile) close() {
	// Nothing in the file is needed, whether or not it is closed properly.
	_ = f.Close()
	_ = os.Remove(f.Name())
	f.space.mu.Lock()
	f.space.used -= f.size
	f.space.mu.Unlock()
}

// reader reads the file from its beginning, beside others that do.
func (f *scratchFile) reader() *bufio.Reader {
	return bufio.NewReaderSize(io.NewSectionReader(f.File, 0, f.size), 1<<18)
}

// setRun is entries of a set in a scratch file, sorted.
type setRun struct {
	*scratchFile
	n int
}

// writeRun writes sorted entries, twelve bytes each.
func (s *scratchSpace) writeRun(files []setFile) (_ *setRun, err error) {
	f, err := s.create()
	if err != nil {
		return nil, err
	}
	w := bufio.NewWriterSize(f, 1<<18)
	var b []byte
	for _, file := range files {
		b = binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint64(b[:0], file.path), file.prefix)
		if _, err := w.Write(b); err != nil {
			f.close()
			return nil, err
		}
	}
	if err := w.Flush(); err != nil {
		f.close()
		return nil, err
	}
	return &setRun{f, len(files)}, nil
}

// meet shows the entries to the questions, which order has sorted by hash.
func (r *setRun) meet(probes []probe, order []int32) error {
	in, b := r.reader(), make([]byte, 12)
	for range r.n {
		if _, err := io.ReadFull(in, b); err != nil {
			return fmt.Errorf("read scratch file: %w", errors.Join(err, io.ErrUnexpectedEOF))
		}
		file := setFile{binary.LittleEndian.Uint64(b), binary.LittleEndian.Uint32(b[8:])}
		for len(order) > 0 && probes[order[0]].path < file.path {
			order = order[1:]
		}
		if len(order) == 0 {
			return nil
		}
		for _, i := range order {
			if probes[i].path != file.path {
				break
			}
			probes[i].meet(file)
		}
	}
	return nil
}
