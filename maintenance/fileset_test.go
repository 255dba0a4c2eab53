package maintenance

import (
	"errors"
	"fmt"
	"hash/maphash"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"
)

// TestFileSet compares a set with a map, in memory and in scratch files.
func TestFileSet(t *testing.T) {
	dir := t.TempDir()
	for _, memory := range []int64{1 << 20, 100 * setFileBytes, setFileBytes} {
		random := rand.New(rand.NewPCG(1, uint64(memory)))
		space := newScratchSpace(Limits{ScratchDir: dir})
		set, want := newFileSet(memory, space), map[string]uint32{}
		for range 500 {
			path, prefix := strconv.Itoa(random.IntN(600)), uint32(random.IntN(3))
			if was, ok := want[path]; ok {
				prefix = was
			}
			want[path] = prefix
			if err := set.add(setFile{maphash.String(set.seed, path), prefix}); err != nil {
				t.Fatal(err)
			}
		}
		set.finish()
		if set.spilled() != (memory < 1<<20) {
			t.Errorf("%d bytes: spilled is %v", memory, set.spilled())
		}
		var probes []probe
		for i := range 1200 {
			probes = append(probes, probe{setFile: setFile{maphash.String(set.seed, strconv.Itoa(i%700)), uint32(i % 4)}, known: i%4 < 3})
		}
		if err := set.find(probes); err != nil {
			t.Fatal(err)
		}
		for i, p := range probes {
			prefix, there := want[strconv.Itoa(i%700)]
			if same := there && int(prefix) == i%4; p.same != same || p.other != (there && !same) {
				t.Errorf("%d bytes, probe %d: %+v, the map has %d, %v", memory, i, p, prefix, there)
			}
		}
		set.close()
		if space.used != 0 {
			t.Errorf("%d bytes of scratch space are left in use", space.used)
		}
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 0 {
		t.Errorf("left behind: %v (%v)", left, err)
	}
}

// TestSortFiles sorts many entries, some of whose hashes begin alike.
func TestSortFiles(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, few := range []int{0, 1, 3, 1000} {
		files := make([]setFile, 1<<startBits+1000)
		for i := range files {
			files[i] = setFile{random.Uint64(), random.Uint32N(3)}
			if few > 0 && i%2 == 0 {
				files[i].path = random.Uint64N(uint64(few)) << (64 - startBits)
			}
		}
		want := slices.Clone(files)
		slices.SortFunc(want, compareFiles)
		if sortFiles(files); !slices.Equal(files, want) {
			t.Errorf("with %d hashes that begin alike: not sorted", few)
		}
	}
}

func TestFileSetRefusesWhatDoesNotFit(t *testing.T) {
	set := newFileSet(10*setFileBytes, newScratchSpace(Limits{ScratchDir: filepath.Join(t.TempDir(), "new"), ScratchBytes: 200}))
	defer set.close()
	var err error
	for i := 0; err == nil && i < 100; i++ {
		err = set.add(setFile{maphash.String(set.seed, strconv.Itoa(i)), 0})
	}
	if !errors.Is(err, ErrRefused) {
		t.Errorf("got %v", err)
	}
}

// TestOrphanListStreams: the plan names the first files by path, whatever the
// order in which they are found, and the scratch file has all.
func TestOrphanListStreams(t *testing.T) {
	for _, n := range []int{3, 4, 100} {
		list := &orphanList{stream: true, sample: 4, memory: 1, scratch: newScratchSpace(Limits{ScratchDir: t.TempDir()})}
		var all []OrphanFile
		for i := range n {
			all = append(all, OrphanFile{fmt.Sprintf("/t/%03d", i), int64(i)})
		}
		found := slices.Clone(all)
		rand.New(rand.NewPCG(1, 2)).Shuffle(n, func(i, j int) { found[i], found[j] = found[j], found[i] })
		for part := range slices.Chunk(found, 3) {
			if err := list.add(part); err != nil {
				t.Fatal(err)
			}
		}
		var p Orphans
		if err := list.finish(&p); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(p.Files, all[:min(n, 4)]) || p.Count != int64(n) || p.Bytes != int64(n*(n-1)/2) || (p.spill != nil) != (n > 4) {
			t.Errorf("of %d: %v, %d files, %d bytes", n, p.Files, p.Count, p.Bytes)
		}
		if p.spill == nil {
			continue
		}
		var spilled []OrphanFile
		if err := p.spill.chunks(7, func(files []OrphanFile) error {
			spilled = append(spilled, files...)
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		slices.SortFunc(spilled, byPath)
		if !slices.Equal(spilled, all) {
			t.Errorf("of %d, the scratch file has %v", n, spilled)
		}
		p.Close()
	}
}

func TestOrphanListRefusesWhatDoesNotFit(t *testing.T) {
	list := &orphanList{memory: 100}
	err := list.add([]OrphanFile{{Path: "/t/1"}, {Path: "/t/2"}})
	if err == nil {
		err = list.add([]OrphanFile{{Path: "/t/3"}})
	}
	if !errors.Is(err, ErrRefused) {
		t.Errorf("got %v", err)
	}
}
