package maintenance_test

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/apache/iceberg-go"

	"github.com/firndb/firn/maintenance"
)

// rewriteManifests rewrites main's manifests with random options.
func (w *world) rewriteManifests() {
	w.t.Helper()
	options := w.manifestOptions()
	plan, err := maintenance.PlanManifests(context.Background(), w.env, w.ident, options)
	if err != nil {
		w.judge("plan manifests", err)
		return
	}
	before := w.entries()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	w.ambush(cancel)
	w.settleOthers()
	result, err := plan.Execute(ctx, w.env)
	w.before, w.after = nil, nil
	w.tell("rewrite manifests %+v: %d groups: %+v", options, len(plan.Groups), result)
	w.judge("rewrite manifests", err)
	w.remember(true)
	w.checkFiles()
	if err != nil || w.disturbed {
		return
	}
	if after := w.entries(); !slices.Equal(before, after) {
		w.t.Errorf("the entries\n%s\nbecame\n%s", strings.Join(before, "\n"), strings.Join(after, "\n"))
	}
	in, out := 0, 0
	for _, g := range plan.Groups {
		in, out = in+len(g.Manifests), out+int(g.Out)
	}
	if want := (maintenance.ManifestResult{Rewritten: in, Added: out}); result != want {
		w.t.Errorf("%+v was planned and %+v done", want, result)
	}
	again, err := maintenance.PlanManifests(context.Background(), w.env, w.ident, options)
	if err != nil || !again.Empty() {
		w.t.Errorf("a second run finds %+v (%v)", again, err)
	}
}

func (w *world) manifestOptions() maintenance.ManifestOptions {
	var options maintenance.ManifestOptions
	specs := w.load().Metadata().PartitionSpecs()
	spec := w.load().Spec()
	if w.rng.IntN(2) == 0 {
		spec = pick(w.rng, specs...)
		id := spec.ID()
		options.SpecID = &id
	}
	if w.rng.IntN(3) == 0 {
		for i := range spec.NumFields() {
			options.SortBy = append([]string{spec.Field(i).Name}, options.SortBy...)
		}
	}
	return options
}

// entries are the live entries of main in full, sorted.
func (w *world) entries() []string {
	w.t.Helper()
	tbl := w.load()
	if tbl.CurrentSnapshot() == nil {
		return nil
	}
	store, err := tbl.FS(context.Background())
	if err != nil {
		w.t.Fatal(err)
	}
	manifests, err := tbl.CurrentSnapshot().Manifests(store)
	if err != nil {
		w.t.Fatal(err)
	}
	var all []string
	for _, m := range manifests {
		for e, err := range m.Entries(store, true) {
			if err != nil {
				w.t.Fatal(err)
			}
			all = append(all, entryText(e))
		}
	}
	slices.Sort(all)
	return all
}

// entryText shows every field of a live entry but its status.
func entryText(e iceberg.ManifestEntry) string {
	df := e.DataFile()
	show := func(p *int64) string {
		if p == nil {
			return "null"
		}
		return fmt.Sprint(*p)
	}
	ref := ""
	if p := df.ReferencedDataFile(); p != nil {
		ref = *p
	}
	sort := "null"
	if p := df.SortOrderID(); p != nil {
		sort = fmt.Sprint(*p)
	}
	return fmt.Sprint(
		df.FilePath(), " snapshot ", e.SnapshotID(), " sequence ", e.SequenceNum(), " file ", show(e.FileSequenceNum()),
		" ", df.ContentType(), df.FileFormat(), " spec ", df.SpecID(), df.Partition(), " count ", df.Count(), " size ", df.FileSizeBytes(),
		" columns ", df.ColumnSizes(), df.ValueCounts(), df.NullValueCounts(), df.NaNValueCounts(), df.DistinctValueCounts(),
		df.LowerBoundValues(), df.UpperBoundValues(), " key ", df.KeyMetadata(), " splits ", df.SplitOffsets(), " equality ", df.EqualityFieldIDs(),
		" sort ", sort, " row ", show(df.FirstRowID()), " ref ", ref, " at ", show(df.ContentOffset()), show(df.ContentSizeInBytes()),
	)
}
