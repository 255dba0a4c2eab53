// Command cleanup makes tables for measuring the procedures that clean up: real
// metadata, and empty files where the procedures look for or remove any.
//
//	go run ./bench/cleanup -warehouse FOLDER expire orphans manifests
//
// Each word is a table of namespace bench in a Hadoop catalog on the local disk,
// which Firn and Spark open. A table that is there is left alone.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"time"

	"github.com/firndb/firn/bench/internal/lake"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout); err != nil {
		if !errors.Is(err, flag.ErrHelp) {
			fmt.Fprintln(os.Stderr, "cleanup:", err)
		}
		os.Exit(1)
	}
}

// maker makes a table that has been begun, and says what it is.
type maker func(ctx context.Context, t *lake.Table) (string, error)

func run(ctx context.Context, args []string, out io.Writer) error {
	flags := flag.NewFlagSet("cleanup", flag.ContinueOnError)
	warehouse := flags.String("warehouse", "", "`folder` of the Hadoop catalog")
	by := flags.Int("by", 1, "a `number` by which all numbers are divided")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if *warehouse == "" || flags.NArg() == 0 || *by < 1 || *by > 100 {
		return errors.New("usage: cleanup -warehouse FOLDER [-by 1…100] CASE [CASE ...], of expire, orphans and manifests")
	}
	root, err := filepath.Abs(*warehouse)
	if err != nil {
		return err
	}
	names := []string{"expire", "orphans", "manifests"}
	tables := []maker{
		history{snapshots: 1000 / *by, manifests: 200, files: 100_000 / *by, replaced: 100}.make,
		litter{files: 900_000 / *by, manifests: 200, orphans: 99_000 / *by, young: 1000 / *by}.make,
		mixture{files: 100_000 / *by, manifests: 2000 / *by}.make,
	}
	for _, name := range flags.Args() {
		n := slices.Index(names, name)
		if n < 0 {
			return fmt.Errorf("there is no table %q; there are %q", name, names)
		}
		start := time.Now()
		t := &lake.Table{Folder: filepath.Join(root, "bench", name), Seed: uint64(n + 1)}
		there, err := t.Begin(nil)
		if err != nil {
			return err
		}
		if there {
			fmt.Fprintf(out, "bench.%s is there\n", name)
			continue
		}
		what, err := tables[n](ctx, t)
		if err == nil {
			err = t.Finish()
		}
		if err != nil {
			return fmt.Errorf("table bench.%s: %w", name, err)
		}
		fmt.Fprintf(out, "bench.%s: %s, made in %.1f s\n", name, what, time.Since(start).Seconds())
	}
	return nil
}
