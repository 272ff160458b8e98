package launch

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"time"

	"betcode/cmd/betcode/internal/client"
	"betcode/cmd/betcode/internal/exit"
	"betcode/cmd/betcode/internal/statedir"
	"betcode/config"
	pb "betcode/proto/betcode/v1"
)

// Stop ends the daemon that cfg names and waits until its process is gone, so that the next daemon finds the state
// directory unlocked. A daemon that does not answer is ended by a signal. That none runs is no error.
func (l *Launcher) Stop(ctx context.Context, cfg config.Client, state string, keepAgents bool, patience time.Duration) error {
	cl, holder, err := Find(ctx, cfg, state)
	switch {
	case holder != nil:
		return l.stopUnreachable(ctx, *holder, keepAgents, patience)
	case client.Unreachable(err):
		l.Console.Say("No daemon answers at %s.", cfg.Where())
		return nil
	case err != nil:
		return err
	}
	defer cl.Close()
	pid := 0
	if health, err := cl.Health.GetHealthDetails(ctx, &pb.HealthDetailsRequest{}); err == nil && cfg.Remote.Address == "" {
		pid, _ = strconv.Atoi(health.GetMetadata()["pid"]) // 0 if the daemon does not report it
	}
	_, err = cl.Admin.Shutdown(ctx, &pb.ShutdownRequest{KeepAgents: keepAgents})
	if err != nil && !client.Unreachable(err) { // it may end before it answers
		return err
	}
	within, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for !stopped(within, cfg, pid) {
		select {
		case <-time.After(20 * time.Millisecond):
		case <-within.Done():
			if ctx.Err() != nil {
				return ctx.Err()
			}
			return exit.With(exit.Internal, fmt.Errorf("stop daemon: it still runs after %s; its log has the reason", patience))
		}
	}
	l.Console.Say("The daemon has stopped.")
	return nil
}

// stopUnreachable ends a daemon that does not answer.
func (l *Launcher) stopUnreachable(ctx context.Context, h statedir.Holder, keepAgents bool, patience time.Duration) error {
	if keepAgents {
		return exit.With(exit.Connection, fmt.Errorf("stop daemon: it (pid %d) cannot be told to leave its agents running, because its socket does not answer. "+
			"'kill -9 %d' leaves them running, and the next daemon takes them over", h.PID, h.PID))
	}
	l.Console.Say("The daemon with pid %d does not answer; it is ended by a signal.", h.PID)
	if err := end(ctx, h, patience); err != nil {
		return err
	}
	l.Console.Say("The daemon has stopped.")
	return nil
}

// stopped reports whether no daemon answers any more and the process has ended.
func stopped(ctx context.Context, cfg config.Client, pid int) bool {
	cl, err := client.Dial(ctx, cfg)
	if err == nil {
		cl.Close()
	}
	return client.Unreachable(err) && (pid == 0 || pid == os.Getpid() || statedir.ProcessEnded(pid))
}
