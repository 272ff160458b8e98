package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"betcode/config"
)

// logTail is how much of a daemon's log is shown when it does not start.
const logTail = 2 << 10

// startDaemon runs a daemon in the background and waits until it really answers
// and serves. The daemon is this executable, in a session of its own, so that
// closing the terminal does not reach it.
func (p *program) startDaemon(ctx context.Context, cfg config.Daemon, patience time.Duration) error {
	if cfg.LogFile == "" {
		cfg.LogFile = filepath.Join(cfg.StateDir, "daemon.log")
	}
	if err := os.MkdirAll(filepath.Dir(cfg.LogFile), 0o700); err != nil {
		return fmt.Errorf("start daemon: %w", err)
	}
	log, err := os.OpenFile(cfg.LogFile, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("start daemon: %w", err)
	}
	defer log.Close()
	from, err := log.Seek(0, io.SeekEnd)
	if err != nil {
		return fmt.Errorf("start daemon: %w", err)
	}
	executable, err := os.Executable()
	if err != nil {
		return fmt.Errorf("start daemon: find this executable: %w", err)
	}
	child := exec.Command(executable, daemonArguments(cfg)...)
	child.Stdout, child.Stderr = log, log // a panic goes there too
	child.Dir = string(filepath.Separator)
	child.Env = withoutLogFile(os.Environ())
	if err := detach(child); err != nil {
		return err
	}
	if err := child.Start(); err != nil {
		return fmt.Errorf("start daemon: %w", err)
	}
	ended := make(chan error, 1)
	go func() { ended <- child.Wait() }()

	if err := p.awaitServing(ctx, cfg, patience, ended); err != nil {
		return exitError{exitConnection, fmt.Errorf("start daemon: %w. Its log, %s, ends with:\n%s", err, cfg.LogFile, tailOf(cfg.LogFile, from))}
	}
	fmt.Fprintf(p.stderr, "The daemon serves at %s (pid %d).\n", cfg.SocketPath, child.Process.Pid)
	return nil
}

// daemonArguments are the command line of a daemon that runs as cfg says.
func daemonArguments(cfg config.Daemon) []string {
	args := []string{
		"--socket", cfg.SocketPath, "--config-dir", cfg.ConfigDir,
		"daemon", "run", "--state-dir", cfg.StateDir, "--log-level", cfg.LogLevel,
		"--max-agents", strconv.Itoa(cfg.MaxAgents), "--permission-ttl", cfg.PermissionTTL.String(),
	}
	if cfg.ClaudePath != "" {
		args = append(args, "--claude", cfg.ClaudePath)
	}
	return args
}

// withoutLogFile is the environment without the log's path: standard error already
// is that file.
func withoutLogFile(environ []string) []string {
	var kept []string
	for _, entry := range environ {
		if !strings.HasPrefix(entry, "BETCODE_LOG_FILE=") {
			kept = append(kept, entry)
		}
	}
	return kept
}

// awaitServing asks until the daemon serves, has ended, or takes too long.
func (p *program) awaitServing(ctx context.Context, cfg config.Daemon, patience time.Duration, ended <-chan error) error {
	ctx, cancel := context.WithTimeoutCause(ctx, patience, fmt.Errorf("it does not serve after %s", patience))
	defer cancel()
	for {
		cl, err := p.dial(ctx, config.Client{SocketPath: cfg.SocketPath})
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

// tailOf is the end of what was written to a log since from.
func tailOf(path string, from int64) string {
	f, err := os.Open(path)
	if err != nil {
		return err.Error()
	}
	defer f.Close()
	if info, err := f.Stat(); err == nil && info.Size()-from > logTail {
		from = info.Size() - logTail
	}
	raw, err := io.ReadAll(io.NewSectionReader(f, from, logTail))
	if err != nil {
		return err.Error()
	}
	if len(raw) == 0 {
		return "(nothing)"
	}
	return strings.TrimRight(printable(string(raw)), "\n")
}
