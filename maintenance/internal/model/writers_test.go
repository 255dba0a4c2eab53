package model

// writers are other clients, which do what Iceberg's library does: each commits in
// one step, on top of what is there.
type writers struct {
	appended             progress
	deleted, tagged, set bool
}

// progress is how far an append has come.
type progress int8

const (
	idle progress = iota
	written
	committed
)

// move is a state that can follow and what led to it.
type move struct {
	what string
	to   state
}

func (s state) writerMoves(r rules) []move {
	var moves []move
	add := func(what string, do func(*state)) {
		to := s
		do(&to)
		moves = append(moves, move{what, to})
	}
	head := s.made[s.table.main]
	switch {
	case s.writers.appended == idle:
		add("append: write", func(to *state) {
			to.writers.appended = written
			to.stored |= of(fileW, firstList+snapAppend)
		})
	case s.writers.appended == written && (!r.slowWriter || s.inTime()):
		add("append: commit", func(to *state) {
			to.writers.appended = committed
			to.want |= of(fileW)
			to.add(snapAppend, snapshot{parent: s.table.main, data: head.data | of(fileW), dead: head.dead, deadN: head.deadN})
		})
	}
	if !s.writers.deleted && s.want.has(fileA) {
		add("delete of row A", func(to *state) {
			to.writers.deleted = true
			to.want &^= of(fileA)
			at := snapshot{parent: s.table.main, data: head.data, dead: head.dead, deadN: head.deadN}
			if head.data.has(fileA) {
				at.dead |= of(fileA)
			} else {
				at.deadN |= of(fileA)
			}
			to.stored |= of(firstList + snapDelete)
			to.add(snapDelete, at)
		})
	}
	if !s.writers.tagged {
		for _, n := range []int8{snapFirst, snapSecond} {
			if s.table.snapshots.has(int(n)) {
				add("tag", func(to *state) {
					to.writers.tagged = true
					m := to.table
					m.tag = n
					to.set(m)
				})
			}
		}
	}
	if !s.writers.set && s.table.snapshots.has(snapFirst) {
		add("roll back", func(to *state) {
			to.writers.set = true
			m := to.table
			m.main = snapFirst
			to.set(m)
			to.want = s.rows(snapFirst)
		})
	}
	return moves
}

// inTime says that a slow append is not too late: its files are there, and are not
// being removed.
func (s *state) inTime() bool {
	files := of(fileW, firstList+snapAppend)
	return files&^s.stored == 0 && (s.orphans.at != removing || files&s.orphans.files == 0)
}

// pending are files that someone has yet to commit.
func (s *state) pending(r rules) set {
	var files set
	if s.writers.appended == written && !r.slowWriter {
		files |= of(fileW, firstList+snapAppend)
	}
	if s.rewrite.at > planning && s.rewrite.at < ended || s.rewrite.inFlight {
		files |= of(fileN)
		for i := range attempts {
			files |= of(firstList + snapRewrite + i)
		}
	}
	return files
}

// timeMoves lets files become old.
func (s state) timeMoves(r rules) []move {
	if s.orphans.at != planning {
		return nil
	}
	to := s
	to.old |= s.stored &^ s.pending(r)
	if to == s {
		return nil
	}
	return []move{{"three days go by", to}}
}
