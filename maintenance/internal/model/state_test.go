package model

import (
	"fmt"
	"math/bits"
)

// Data files, and from firstList on the manifest lists of snapshots by number.
const (
	fileA = iota
	fileB
	fileW // of the append
	fileN // of the rewrite
	firstList
)

// Snapshots: two to begin with, then those of the append, the delete and each
// attempt of the rewrite.
const (
	snapFirst = iota
	snapSecond
	snapAppend
	snapDelete
	snapRewrite
	attempts  = 2
	snapshots = snapRewrite + attempts
	none      = -1
)

// set is files, snapshots or rows by number.
type set uint16

func of(numbers ...int) (s set) {
	for _, n := range numbers {
		s |= 1 << n
	}
	return s
}

func (s set) has(n int) bool { return n >= 0 && s&(1<<n) != 0 }

// each calls use with the members.
func (s set) each(use func(n int)) {
	for ; s != 0; s &= s - 1 {
		use(bits.TrailingZeros16(uint16(s)))
	}
}

// snapshot is what a snapshot says: its data files, and which rows of which are
// deleted. A row has the number of the file it came with; those of fileN have
// deleted marks of their own, inN.
type snapshot struct {
	parent            int8
	data, dead, deadN set
}

// metadata is one version of the table.
type metadata struct {
	snapshots set
	main, tag int8
}

// state is everything. It can be compared.
type state struct {
	table metadata
	// made are the snapshots by number, whether the table has them or not.
	made [snapshots]snapshot
	// stored are the files that there are, old those older than the safety age.
	stored, old set
	// rowsN are the rows of fileN.
	rowsN set
	// want are main's rows as writers left them; lost are the snapshots that went
	// while a tag pointed at them.
	want, lost set

	rewrite rewriteJob
	expiry  expiryJob
	orphans orphanJob
	writers writers
}

func start() state {
	var s state
	s.made[snapFirst] = snapshot{parent: none, data: of(fileA)}
	s.made[snapSecond] = snapshot{parent: snapFirst, data: of(fileA, fileB)}
	s.table = metadata{snapshots: of(snapFirst, snapSecond), main: snapSecond, tag: none}
	s.stored = of(fileA, fileB, firstList+snapFirst, firstList+snapSecond)
	s.old = s.stored
	s.want = of(fileA, fileB)
	return s
}

// referenced are the files that a version of the table names.
func (s *state) referenced(m metadata) set {
	var files set
	m.snapshots.each(func(n int) { files |= s.named(n) })
	return files
}

// named are the files that a snapshot names.
func (s *state) named(n int) set { return s.made[n].data | of(firstList+n) }

// rows are those of a snapshot.
func (s *state) rows(n int8) set {
	at := s.made[n]
	rows := at.data &^ of(fileN) &^ at.dead
	if at.data.has(fileN) {
		rows |= s.rowsN &^ at.deadN
	}
	return rows
}

// set makes a new version of the table. Jobs remember what their code finds in the
// versions since the one they began with.
func (s *state) set(m metadata) {
	if s.expiry.at == committing || s.expiry.at == looking {
		s.expiry.since = min(s.expiry.since+1, 2)
		s.expiry.before = s.table.tag
		if s.table.tag != none {
			s.expiry.tags |= of(int(s.table.tag))
		}
	}
	s.table = m
	if s.rewrite.at == committing || s.rewrite.at == looking {
		s.rewrite.been = s.rewrite.been || m.snapshots.has(s.rewrite.snapshot())
	}
}

// add makes a version with a new snapshot as main's.
func (s *state) add(n int, at snapshot) {
	s.made[n] = at
	m := s.table
	m.snapshots |= of(n)
	m.main = int8(n)
	s.set(m)
}

// broken says which promise a state breaks, nothing if none.
func (s *state) broken() string {
	if gone := s.referenced(s.table) &^ s.stored; gone != 0 {
		return fmt.Sprintf("P2: files %b are referenced and gone", gone)
	}
	var lost set
	s.lost.each(func(n int) { lost |= s.named(n) })
	if gone := lost &^ s.stored; gone != 0 {
		return fmt.Sprintf("P2: files %b of a lost tag are gone", gone)
	}
	if got := s.rows(s.table.main); got != s.want {
		return fmt.Sprintf("P5: main has rows %b, writers left %b", got, s.want)
	}
	return ""
}
