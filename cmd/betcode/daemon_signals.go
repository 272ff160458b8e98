package main

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"syscall"

	"betcode/cmd/betcode/internal/exit"
)

// heed returns a context that ends with the first SIGTERM or SIGINT, whose name is
// the cause. The second ends the process at once: what is journaled is safe, and
// the next daemon finds the agents as they are. SIGHUP is for serve.
func (d *daemon) heed(ctx context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	ends := make(chan os.Signal, 2)
	d.hangups = make(chan os.Signal, 1)
	signal.Notify(ends, syscall.SIGTERM, syscall.SIGINT)
	signal.Notify(d.hangups, syscall.SIGHUP)
	done := make(chan struct{})
	go func() {
		for asked := false; ; asked = true {
			select {
			case <-done:
				return
			case s := <-ends:
				if asked {
					d.log.Warn().Stringer("signal", s).Msg("second signal: the daemon ends at once")
					os.Exit(exit.Interrupted)
				}
				cancel(errors.New("signal: " + s.String()))
			}
		}
	}()
	return ctx, func() {
		signal.Stop(ends)
		signal.Stop(d.hangups)
		close(done)
		cancel(nil)
	}
}
