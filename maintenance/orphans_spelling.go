package maintenance

import (
	"hash/maphash"
	"slices"
	"strings"
)

// spelling is what a location may be known by: what stands before its path, and its
// paths, of a folder with a slash behind.
type spelling struct {
	prefix string
	paths  []string
}

// spell spells a location, of a folder or not, which a listing has as it is, or
// metadata as the library takes it.
func (u *usedFiles) spell(location string, folder, listed bool) spelling {
	prefix, path := u.rules.split(location)
	slashed := func(path string) string {
		if folder {
			return strings.TrimRight(path, "/") + "/"
		}
		return path
	}
	s := spelling{prefix, []string{slashed(path)}}
	if !isLocal(location) {
		return s
	}
	paths := []string{u.links.real(slashed(path))}
	if local, ok := decoded(location); ok && !listed {
		paths = append(paths, slashed(local), u.links.real(slashed(local)))
	}
	for _, p := range paths {
		if !slices.Contains(s.paths, p) {
			s.paths = append(s.paths, p)
		}
	}
	return s
}

// speller hashes locations, of which many that lie in one folder follow each other.
type speller struct {
	u      *usedFiles
	listed bool
	folder string
	known  spelling
	hashes []uint64
	path   []byte
}

// hash returns what stands before the path of a file in a folder, and the hashes of
// its paths, which are valid until the next call, first that of its own.
func (s *speller) hash(folder string, name []byte) (prefix string, hashes []uint64) {
	known := &s.known
	switch {
	case !strings.HasSuffix(folder, "/") || strings.HasSuffix(folder, "://") || len(name) == 0 || !s.listed && !isPlainName(name):
		whole := s.u.spell(folder+string(name), false, s.listed)
		known, name = &whole, nil
	case folder != s.folder || known.paths == nil:
		s.folder, s.known = folder, s.u.spell(folder, true, s.listed)
	}
	s.hashes = s.hashes[:0]
	for _, path := range known.paths {
		s.path = append(append(s.path[:0], path...), name...)
		s.hashes = append(s.hashes, maphash.Bytes(s.u.seed, s.path))
	}
	return known.prefix, s.hashes
}

// isPlainName says whether a name stays as it is, whatever the folder.
func isPlainName(name []byte) bool {
	for _, b := range name {
		switch {
		case b < ' ', b == '%', b == '?', b == '#', b == '\\', b == '/', b == 0x7f:
			return false
		}
	}
	return name[0] != '.'
}
