package model

// expiryJob is Expiry.Execute: snapshots that no ref points at are old.
type expiryJob struct {
	at      stage
	attempt int8
	base    metadata
	expired set
	told    answer
	files   set
	// since is how many versions have come since base, two meaning more; tags are
	// what the tag was in them, before what it was in the last but one.
	since, before int8
	tags          set
}

func (s state) expiryMoves(r rules) []move {
	j := s.expiry
	next := s
	switch j.at {
	case planning: // PlanExpiry, planMetadata
		next.expiry.base = s.table
		next.expiry.expired = s.table.snapshots &^ of(int(s.table.main))
		if s.table.tag != none {
			next.expiry.expired &^= of(int(s.table.tag))
		}
		next.expiry.at = committing
		next.expiry.since, next.expiry.tags, next.expiry.before = 0, 0, none
		if next.expiry.expired == 0 {
			next.expiry = expiryJob{at: ended}
		}
		return []move{{"expire: plan", next}}
	case committing:
		return s.commitExpiry(r)
	case looking: // look with Expiry.applied, then Commit's next attempt
		if s.table.snapshots&j.expired == 0 {
			return s.freed(r, "expire: found")
		}
		next.expiry.at, next.expiry.attempt = planning, j.attempt+1
		if j.told == unknown || next.expiry.attempt == 2 {
			next.expiry = expiryJob{at: ended}
		}
		return []move{{"expire: not found", next}}
	case removing:
		next.remove(j.files)
		next.expiry = expiryJob{at: ended}
		return []move{{"expire: remove", next}}
	}
	return nil
}

// commitExpiry is the catalog's part. One that applies updates by itself asks for
// the refs that were there, the others that nothing has changed.
func (s state) commitExpiry(r rules) []move {
	j := s.expiry
	same := j.since == 0
	if r.rest {
		same = s.table.main == j.base.main && (j.base.tag == none || s.table.tag == j.base.tag)
	}
	if !same && !r.changesUnseen {
		s.expiry.at, s.expiry.told = looking, refused
		return []move{{"expire: commit refused", s}}
	}
	applied := s
	m := s.table
	m.snapshots &^= j.expired
	if m.tag != none && j.expired.has(int(m.tag)) {
		applied.lost |= of(int(m.tag))
		m.tag = none
	}
	applied.set(m)
	lost := applied
	lost.expiry.at, lost.expiry.told = looking, unknown
	return append(applied.freed(r, "expire: committed"), move{"expire: committed, answer lost", lost})
}

// freed is what Execute removes after its commit: the plan's files, or those of
// filesAfter if the table has moved in between, unless a tag was lost.
func (s state) freed(r rules, what string) []move {
	j := s.expiry
	next := s
	next.expiry = expiryJob{at: removing}
	if j.since != 1 && !r.predecessorUnseen && s.lostTag(r) {
		next.expiry.at = ended
		return []move{{what + ", a tag is lost", next}}
	}
	var gone set
	(j.base.snapshots & j.expired).each(func(n int) { gone |= s.named(n) })
	stay := s.table
	stay.snapshots &^= j.expired
	next.expiry.files = gone &^ s.referenced(stay)
	if next.expiry.files == 0 {
		next.expiry.at = ended
	}
	return []move{{what, next}}
}

// lostTag is checkLost: whether a version since the base had a tag at a snapshot
// that has expired.
func (s *state) lostTag(r rules) bool {
	if r.onlyPredecessor {
		return s.expiry.expired.has(int(s.expiry.before))
	}
	return s.expiry.expired&s.expiry.tags != 0
}

// orphanJob is PlanOrphans and Orphans.Execute.
type orphanJob struct {
	at    stage
	files set
}

func (s state) orphanMoves(r rules) []move {
	j := s.orphans
	next := s
	switch j.at {
	case planning: // planOrphans, orphanScan.file
		next.orphans.files = s.stored &^ s.referenced(s.table)
		if !r.agesUnseen {
			next.orphans.files &= s.old
		}
		next.orphans.at, next.old = looking, 0 // nobody asks for ages again
		return []move{{"orphans: list", next}}
	case looking: // stillUnused
		if !r.notLookedAgain {
			next.orphans.files &^= s.referenced(s.table)
		}
		next.orphans.at = removing
		if next.orphans.files == 0 {
			next.orphans.at = ended
		}
		return []move{{"orphans: look again", next}}
	case removing:
		next.remove(j.files)
		next.orphans = orphanJob{at: ended}
		next.lost = 0 // nothing refers to them, and they are old
		return []move{{"orphans: remove", next}}
	}
	return nil
}

// remove is RemoveFiles, in one step: whatever comes between two removals may as
// well come before the first or after the last.
func (s *state) remove(files set) {
	s.stored &^= files
	s.old &^= files
}
