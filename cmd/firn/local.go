package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"

	"github.com/firndb/firn/config"
	"github.com/firndb/firn/shell"
)

// local runs a server of the configuration on a free loopback port while use
// runs, so that a command in process takes the same way as one from outside.
// It returns when the server has stopped.
func local(ctx context.Context, c config.Config, w world, use func(client *shell.Client, port int) error) error {
	srv, records, err := newServer(c, w, slog.LevelWarn)
	if err != nil {
		return err
	}
	defer records.Close()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	bound, ok := listener.Addr().(*net.TCPAddr)
	if !ok {
		return fmt.Errorf("%s is not a TCP address", listener.Addr())
	}
	serving, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop()
	stopped := make(chan error, 1)
	go func() { stopped <- srv.Serve(serving, listener) }()
	address := shell.Address{Host: "127.0.0.1", Port: bound.Port, User: "root"}
	if len(c.Users) > 0 {
		address.User, address.Password = c.Users[0].Name, c.Users[0].Password
	}
	client, err := shell.Dial(ctx, address)
	if err == nil {
		err = use(client, bound.Port)
		client.Close()
	}
	stop()
	return errors.Join(err, <-stopped)
}
