package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/gofrs/flock"
	"github.com/urfave/cli/v2"

	"betcode/cmd/betcode/internal/client"
	"betcode/cmd/betcode/internal/exit"
	"betcode/config"
)

// holder is a daemon that is known by its lock on a state directory, although it
// cannot be reached.
type holder struct {
	pid   int // never 0
	state string
}

// socketPatience is how long a daemon that lives may take to make its socket again.
const socketPatience = 5 * time.Second

// holderOf returns the daemon that has the lock of a state directory. Whatever cannot
// be told is taken for no daemon.
func holderOf(state string) (holder, bool) {
	path := filepath.Join(state, lockName)
	content, err := os.ReadFile(path)
	if err != nil {
		return holder{}, false
	}
	lock := flock.New(path, flock.SetFlag(os.O_RDONLY))
	defer lock.Close()
	if locked, err := lock.TryRLock(); locked || err != nil {
		return holder{}, false
	}
	pid, err := strconv.Atoi(string(bytes.TrimSpace(content)))
	if err != nil || pid <= 0 || processEnded(pid) {
		return holder{}, false
	}
	return holder{pid, state}, true
}

// holder is the daemon that has the state directory this command would use.
func (p *program) holder(c *cli.Context, cfg config.Client) (holder, bool) {
	if cfg.Remote.Address != "" {
		return holder{}, false
	}
	daemon, _, err := p.locate(c)
	if err != nil {
		return holder{}, false // its mistakes are told by the command that starts one
	}
	return holderOf(daemon.StateDir)
}

// unreachable says what a person can do about a daemon that nobody can talk to.
func (h holder) unreachable(socket string) error {
	return exit.With(exit.Connection, fmt.Errorf(
		"a daemon runs on %s (pid %d), and nobody answers at %s. If its socket was deleted it makes it again within seconds; "+
			"else end it with 'betcode daemon stop', or replace it with 'betcode daemon restart'", h.state, h.pid, socket))
}

// reach waits until a daemon that lives answers again. It returns the error of the
// last try.
func (p *program) reach(ctx context.Context, cfg config.Client, h holder) (*client.Client, error) {
	for began := time.Now(); ; {
		cl, err := p.dial(ctx, cfg)
		if err == nil || !client.Unreachable(err) || processEnded(h.pid) || time.Since(began) > socketPatience {
			return cl, err
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// end asks a daemon to end by a signal, and waits for it.
func (h holder) end(ctx context.Context, patience time.Duration) error {
	if now, held := holderOf(h.state); !held || now.pid != h.pid {
		return nil // it has ended meanwhile
	}
	if err := askToEnd(h.pid); err != nil {
		return fmt.Errorf("end the daemon with pid %d: %w", h.pid, err)
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for !processEnded(h.pid) {
		select {
		case <-ctx.Done():
			return exit.With(exit.Internal, fmt.Errorf("end the daemon with pid %d: it is still there after %s; its log says why", h.pid, patience))
		case <-time.After(20 * time.Millisecond):
		}
	}
	return nil
}
