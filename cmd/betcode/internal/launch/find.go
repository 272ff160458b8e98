package launch

import (
	"context"
	"fmt"
	"time"

	"betcode/cmd/betcode/internal/client"
	"betcode/cmd/betcode/internal/exit"
	"betcode/cmd/betcode/internal/statedir"
	"betcode/config"
)

// socketPatience is how long a daemon may take to make its socket again.
const socketPatience = 5 * time.Second

// Find connects to the daemon that cfg names. If no daemon answers and a process has the state directory, Find waits until
// that process answers. Where the process lives and does not answer, Find returns it as unreachable, with the error of
// the last try. An empty state means that there is no state directory to look at.
func Find(ctx context.Context, cfg config.Client, state string) (cl *client.Client, unreachable *statedir.Holder, err error) {
	cl, err = client.Dial(ctx, cfg)
	if !client.Unreachable(err) || state == "" {
		return cl, nil, err
	}
	h, held := statedir.HolderOf(state)
	if !held {
		return nil, nil, err
	}
	cl, err = reach(ctx, cfg, h)
	if client.Unreachable(err) && !statedir.ProcessEnded(h.PID) {
		return nil, &h, err
	}
	return cl, nil, err
}

// reach dials until a daemon answers, has ended, or has taken too long. It returns the error of the last try.
func reach(ctx context.Context, cfg config.Client, h statedir.Holder) (*client.Client, error) {
	for began := time.Now(); ; {
		cl, err := client.Dial(ctx, cfg)
		if err == nil || !client.Unreachable(err) || statedir.ProcessEnded(h.PID) || time.Since(began) > socketPatience {
			return cl, err
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// Unreachable returns the error for a daemon that lives and does not answer at its socket.
func Unreachable(h statedir.Holder, socket string) error {
	return exit.With(exit.Connection, fmt.Errorf(
		"a daemon runs on %s (pid %d), and its socket %s does not answer. If its socket was deleted, the daemon makes it again within seconds; "+
			"otherwise end it with 'betcode daemon stop', or replace it with 'betcode daemon restart'", h.State, h.PID, socket))
}

// end sends a daemon SIGTERM and waits until it has ended.
func end(ctx context.Context, h statedir.Holder, patience time.Duration) error {
	if now, held := statedir.HolderOf(h.State); !held || now.PID != h.PID {
		return nil // it has ended meanwhile
	}
	if err := statedir.AskToEnd(h.PID); err != nil {
		return fmt.Errorf("end the daemon with pid %d: %w", h.PID, err)
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for !statedir.ProcessEnded(h.PID) {
		select {
		case <-ctx.Done():
			return exit.With(exit.Internal, fmt.Errorf("end the daemon with pid %d: it still runs after %s; its log has the reason", h.PID, patience))
		case <-time.After(20 * time.Millisecond):
		}
	}
	return nil
}
