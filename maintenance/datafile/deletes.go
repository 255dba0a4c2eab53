package datafile

import (
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"strings"
	"sync"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/iceberg-go"
	iceio "github.com/apache/iceberg-go/io"
	"github.com/apache/iceberg-go/table"
	"github.com/apache/iceberg-go/table/dv"

	"github.com/firndb/firn/maintenance"
)

// deletes are the delete files of the tasks of a scan. Each is read when the
// first task needs it and forgotten after the last.
type deletes struct {
	*store
	meta table.Metadata

	tasks []table.FileScanTask
	// ready says that the keys have been looked at, if their memory is bounded,
	// which is before anything is read.
	preparing sync.Mutex
	ready     bool

	// targets are the data files that a delete file is about, of those of the
	// tasks.
	targets map[string]map[string]bool

	mu    sync.Mutex
	files map[string]*deleteFile
	// marked are the positions in data files of rows that equality deletes delete,
	// if the keys do not fit into memory.
	marked map[string]*dv.RoaringPositionBitmap
	// seed is that of all keys, so that a key is hashed once for several sets.
	seed maphash.Seed
}

// deleteFile is a position or equality delete file that is shared by tasks.
type deleteFile struct {
	file iceberg.DataFile
	// users is how many tasks still need it.
	users int

	// loaded says that it has been read. A reader that gives up in the middle leaves
	// it to the next.
	loading   sync.Mutex
	loaded    bool
	positions map[string]*dv.RoaringPositionBitmap
	keys      *keySet
}

func newDeletes(s *store, meta table.Metadata, tasks []table.FileScanTask) *deletes {
	d := &deletes{
		store: s, meta: meta, tasks: tasks, files: map[string]*deleteFile{}, targets: map[string]map[string]bool{},
		seed: maphash.MakeSeed(),
	}
	for _, task := range tasks {
		for _, f := range shared(task) {
			d.entry(f).users++
			targets := d.targets[f.FilePath()]
			if targets == nil {
				targets = map[string]bool{}
				d.targets[f.FilePath()] = targets
			}
			targets[task.File.FilePath()] = true
		}
	}
	return d
}

// entry finds or makes what is known about a delete file.
func (d *deletes) entry(f iceberg.DataFile) *deleteFile {
	entry := d.files[f.FilePath()]
	if entry == nil {
		entry = &deleteFile{file: f}
		d.files[f.FilePath()] = entry
	}
	return entry
}

// shared are the delete files of a task that other tasks may need too. A
// deletion vector supersedes position delete files ("Deletion Vectors" in the
// specification).
func shared(task table.FileScanTask) []iceberg.DataFile {
	if len(task.DeletionVectorFiles) > 0 {
		return task.EqualityDeleteFiles
	}
	return append(append([]iceberg.DataFile(nil), task.DeleteFiles...), task.EqualityDeleteFiles...)
}

// done says that a task needs its delete files no longer.
func (d *deletes) done(task table.FileScanTask) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, f := range shared(task) {
		entry := d.entry(f)
		if entry.users--; entry.users <= 0 {
			delete(d.files, f.FilePath())
		}
	}
}

// of reads what is deleted of a task's file.
func (d *deletes) of(ctx context.Context, task table.FileScanTask) (*fileDeletes, error) {
	if err := d.prepare(ctx); err != nil {
		return nil, err
	}
	out := newFileDeletes(d.meta, task.File)
	for _, f := range task.DeletionVectorFiles {
		bitmap, err := readVector(d.fs, f)
		if err != nil {
			return nil, err
		}
		out.positions.Or(bitmap)
	}
	path := task.File.FilePath()
	if bitmap := d.marked[path]; bitmap != nil {
		out.positions.Or(bitmap)
	}
	for _, f := range shared(task) {
		if d.marked != nil && f.ContentType() == iceberg.EntryContentEqDeletes {
			continue
		}
		if !d.targets[f.FilePath()][path] {
			return nil, fmt.Errorf("delete file %q: it is not known to apply", f.FilePath())
		}
		d.mu.Lock()
		entry := d.entry(f)
		d.mu.Unlock()
		if err := d.load(ctx, entry); err != nil {
			return nil, fmt.Errorf("delete file %q: %w", f.FilePath(), err)
		}
		if bitmap := entry.positions[path]; bitmap != nil {
			out.positions.Or(bitmap)
		}
		if entry.keys != nil && entry.keys.n > 0 {
			out.add(entry.keys)
		}
	}
	return out, nil
}

// load reads a delete file, if nobody has yet.
func (d *deletes) load(ctx context.Context, entry *deleteFile) error {
	entry.loading.Lock()
	defer entry.loading.Unlock()
	if entry.loaded {
		return nil
	}
	err := d.read(ctx, entry)
	entry.loaded = err == nil
	return err
}

