package maintenance

// candidate is a file that may be an orphan: its location, and what tells more.
type candidate struct {
	path string
	stat statFunc
}

// through is a question about the path that links lead to from a candidate.
type through struct{ candidate, probe int }

// orphans are the candidates that nothing refers to. Those that are referenced
// under another prefix are none, unless the rules say so, and noted as a
// conflict.
func (u *usedFiles) orphans(candidates []candidate) ([]candidate, error) {
	probes := make([]probe, 0, len(candidates))
	prefixes := make([]string, len(candidates))
	var links []through
	for i, c := range candidates {
		prefix, path := u.rules.split(c.path)
		prefixes[i] = prefix
		probes = append(probes, u.probe(prefix, path))
	}
	for i, c := range candidates {
		if !isLocal(c.path) {
			continue
		}
		if _, path := u.rules.split(c.path); u.links.real(path) != path {
			links = append(links, through{i, len(probes)})
			probes = append(probes, u.probe(prefixes[i], u.links.real(path)))
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

// probe makes a question.
func (u *usedFiles) probe(prefix, path string) probe {
	id, known := u.prefixes[prefix]
	return probe{setFile: setFile{u.hash(path), id}, known: known}
}
