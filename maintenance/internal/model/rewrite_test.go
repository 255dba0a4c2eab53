package model

// stage is how far a job has come.
type stage int8

const (
	planning stage = iota
	building
	committing
	looking
	discarding
	removing
	ended
)

// answer is what a catalog's answer tells (outcomeOf).
type answer int8

const (
	refused answer = iota
	unknown
)

// rewriteJob is maintenance/rewrite's Plan.Execute with maintenance.Commit.
type rewriteJob struct {
	at      stage
	attempt int8
	// since is the snapshot planned on, base the version of this attempt.
	since    int8
	base     metadata
	replaced set
	told     answer
	// inFlight says that the request of this attempt may yet be applied, if main is
	// at asked then.
	inFlight bool
	asked    int8
	// been says that a version since has had the snapshot of this attempt.
	been bool
}

func (j rewriteJob) snapshot() int { return snapRewrite + int(j.attempt) }

func (s state) rewriteMoves(r rules) []move {
	j := s.rewrite
	next := s
	switch j.at {
	case planning: // rewrite.NewPlan, runner.run
		head := s.made[s.table.main]
		next.rewrite = rewriteJob{at: building, since: s.table.main, base: s.table, replaced: head.data & of(fileA, fileB)}
		next.rowsN = next.rewrite.replaced &^ head.dead
		next.stored |= of(fileN)
		if next.rewrite.replaced == 0 {
			return nil
		}
		return []move{{"rewrite: plan and write", next}}
	case building: // Replace.Build
		at, ok := s.replace(r)
		if !ok {
			next.rewrite = rewriteJob{at: ended}
			next.stored &^= of(fileN) // execution.discard
			return []move{{"rewrite: conflict", next}}
		}
		next.made[j.snapshot()] = at
		next.stored |= of(firstList + j.snapshot())
		next.rewrite.at, next.rewrite.asked = committing, j.base.main
		return []move{{"rewrite: build", next}}
	case committing: // attemptCommit, Catalog.Commit
		return s.commitRewrite()
	case looking: // look
		return s.lookRewrite(r)
	case discarding: // discard, then the next attempt on the table as it was looked at
		next.stored &^= of(firstList + j.snapshot())
		next.rewrite.at, next.rewrite.attempt, next.rewrite.been = building, j.attempt+1, false
		if next.rewrite.attempt == attempts {
			next.rewrite = rewriteJob{at: ended}
			next.stored &^= of(fileN)
		}
		return []move{{"rewrite: discard", next}}
	}
	return nil
}

// replace is Replace.validate, takeOutData and assemble.
func (s *state) replace(r rules) (snapshot, bool) {
	j := s.rewrite
	head := s.made[j.base.main]
	since := s.made[j.since]
	if !s.isAncestor(j.base, j.since) {
		return snapshot{}, false
	}
	if !r.deletesUnchecked && (head.dead&^since.dead)&j.replaced != 0 {
		return snapshot{}, false
	}
	if j.replaced&^head.data != 0 {
		return snapshot{}, false
	}
	return snapshot{parent: j.base.main, data: head.data&^j.replaced | of(fileN), dead: head.dead &^ j.replaced, deadN: head.deadN}, true
}

// isAncestor is isAncestor, from main's head.
func (s *state) isAncestor(m metadata, id int8) bool {
	for n := m.main; n != none && m.snapshots.has(int(n)); n = s.made[n].parent {
		if n == id {
			return true
		}
	}
	return false
}

// applyRewrite is the catalog's part: the branch must be where it was.
func (s *state) applyRewrite(r rewriteJob) bool {
	if s.table.main != r.asked {
		return false
	}
	s.add(r.snapshot(), s.made[r.snapshot()])
	return true
}

func (s state) commitRewrite() []move {
	j := s.rewrite
	applied := s
	if !applied.applyRewrite(j) {
		s.rewrite.at, s.rewrite.told = looking, refused
		return []move{{"rewrite: commit refused", s}}
	}
	done := applied
	done.rewrite = rewriteJob{at: ended}
	lost := applied
	lost.rewrite.at, lost.rewrite.told = looking, unknown
	twice := applied
	twice.rewrite.at, twice.rewrite.told = looking, refused
	late := s
	late.rewrite.at, late.rewrite.told, late.rewrite.inFlight = looking, unknown, true
	return []move{
		{"rewrite: committed", done},
		{"rewrite: committed, answer lost", lost},
		{"rewrite: committed, then refused when sent again", twice},
		{"rewrite: commit is late", late},
	}
}

func (s state) lookRewrite(r rules) []move {
	j := s.rewrite
	next := s
	next.rewrite.base = s.table
	switch {
	case s.table.snapshots.has(j.snapshot()) || !r.onlyNewest && j.been: // partOf, hasBeenPart
		next.rewrite = rewriteJob{at: ended}
		return []move{{"rewrite: found", next}}
	case j.told == unknown && !r.unknownIsRefused: // ErrCommitUnknown
		next.rewrite = rewriteJob{at: ended, attempt: j.attempt, asked: j.asked, inFlight: j.inFlight}
		return []move{{"rewrite: unknown", next}}
	}
	next.rewrite.at = discarding
	return []move{{"rewrite: not found", next}}
}

// lateMoves apply a request that was on its way, or lose it.
func (s state) lateMoves() []move {
	if !s.rewrite.inFlight {
		return nil
	}
	gone := s
	gone.rewrite.inFlight = false
	if gone.rewrite.at == ended {
		gone.rewrite = rewriteJob{at: ended}
	}
	moves := []move{{"the late commit is lost", gone}}
	applied := gone
	if applied.applyRewrite(s.rewrite) {
		moves = append(moves, move{"the late commit is applied", applied})
	}
	return moves
}
