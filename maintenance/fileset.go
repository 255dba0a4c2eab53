package maintenance

import (
	"cmp"
	"hash/maphash"
	"slices"
	"sort"
	"sync"
)

// fileSet is a set of files by the hashes of their paths, 16 bytes each, in
// memory or, beyond a bound, in scratch files. Two paths of one hash can only keep
// a file that could go. Files are added, from several goroutines, then finish is
// called, then questions are asked.
type fileSet struct {
	seed maphash.Seed
	// most is how many entries are held in memory; runs has the others.
	most    int
	scratch *scratchSpace

	mu    sync.Mutex
	files []setFile
	runs  []*setRun
	// starts says where in files the entries begin whose hashes begin with a
	// number.
	starts []uint32
}

// setFile is a file: the hash of its path, and a number for what stands before.
type setFile struct {
	path   uint64
	prefix uint32
}

func compareFiles(a, b setFile) int {
	if a.path != b.path {
		return cmp.Compare(a.path, b.path)
	}
	return cmp.Compare(a.prefix, b.prefix)
}

// setFileBytes is what an entry takes in memory.
const setFileBytes = 16

// newFileSet makes a set that takes so many bytes of memory.
func newFileSet(memory int64, scratch *scratchSpace) fileSet {
	return fileSet{seed: maphash.MakeSeed(), most: max(int(memory/setFileBytes), 1), scratch: scratch}
}

// hashes are those of files' keys.
func (s *fileSet) hashes(files []liveFile) []uint64 {
	all := make([]uint64, len(files))
	var folder, key string
	var path []byte
	for i, f := range files {
		if i == 0 || f.folder != folder {
			folder, key = f.folder, fileKey(f.folder)
		}
		path = append(append(path[:0], key...), f.name...)
		all[i] = maphash.Bytes(s.seed, path)
	}
	return all
}

// add takes in files; the lock is held.
func (s *fileSet) add(f setFile) error {
	if len(s.files) >= s.most {
		if err := s.shrink(); err != nil {
			return err
		}
	}
	s.files = append(s.files, f)
	return nil
}

// shrink makes room in memory.
func (s *fileSet) shrink() error {
	s.compact()
	if len(s.files) <= s.most/2 {
		return nil
	}
	run, err := s.scratch.writeRun(s.files)
	if err != nil {
		return err
	}
	s.runs, s.files = append(s.runs, run), s.files[:0]
	return nil
}

// compact sorts what is in memory and drops repetitions.
func (s *fileSet) compact() {
	sortFiles(s.files)
	s.files = slices.Compact(s.files)
}

// sortFiles sorts. Hashes are spread evenly: their first bits say nearly where they
// belong.
func sortFiles(files []setFile) {
	if len(files) < 1<<startBits {
		slices.SortFunc(files, compareFiles)
		return
	}
	ends := make([]uint32, 1<<startBits)
	for _, f := range files {
		ends[f.path>>(64-startBits)]++
	}
	next, sum := make([]uint32, 1<<startBits), uint32(0)
	for i, n := range ends {
		next[i] = sum
		sum += n
		ends[i] = sum
	}
	from := uint32(0)
	for i, end := range ends {
		for at := next[i]; at < end; at = next[i] {
			f := files[at]
			for to := f.path >> (64 - startBits); to != uint64(i); to = f.path >> (64 - startBits) {
				files[next[to]], f = f, files[next[to]]
				next[to]++
			}
			files[at] = f
			next[i]++
		}
		slices.SortFunc(files[from:end], compareFiles)
		from = end
	}
}

// startBits is the length of the numbers that hashes are looked up by.
const startBits = 16

// finish makes the set ready for questions.
func (s *fileSet) finish() {
	s.compact()
	s.starts = make([]uint32, 1<<startBits+1)
	for _, f := range s.files {
		s.starts[f.path>>(64-startBits)+1]++
	}
	for i := 1; i < len(s.starts); i++ {
		s.starts[i] += s.starts[i-1]
	}
}

// spilled says that a question costs the reading of scratch files, so that many
// should be asked at once.
func (s *fileSet) spilled() bool { return len(s.runs) > 0 }

// close gives back the scratch files.
func (s *fileSet) close() {
	for _, run := range s.runs {
		run.close()
	}
	s.runs = nil
}

// probe asks whether a path is in the set under its prefix, and whether under
// another.
type probe struct {
	setFile
	// known says that the prefix is one of the set.
	known       bool
	same, other bool
}

func (p *probe) meet(f setFile) {
	if p.known && f.prefix == p.prefix {
		p.same = true
	} else {
		p.other = true
	}
}

// find answers questions, in any order. It may be called from several
// goroutines.
func (s *fileSet) find(probes []probe) error {
	for i := range probes {
		p := &probes[i]
		bucket := p.path >> (64 - startBits)
		part := s.files[s.starts[bucket]:s.starts[bucket+1]]
		at := sort.Search(len(part), func(i int) bool { return part[i].path >= p.path })
		for ; at < len(part) && part[at].path == p.path; at++ {
			p.meet(part[at])
		}
	}
	if len(s.runs) == 0 {
		return nil
	}
	order := make([]int32, len(probes))
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortFunc(order, func(a, b int32) int { return cmp.Compare(probes[a].path, probes[b].path) })
	for _, run := range s.runs {
		if err := run.meet(probes, order); err != nil {
			return err
		}
	}
	return nil
}
