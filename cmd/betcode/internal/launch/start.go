package launch

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

	"betcode/cmd/betcode/internal/client"
	"betcode/cmd/betcode/internal/console"
	"betcode/cmd/betcode/internal/exit"
	"betcode/cmd/betcode/internal/logfile"
	"betcode/cmd/betcode/internal/statedir"
	"betcode/config"
)

// logTail is how many bytes of its log are shown when a daemon does not start.
const logTail = 2 << 10

// Launcher starts, replaces and stops daemons for one command.
type Launcher struct {
	Console *console.Console // progress and results are written to its standard error
	Version string           // of this executable
}

// Start runs a daemon in the background and waits until it serves. The daemon is this executable in a session of its own.
func (l *Launcher) Start(ctx context.Context, cfg config.Daemon, flags config.Flags, patience time.Duration) error {
	next, err := backgroundOf(cfg, flags)
	if err != nil {
		return err
	}
	pid, err := next.start(ctx, patience)
	if err != nil {
		return err
	}
	l.Console.Say("The daemon serves at %s (pid %d).", cfg.SocketPath, pid)
	return nil
}

// background is a daemon to start in the background.
type background struct {
	executable  string
	arguments   []string
	environment []string
	directory   string
	log         string // where its standard output and error go
	socket      string // where it will serve
}

// backgroundOf returns a daemon with the socket and the state directory of cfg and the flags that this command was given.
func backgroundOf(cfg config.Daemon, flags config.Flags) (background, error) {
	executable, err := os.Executable()
	if err != nil {
		return background{}, fmt.Errorf("start daemon: find this executable: %w", err)
	}
	return background{
		executable: executable, arguments: daemonArguments(cfg, flags), environment: backgroundEnvironment(os.Environ(), flags),
		directory: string(filepath.Separator), socket: cfg.SocketPath,
		log: cmp.Or(cfg.LogFile, filepath.Join(cfg.StateDir, statedir.LogName)),
	}, nil
}

// start starts the daemon and waits until it serves.
func (b background) start(ctx context.Context, patience time.Duration) (pid int, err error) {
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
	child.Dir, child.Env = b.directory, append(without(b.environment, logfile.ErrorFileVariable), logfile.ErrorFileVariable+"="+b.log)
	if err := detach(child); err != nil {
		return 0, err
	}
	if err := child.Start(); err != nil {
		return 0, fmt.Errorf("start daemon: %w", err)
	}
	ended := make(chan error, 1)
	go func() { ended <- child.Wait() }()

	if err := awaitServing(ctx, b.socket, patience, ended); err != nil {
		return 0, exit.With(endCode(err), fmt.Errorf("start daemon: %w. Its log, %s, ends with:\n%s", err, b.log, tailOf(b.log, before)))
	}
	return child.Process.Pid, nil
}

// endCode returns the exit code of a command whose daemon does not serve: that of the daemon, if it has ended with one of ours.
func endCode(err error) int {
	var ended *exec.ExitError
	if errors.As(err, &ended) && slices.ContainsFunc(exit.Meanings(), func(m exit.Meaning) bool { return m.Code == ended.ExitCode() }) {
		return ended.ExitCode()
	}
	return exit.Connection
}

// notifyExec is a flag that is passed on as a variable, because every user of the machine can read command lines.
const notifyExec = "notify.exec"

// daemonArguments returns the command line of a daemon in the background: its places and the flags that were given. It
// keeps its agents on a signal, because signals to a daemon in the background come from the system, for example at the
// end of a login, and are not meant for the agents.
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

// backgroundEnvironment returns the environment of a daemon in the background. It has no path of a log, because standard
// error already is that file.
func backgroundEnvironment(environ []string, flags config.Flags) []string {
	kept := without(environ, "BETCODE_LOG_FILE")
	if given := flags[notifyExec]; given != "" {
		kept = append(kept, "BETCODE_NOTIFY_EXEC="+given)
	}
	return kept
}

// without returns an environment without a variable.
func without(environ []string, variable string) []string {
	return slices.DeleteFunc(slices.Clone(environ), func(entry string) bool { return strings.HasPrefix(entry, variable+"=") })
}

// awaitServing polls until the daemon serves, has ended, or takes too long.
func awaitServing(ctx context.Context, socket string, patience time.Duration, ended <-chan error) error {
	ctx, cancel := context.WithTimeoutCause(ctx, patience, fmt.Errorf("it does not serve after %s", patience))
	defer cancel()
	for {
		cl, err := client.Dial(ctx, config.Client{SocketPath: socket})
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

// tailOf returns the end of the lines that were written to a log since before. If the log was rotated since, it is the end of the
// newest file.
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
