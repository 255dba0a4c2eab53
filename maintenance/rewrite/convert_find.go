package rewrite

import (
	"context"

	"github.com/apache/iceberg-go/table"
	"github.com/apache/iceberg-go/table/dv"

	"github.com/firndb/firn/maintenance/datafile"
)

// finder finds the rows of data files that equality deletes delete.
type finder struct {
	// equality has the files' equality deletes and positions all other deletes.
	equality, positions *datafile.Reader
	// all says that positions of rows that are deleted by position already are wanted
	// too, as a deletion vector has them all.
	all bool
}

// reader prepares looking at the data files of a group.
func (x *conversion) reader(files []File) *finder {
	equality, positions := make([]table.FileScanTask, len(files)), make([]table.FileScanTask, len(files))
	for i, f := range files {
		equality[i], positions[i] = split(f.Task)
	}
	meta := x.plan.request.Table.Metadata()
	return &finder{
		equality:  datafile.NewReader(x.writer.fs, meta, nil, equality, x.reading),
		positions: datafile.NewReader(x.writer.fs, meta, nil, positions, x.reading),
		all:       x.plan.vectors(),
	}
}

// split makes two tasks of one, with the equality deletes and with the others.
func split(task table.FileScanTask) (equality, positions table.FileScanTask) {
	equality, positions = task, task
	equality.DeleteFiles, equality.DeletionVectorFiles = nil, nil
	positions.EqualityDeleteFiles = nil
	return equality, positions
}

// find returns the positions of a data file to be written, none if no row is
// deleted by equality alone.
func (d *finder) find(ctx context.Context, f File) (*dv.RoaringPositionBitmap, error) {
	byKey, byPosition := split(f.Task)
	defer d.equality.Done(byKey)
	defer d.positions.Done(byPosition)
	dead, err := d.equality.Gone(ctx, byKey, nil)
	if err != nil || dead.IsEmpty() {
		return dead, err
	}
	known, err := d.positions.Gone(ctx, byPosition, nil)
	if err != nil || known.IsEmpty() {
		return dead, err
	}
	fresh := dv.NewRoaringPositionBitmap()
	for pos := range dead.Positions() {
		if !known.Contains(pos) {
			fresh.Set(pos)
		}
	}
	if d.all && !fresh.IsEmpty() {
		fresh.Or(known)
	}
	return fresh, nil
}
