package rewrite

import (
	"context"

	"github.com/firndb/firn/maintenance"
)

// touchedGroups are the groups of a batch that a conflict concerns, and the
// others.
func touchedGroups(batch []done, conflict *maintenance.Conflict) (hit, rest []done) {
	for _, d := range batch {
		if d.group.touched(conflict) {
			hit = append(hit, d)
		} else {
			rest = append(rest, d)
		}
	}
	return hit, rest
}

func (g Group) touched(conflict *maintenance.Conflict) bool {
	for _, f := range g.Files {
		if conflict.Data[f.Path()] {
			return true
		}
	}
	for key := range g.vectors() {
		if conflict.Deletes[key] {
			return true
		}
	}
	return false
}

// again plans groups that lost on the table as it is now: their files, as far as
// they are still there, with the deletes that apply to them by now. A group that
// would not be chosen any more is dropped.
func (p *Plan) again(ctx context.Context, env maintenance.Env, groups []Group) (*Plan, error) {
	tbl, err := env.Catalog.Load(ctx, p.table.Identifier())
	if err != nil {
		return nil, err
	}
	next := &Plan{Branch: p.Branch, Options: p.Options, Order: p.Order, table: tbl}
	head := tbl.Metadata().SnapshotByName(p.Branch)
	if head == nil {
		return next, nil
	}
	next.SnapshotID, next.Sequence = head.SnapshotID, head.SequenceNumber
	files, err := scanFiles(ctx, Request{Table: tbl}, p.Branch, head)
	if err != nil {
		return nil, err
	}
	now := map[string]File{}
	for _, f := range files {
		now[f.Path()] = f
	}
	judge := newGrouper(tbl.Metadata(), p.Options)
	for _, g := range groups {
		var left []File
		for _, f := range g.Files {
			if f, ok := now[f.Path()]; ok {
				left = append(left, f)
			}
		}
		if reason, worth := judge.worth(left); len(left) > 0 && (worth || p.Options.RewriteAll) {
			next.Groups = append(next.Groups, judge.newGroup(left, reason))
		}
	}
	return next, checkFormats(next)
}
