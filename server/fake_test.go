package server

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/firndb/firn/catalog"
	"github.com/firndb/firn/maintenance"
	"github.com/firndb/firn/procedures"
)

// fakes is a registry of procedures for tests: echo returns its arguments, the
// others end in the way of their name.
type fakes struct {
	// started gets a value when "wait" begins to run.
	started chan struct{}
	// report is the last call's progress.
	report maintenance.Progress
}

func newFakes() *fakes { return &fakes{started: make(chan struct{}, 8)} }

func (f *fakes) find(name string) (procedures.Procedure, error) {
	ends := map[string]func(context.Context) error{
		"panic_execute": func(context.Context) error { panic("execute went wrong") },
		"wait": func(ctx context.Context) error {
			f.report(maintenance.Update{Phase: "wait", Done: 1, Total: 4})
			f.started <- struct{}{}
			<-ctx.Done()
			return fmt.Errorf("read file: %w", ctx.Err())
		},
		"conflict":   fails(maintenance.ErrConflict),
		"unknown":    fails(maintenance.ErrCommitUnknown),
		"corrupt":    fails(maintenance.ErrCorrupt),
		"refuse":     fails(maintenance.ErrRefused),
		"format":     fails(maintenance.ErrUnsupported),
		"no_table":   fails(catalog.ErrNoSuchTable),
		"wrong_time": fails(maintenance.ErrInvalid),
		"other":      fails(errors.New("disk on fire: 100%")),
	}
	switch {
	case name == "echo":
		return &echo{}, nil
	case name == "panic_plan":
		return &ending{name: name, plan: func() { panic("plan went wrong") }}, nil
	case name == "panic_find":
		panic("find went wrong")
	case ends[name] != nil:
		return &ending{name: name, end: ends[name], fakes: f}, nil
	}
	return procedures.New(name)
}

func fails(err error) func(context.Context) error {
	return func(context.Context) error { return fmt.Errorf("this and that: %w", err) }
}

// ending is a procedure that only ends.
type ending struct {
	name string
	plan func()
	end  func(context.Context) error
	*fakes
}

func (e *ending) Info() procedures.Info {
	return procedures.Info{Name: e.name, Output: []procedures.Column{{Name: "done", Type: procedures.TypeBoolean}}}
}

func (e *ending) Plan(_ context.Context, env procedures.Env) (procedures.Plan, error) {
	if e.plan != nil {
		e.plan()
		return e, nil
	}
	if e.fakes != nil {
		e.report = env.Progress
	}
	return e, nil
}

func (e *ending) Steps() []procedures.Step { return nil }

func (e *ending) Execute(ctx context.Context) ([]procedures.Row, error) { return nil, e.end(ctx) }

// echo returns its arguments as text and as typed columns.
type echo struct {
	table   string
	n       *int64
	small   *int32
	x       *float64
	yes     bool
	at      *time.Time
	options map[string]string
	ids     []int64
	catalog string
	zone    string
}

func (e *echo) Info() procedures.Info {
	return procedures.Info{
		Name: "echo",
		Params: []procedures.Param{
			procedures.Required(procedures.StringParam(&e.table, "table", "")),
			procedures.LongParam(&e.n, "n", ""),
			procedures.IntParam(&e.small, "small", ""),
			procedures.DoubleParam(&e.x, "x", ""),
			procedures.BoolParam(&e.yes, "yes", ""),
			procedures.TimestampParam(&e.at, "at", ""),
			procedures.MapParam(&e.options, "labels", ""),
			procedures.LongsParam(&e.ids, "ids", ""),
		},
		Output: []procedures.Column{
			{Name: "text", Type: procedures.TypeString},
			{Name: "n", Type: procedures.TypeLong, Nullable: true},
			{Name: "small", Type: procedures.TypeInt, Nullable: true},
			{Name: "x", Type: procedures.TypeDouble, Nullable: true},
			{Name: "yes", Type: procedures.TypeBoolean},
			{Name: "at", Type: procedures.TypeTimestamp, Nullable: true},
		},
	}
}

func (e *echo) Plan(_ context.Context, env procedures.Env) (procedures.Plan, error) {
	e.catalog, e.zone = env.Catalog.Name(), env.Zone.String()
	return e, nil
}

func (e *echo) Steps() []procedures.Step {
	return []procedures.Step{
		{Action: procedures.ActionRewrite, Object: e.table, Partition: "p=1", FilesIn: 5, BytesIn: 50, FilesOut: 1, BytesOut: 40, Reason: "small files"},
		{Action: procedures.ActionCommit, Object: "one"},
	}
}

func (e *echo) Execute(context.Context) ([]procedures.Row, error) {
	var options []string
	for key, value := range e.options {
		options = append(options, key+"="+value)
	}
	slices.Sort(options)
	text := fmt.Sprintf("%s %s %s [%s] %v", e.catalog, e.zone, e.table, strings.Join(options, " "), e.ids)
	row := procedures.Row{text, nil, nil, nil, e.yes, nil}
	if e.n != nil {
		row[1] = *e.n
	}
	if e.small != nil {
		row[2] = *e.small
	}
	if e.x != nil {
		row[3] = *e.x
	}
	if e.at != nil {
		row[5] = *e.at
	}
	return []procedures.Row{row}, nil
}
