package rewrite

import (
	"context"

	"github.com/apache/iceberg-go"

	"github.com/firndb/firn/maintenance"
)

// Recheck writes a plan's first group, lets change alter its new files, as a
// writer would that loses rows without knowing, and checks the group's rows. It
// returns how many rows were seen to be deleted, and leaves no files.
func (p *Plan) Recheck(ctx context.Context, env maintenance.Env, change func([]iceberg.DataFile) []iceberg.DataFile) (deleted int64, err error) {
	r, err := newRunner(ctx, p, env)
	if err != nil {
		return 0, err
	}
	r.remove = (&execution{env: env, fs: r.out.fs}).remove
	w, err := r.run(ctx, 0, p.Groups[0])
	defer maintenance.RemoveFiles(ctx, r.out.fs, w.paths, 0)
	if err != nil {
		return 0, err
	}
	w.files, w.rows = change(w.files), 0
	for _, df := range w.files {
		w.rows += df.Count()
	}
	return w.deleted, p.Groups[0].checkRows(w)
}
