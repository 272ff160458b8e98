package host

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"syscall"

	"betcode/cmd/betcode/internal/exit"
)

// handleSignals returns a context that ends with the first SIGTERM or SIGINT; the signal's name is the cause. The second
// signal ends the process at once: journaled events are safe, and the next daemon takes over the agents. serve handles
// SIGHUP.
func (d *daemon) handleSignals(ctx context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	ends := make(chan os.Signal, 2)
	d.hangups = make(chan os.Signal, 1)
	signal.Notify(ends, syscall.SIGTERM, syscall.SIGINT)
	signal.Notify(d.hangups, syscall.SIGHUP)
	done := make(chan struct{})
	go func() {
		for second := false; ; second = true {
			select {
			case <-done:
				return
			case s := <-ends:
				if second {
					d.log.Warn().Stringer("signal", s).Msg("second signal: the daemon exits at once")
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
