// Command metadata makes tables for measuring metadata tables: real metadata
// files, manifest lists and manifests with column statistics, and no data.
//
//	go run ./bench/metadata -warehouse FOLDER 2000 100000 1000000
//
// Each number is the files of one table, bench.f2000 and so on, in a Hadoop
// catalog on the local disk, which Firn and Spark open. A table is made of the
// same values every time; only Avro's sync markers differ. One that is there
// is left alone.
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
	"strconv"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout); err != nil {
		if !errors.Is(err, flag.ErrHelp) {
			fmt.Fprintln(os.Stderr, "metadata:", err)
		}
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, out io.Writer) error {
	flags := flag.NewFlagSet("metadata", flag.ContinueOnError)
	warehouse := flags.String("warehouse", "", "`folder` of the Hadoop catalog")
	manifests := flags.Int("manifests", 200, "`number` of manifests of a table")
	snapshots := flags.Int("snapshots", 10, "`number` of appends that made a table")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if *warehouse == "" || flags.NArg() == 0 {
		return errors.New("usage: metadata -warehouse FOLDER FILES [FILES ...]")
	}
	root, err := filepath.Abs(*warehouse)
	if err != nil {
		return err
	}
	for _, arg := range flags.Args() {
		files, err := strconv.Atoi(arg)
		if err != nil || files < *manifests || *snapshots < 1 || *manifests < *snapshots {
			return fmt.Errorf("%q files in %d manifests of %d snapshots: each snapshot needs a manifest and each manifest a file", arg, *manifests, *snapshots)
		}
		start := time.Now()
		t := layout{folder: filepath.Join(root, "bench", "f"+arg), files: files, manifests: *manifests, snapshots: *snapshots}
		made, err := t.write(ctx)
		if err != nil {
			return fmt.Errorf("table bench.f%s: %w", arg, err)
		}
		if !made {
			fmt.Fprintf(out, "bench.f%s is there\n", arg)
			continue
		}
		fmt.Fprintf(out, "bench.f%s: %d files in %d manifests, made in %.1f s\n", arg, files, *manifests, time.Since(start).Seconds())
	}
	return nil
}
