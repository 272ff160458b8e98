package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"betcode/cmd/betcode/internal/console"
	"betcode/cmd/betcode/internal/exit"
	"betcode/config"
)

// logTail is how much of a daemon's log is shown when it does not start.
const logTail = 2 << 10

// logName is the log of a daemon in the background, in its state directory, unless
// it was given another.
const logName = "daemon.log"

// startDaemon runs a daemon in the background and waits until it really answers
// and serves. The daemon is this executable, in a session of its own, so that
// closing the terminal does not reach it.
func (p *program) startDaemon(ctx context.Context, cfg config.Daemon, flags config.Flags, patience time.Duration) error {
	background, err := backgroundOf(cfg, flags)
	if err != nil {
		return err
	}
	pid, err := p.launchDaemon(ctx, background, patience)
	if err != nil {
		return err
	}
	fmt.Fprintf(p.Stderr, "The daemon serves at %s (pid %d).\n", cfg.SocketPath, pid)
	return nil
}

// background is what to start in the background.
type background struct {
	executable  string
	arguments   []string
	environment []string
	directory   string
	log         string // where its standard output and error go
	socket      string // where it will serve
}

// backgroundOf is a daemon at the place of cfg that is given the flags that this
// command was given.
func backgroundOf(cfg config.Daemon, flags config.Flags) (background, error) {
	executable, err := os.Executable()
	if err != nil {
		return background{}, fmt.Errorf("start daemon: find this executable: %w", err)
	}
	return background{
		executable: executable, arguments: daemonArguments(cfg, flags), environment: backgroundEnvironment(os.Environ(), flags),
		directory: string(filepath.Separator), socket: cfg.SocketPath,
		log: cmp.Or(cfg.LogFile, filepath.Join(cfg.StateDir, logName)),
	}, nil
}

// launchDaemon starts a daemon and waits until it serves.
func (p *program) launchDaemon(ctx context.Context, b background, patience time.Duration) (pid int, err error) {
	if err := os.MkdirAll(filepath.Dir(b.log), 0o700); err != nil {
		return 0, fmt.Errorf("start daemon: %w", err)
	}
	log, err := os.OpenFile(b.log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return 0, fmt.Errorf("start daemon: %w", err)
	}
	defer log.Close()
	before, err := log.Stat()
	if err != nil {
		return 0, fmt.Errorf("start daemon: %w", err)
	}
	child := exec.Command(b.executable, b.arguments...)
	child.Stdout, child.Stderr = log, log // a panic goes there too
	child.Dir, child.Env = b.directory, append(without(b.environment, errorFileVariable), errorFileVariable+"="+b.log)
	if err := detach(child); err != nil {
		return 0, err
	}
	if err := child.Start(); err != nil {
		return 0, fmt.Errorf("start daemon: %w", err)
	}
	ended := make(chan error, 1)
	go func() { ended <- child.Wait() }()

	if err := p.awaitServing(ctx, b.socket, patience, ended); err != nil {
		return 0, exit.With(exit.Connection, fmt.Errorf("start daemon: %w. Its log, %s, ends with:\n%s", err, b.log, tailOf(b.log, before)))
	}
	return child.Process.Pid, nil
}

// notifyExec is a flag that is handed on as a variable: a command line can be read by
// everybody on the machine.
const notifyExec = "notify.exec"

// daemonArguments are the command line of a daemon in the background: where it is,
// and the flags that were given. There a signal comes from the system, as at the end
// of a login, and not from somebody who means the agents.
func daemonArguments(cfg config.Daemon, flags config.Flags) []string {
	args := []string{
		"--socket", cfg.SocketPath, "--config-dir", cfg.ConfigDir,
		"daemon", "run", "--keep-agents", "--state-dir", cfg.StateDir,
	}
	for _, s := range config.Table() {
		switch given := flags[s.Name]; s.Name {
		case "daemon.socket_path", "daemon.state_dir", "daemon.log_file", "daemon.keep_agents", notifyExec:
		case "agent.path":
			if given != "" {
				args = append(args, "--"+s.Flag, cfg.ClaudePath) // absolute
			}
		default:
			if given != "" {
				args = append(args, "--"+s.Flag, given)
			}
		}
	}
	return args
}

// backgroundEnvironment is the environment of a daemon in the background: without
// the log's path, since standard error already is that file.
func backgroundEnvironment(environ []string, flags config.Flags) []string {
	kept := without(environ, "BETCODE_LOG_FILE")
	if given := flags[notifyExec]; given != "" {
		kept = append(kept, "BETCODE_NOTIFY_EXEC="+given)
	}
	return kept
}

// without is an environment without a variable.
func without(environ []string, variable string) []string {
	return slices.DeleteFunc(slices.Clone(environ), func(entry string) bool { return strings.HasPrefix(entry, variable+"=") })
}

// awaitServing asks until the daemon serves, has ended, or takes too long.
func (p *program) awaitServing(ctx context.Context, socket string, patience time.Duration, ended <-chan error) error {
	ctx, cancel := context.WithTimeoutCause(ctx, patience, fmt.Errorf("it does not serve after %s", patience))
	defer cancel()
	for {
		cl, err := p.dial(ctx, config.Client{SocketPath: socket})
		if err == nil {
			serving, err := cl.Ping(ctx)
			cl.Close()
			if err == nil && serving {
				return nil
			}
		}
		select {
		case err := <-ended:
			if err == nil {
				err = errors.New("exit status 0")
			}
			return fmt.Errorf("it ended at once: %w", err)
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(30 * time.Millisecond):
		}
	}
}

// tailOf is the end of what was written to a log since it was as before says: of the
// newest file, where it was rotated since.
func tailOf(path string, before os.FileInfo) string {
	f, err := os.Open(path)
	if err != nil {
		return err.Error()
	}
	defer f.Close()
	now, err := f.Stat()
	if err != nil {
		return err.Error()
	}
	from := max(0, now.Size()-logTail)
	if os.SameFile(before, now) {
		from = max(from, min(before.Size(), now.Size()))
	}
	raw, err := io.ReadAll(io.NewSectionReader(f, from, logTail))
	if err != nil {
		return err.Error()
	}
	if len(raw) == 0 {
		return "(nothing)"
	}
	return strings.TrimRight(console.Text(string(raw)), "\n")
}
