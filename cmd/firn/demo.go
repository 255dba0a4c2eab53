package main

import (
	"context"
	"flag"
	"fmt"
	"time"

	"github.com/firndb/firn/catalog"
	"github.com/firndb/firn/config"
	"github.com/firndb/firn/demo"
	"github.com/firndb/firn/shell"
)

func runDemo(ctx context.Context, args []string, w world) error {
	flags := flag.NewFlagSet("demo", flag.ContinueOnError)
	dataDir := flags.String("data-dir", config.Default().DataDir, "`folder` of the embedded lake, made if it is not there")
	keep := flags.Bool("keep", false, "leave the server running when the tutorial is done")
	if err := parse(flags, args, w); err != nil {
		return err
	}
	c := config.Default()
	c.DataDir = *dataDir
	if err := prepareDemo(ctx, c); err != nil {
		return err
	}
	return local(ctx, c, w, func(client *shell.Client, port int) error {
		if err := demo.Run(ctx, client, w.stdout); err != nil {
			return err
		}
		fmt.Fprintln(w.stdout, "\nEverything the tutorial says holds.")
		if *keep {
			fmt.Fprintf(w.stdout, "The server is running; connect with\n\n  mysql --host 127.0.0.1 --port %d --user root\n\nand stop it with Ctrl-C.\n", port)
			<-ctx.Done()
		}
		return nil
	})
}

func prepareDemo(ctx context.Context, c config.Config) error {
	set, err := c.Set(catalog.Hooks{})
	if err != nil {
		return err
	}
	lake, err := set.Get(ctx, config.EmbeddedCatalog)
	if err != nil {
		return err
	}
	return demo.Prepare(ctx, lake, time.Now())
}
