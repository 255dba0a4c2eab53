package shell

import (
	"context"
	"fmt"
	"io"
	"time"
)

// Progress returns a Runner's Watch that shows on one line of out, once a
// statement on c has taken a second, for how long it has been running and what
// the server's process list says of it.
func Progress(ctx context.Context, c *Client, out io.Writer) func(Statement) (done func()) {
	return func(Statement) func() {
		ctx, cancel := context.WithCancel(ctx)
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			show(ctx, c, out)
		}()
		return func() {
			cancel()
			<-ended
		}
	}
}

// show redraws the line every second until ctx is done, then clears it.
func show(ctx context.Context, c *Client, out io.Writer) {
	start := time.Now()
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for shown := false; ; shown = true {
		select {
		case <-ctx.Done():
			if shown {
				fmt.Fprint(out, "\r\x1b[K")
			}
			return
		case <-tick.C:
			fmt.Fprintf(out, "\r\x1b[K%s  %s", time.Since(start).Truncate(time.Second), c.state(ctx))
		}
	}
}
