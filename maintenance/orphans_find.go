package maintenance

import "strings"

// candidate is a file that may be an orphan: its folder, with a slash behind, its
// name, and what tells more.
type candidate struct {
	folder, name string
	stat         statFunc
}

func newCandidate(path string, stat statFunc) candidate {
	slash := strings.LastIndexByte(path, '/') + 1
	return candidate{path[:slash], path[slash:], stat}
}

func (c candidate) path() string { return c.folder + c.name }

// through is a question about the path that links lead to from a candidate.
type through struct{ candidate, probe int }

// orphans are the candidates that nothing refers to. Those that are referenced
// under another prefix are none, unless the rules say so, and noted as a
// conflict.
func (u *usedFiles) orphans(candidates []candidate) ([]candidate, error) {
	probes := make([]probe, len(candidates))
	prefixes := make([]string, len(candidates))
	var links []through
	s := speller{u: u, listed: true}
	var name []byte
	for i, c := range candidates {
		name = append(name[:0], c.name...)
		prefix, hashes := s.hash(c.folder, name)
		id, known := u.prefixes[prefix]
		prefixes[i] = prefix
		for n, h := range hashes {
			p := probe{setFile: setFile{h, id}, known: known}
			if n == 0 {
				probes[i] = p
				continue
			}
			links = append(links, through{i, len(probes)})
			probes = append(probes, p)
		}
	}
	if err := u.find(probes); err != nil {
		return nil, err
	}
	for _, l := range links {
		at, to := &probes[l.candidate], probes[l.probe]
		at.same, at.other = at.same || to.same, at.other || to.other
	}
	var free []candidate
	for i, c := range candidates {
		switch p := probes[i]; {
		case p.same:
		case !p.other || u.rules.mismatch == "delete":
			free = append(free, c)
		default:
			u.mu.Lock()
			u.conflicts[prefixes[i]] = true
			u.mu.Unlock()
		}
	}
	return free, nil
}
