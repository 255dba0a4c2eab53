package main

import (
	"context"
	"flag"
	"fmt"
	"log/slog"
	"net"
	"os"
	"runtime/debug"
	"time"

	"github.com/firndb/firn/catalog"
	"github.com/firndb/firn/config"
	"github.com/firndb/firn/maintenance"
	"github.com/firndb/firn/maintenance/journal"
	"github.com/firndb/firn/server"
)

// grace is how long running statements may go on after a stop.
const grace = 10 * time.Second

// settings are the flags that say which configuration to use.
type settings struct {
	path, dataDir string
}

func (s *settings) register(flags *flag.FlagSet) {
	flags.StringVar(&s.path, "config", "", "configuration `file`; default firn.yaml or .pyiceberg.yaml if there, else the embedded lake")
	flags.StringVar(&s.dataDir, "data-dir", "", "`folder` of the embedded lake (default firn-data)")
}

// load reads the configuration, the flags above the file. It keeps in s.path
// which file it was.
func (s *settings) load(w world) (config.Config, error) {
	for _, name := range []string{"firn.yaml", ".pyiceberg.yaml"} {
		if _, err := os.Stat(name); s.path == "" && err == nil {
			s.path = name
		}
	}
	c := config.Default()
	if s.path != "" {
		var err error
		if c, err = config.Load(s.path, w.getenv); err != nil {
			return c, err
		}
	}
	if s.dataDir != "" {
		if len(c.Catalogs) > 0 {
			return c, fmt.Errorf("-data-dir is for the embedded lake, and %s has catalogs; leave one of them out", s.path)
		}
		c.DataDir = s.dataDir
	}
	return c, nil
}

// source says where the catalogs come from.
func (s *settings) source(c config.Config) string {
	if len(c.Catalogs) == 0 {
		return "with the embedded lake in " + c.DataDir
	}
	return "with the catalogs of " + s.path
}

func serve(ctx context.Context, args []string, w world) error {
	flags := flag.NewFlagSet("serve", flag.ContinueOnError)
	var s settings
	s.register(flags)
	listen := flags.String("listen", "", "`host:port` to listen on (default 127.0.0.1:3307)")
	profile := flags.String("cpuprofile", "", "`file` to write, at the end, where processor time went, for go tool pprof")
	if err := parse(flags, args, w); err != nil {
		return err
	}
	c, err := s.load(w)
	if err != nil {
		return err
	}
	if *listen != "" {
		c.Listen = *listen
	}
	if err := c.Validate(); err != nil {
		return err
	}
	if err := server.CheckListen(c.Listen, users(c)); err != nil {
		return err
	}
	srv, records, err := newServer(c, w, slog.LevelInfo)
	if err != nil {
		return err
	}
	defer records.Close()
	listener, err := net.Listen("tcp", c.Listen)
	if err != nil {
		return err
	}
	fmt.Fprintf(w.stderr, "firn %s listens on %s, %s\n", version, listener.Addr(), s.source(c))
	records.Check()
	said := make(chan struct{})
	unsaid := context.AfterFunc(ctx, func() {
		defer close(said)
		fmt.Fprintf(w.stderr, "firn stops: running statements have %s; a second signal ends it at once\n", grace)
	})
	// What packages needed to set themselves up is garbage now and would stay
	// for as long as the server is idle.
	go debug.FreeOSMemory()
	err = profiled(*profile, func() error { return srv.Serve(ctx, listener) })
	if !unsaid() {
		<-said
	}
	return err
}

// limits bound every procedure.
func limits(c config.Config) maintenance.Limits {
	memory := c.Memory
	if memory == 0 {
		memory = min(machineMemory()/4, memoryTarget)
	}
	return maintenance.Limits{MemoryBytes: memory, ScratchDir: c.Scratch(), ScratchBytes: c.ScratchLimit, OrphanAge: c.OrphanMinAge}
}

// newServer makes the server of a configuration, which says from level on what
// it does, and its journal, to be closed in the end; nothing is opened yet.
func newServer(c config.Config, w world, level slog.Level) (*server.Server, *journal.Journal, error) {
	set, err := c.Set(catalog.Hooks{})
	if err != nil {
		return nil, nil, err
	}
	log := slog.New(slog.NewTextHandler(w.stderr, &slog.HandlerOptions{Level: level}))
	records := journal.Open(c.JournalDir(), time.Now, log)
	if _, set := w.getenv("GOMEMLIMIT"); !set && c.Memory > 0 {
		debug.SetMemoryLimit(c.Memory)
	}
	srv, err := server.New(server.Config{
		Journal:  records,
		Limits:   limits(c),
		Catalogs: set,
		Users:    users(c),
		Now:      time.Now,
		Log:      log,
		Version:  version,
		Grace:    grace,

		Memory:        server.MemoryLimits{Rows: c.MaxRowsInMemory, Bytes: c.MaxBytesInMemory},
		ManifestCache: c.ManifestCacheBytes,
	})
	return srv, records, err
}

func users(c config.Config) []server.User {
	users := make([]server.User, len(c.Users))
	for i, u := range c.Users {
		users[i] = server.User{Name: u.Name, Password: u.Password}
	}
	return users
}