func (d *deletes) read(ctx context.Context, entry *deleteFile) error {
	if entry.file.ContentType() == iceberg.EntryContentEqDeletes {
		keys, err := d.newKeySet(entry.file)
		if err == nil {
			err = d.eachKey(ctx, entry.file, keys, func() error { return nil })
		}
		entry.keys = keys
		return err
	}
	targets := d.targets[entry.file.FilePath()]
	positions, err := d.loadPositions(ctx, entry.file, func(path string) bool { return targets[path] })
	entry.positions = positions
	return err
}

// Positions reads which rows a position delete file or deletion vector deletes:
// their positions by data file, of those files that wanted admits.
func Positions(ctx context.Context, fs iceio.IO, meta table.Metadata, file iceberg.DataFile, wanted func(path string) bool) (map[string]*dv.RoaringPositionBitmap, error) {
	if file.FileFormat() != iceberg.PuffinFile {
		d := &deletes{store: &store{fs: fs, options: Options{}.withDefaults()}, meta: meta}
		positions, err := d.loadPositions(ctx, file, wanted)
		if err != nil {
			return nil, fmt.Errorf("delete file %q: %w", file.FilePath(), err)
		}
		return positions, nil
	}
	path := maintenance.ReferencedFile(file)
	if !wanted(path) {
		return nil, nil
	}
	bitmap, err := readVector(fs, file)
	if err != nil {
		return nil, err
	}
	return map[string]*dv.RoaringPositionBitmap{path: bitmap}, nil
}

// Targets tells visit which data files a position delete file or deletion vector
// is about, the same one once or more often. It reads no more than their paths.
func Targets(ctx context.Context, fs iceio.IO, meta table.Metadata, file iceberg.DataFile, visit func(path string)) error {
	if path := maintenance.ReferencedFile(file); path != "" {
		visit(path)
		return nil
	}
	d := &deletes{store: &store{fs: fs, options: Options{}.withDefaults()}, meta: meta}
	last := ""
	err := d.each(ctx, file, []iceberg.NestedField{deletePathField()}, func(batch arrow.RecordBatch) error {
		paths, ok := batch.Column(0).(*array.String)
		if !ok {
			return errors.New("its column file_path is not text")
		}
		for i := range paths.Len() {
			if path := paths.Value(i); path != last {
				last = strings.Clone(path)
				visit(last)
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("delete file %q: %w", file.FilePath(), err)
	}
	return nil
}

func deletePathField() iceberg.NestedField {
	return iceberg.NestedField{ID: deletePathID, Name: "file_path", Type: iceberg.PrimitiveTypes.String}
}

// loadPositions reads the positions of a position delete file that are in files
// that wanted admits.
func (d *deletes) loadPositions(ctx context.Context, file iceberg.DataFile, wanted func(path string) bool) (map[string]*dv.RoaringPositionBitmap, error) {
	pos := iceberg.NestedField{ID: deletePosID, Name: "pos", Type: iceberg.PrimitiveTypes.Int64}
	positions := map[string]*dv.RoaringPositionBitmap{}
	last, bitmap := "", (*dv.RoaringPositionBitmap)(nil)
	err := d.each(ctx, file, []iceberg.NestedField{deletePathField(), pos}, func(batch arrow.RecordBatch) error {
		paths, at, err := positionColumns(batch)
		if err != nil {
			return err
		}
		for i := range int(batch.NumRows()) {
			if path := paths.Value(i); path != last || bitmap == nil {
				if !wanted(path) {
					continue
				}
				if bitmap = positions[path]; bitmap == nil {
					bitmap = dv.NewRoaringPositionBitmap()
				}
				// The batch's text does not outlive it.
				last = string([]byte(path))
				positions[last] = bitmap
			}
			bitmap.Set(uint64(at.Value(i)))
		}
		return nil
	})
	return positions, err
}

// each reads the columns of a delete file in the types of fields.
func (d *deletes) each(ctx context.Context, file iceberg.DataFile, fields []iceberg.NestedField, use func(arrow.RecordBatch) error) error {
	wanted := map[int]iceberg.NestedField{}
	names := iceberg.NameMapping{}
	for i, f := range fields {
		wanted[f.ID] = f
		names = append(names, iceberg.MappedField{Names: []string{f.Name}, FieldID: &fields[i].ID})
	}
	src, err := d.open(ctx, wholeTask(file), wanted, names)
	if err != nil {
		return err
	}
	defer src.close()
	fileSchema, schema := iceberg.NewSchema(0, src.fields()...), iceberg.NewSchema(0, fields...)
	if len(src.fields()) == 0 {
		return fmt.Errorf("it has none of the columns %s", schema)
	}
	for {
		batch, _, err := src.next(ctx)
		if err != nil || batch == nil {
			return err
		}
		rows, err := table.ToRequestedSchema(ctx, schema, fileSchema, batch, table.SchemaOptions{FormatVersion: d.meta.Version()})
		batch.Release()
		if err != nil {
			return err
		}
		err = use(rows)
		rows.Release()
		if err != nil {
			return err
		}
	}
}
