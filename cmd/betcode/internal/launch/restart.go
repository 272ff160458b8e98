package launch

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"time"

	"betcode/cmd/betcode/internal/client"
	"betcode/cmd/betcode/internal/console"
	"betcode/cmd/betcode/internal/exit"
	"betcode/cmd/betcode/internal/statedir"
	"betcode/config"
	pb "betcode/proto/betcode/v1"
)

// A restart is carried out by a helper: this program as 'daemon hand-over', in a session of its own, with a parent that
// has ended. So whatever is killed half-way, the terminal, the command, or the script that called it, is not the helper.
// The helper asks the running daemon to end without its agents, waits for that, starts the next one, and reports through
// a pipe to the command, if that still runs.
//
// The next daemon is the executable of this command as it is on the disk now. It gets the command line, the environment
// and the working directory of the daemon before (predecessor.go): a restart changes the program, the flags that the command
// was given, and with --environment some variables.

// reportFD is the descriptor of the pipe through which a helper reports.
const reportFD = 3

// handedOver is the report of a helper.
type handedOver struct {
	PID   int    `json:"pid"`   // of the new daemon, 0 if there is none
	Code  int    `json:"code"`  // exit code
	Error string `json:"error"` // empty if it serves
}

// RestartOptions are the changes of a restart besides the program.
type RestartOptions struct {
	Flags       config.Flags  // in place of those of the running daemon
	Environment bool          // the next daemon takes variables of this process; see [TakenVariables]
	Patience    time.Duration // for the end of one daemon and the start of the other
}

// Restart replaces the daemon at the place of cfg by this executable; its agents go on. If no daemon runs, Restart starts one
// with the flags in fresh.
func (l *Launcher) Restart(ctx context.Context, cfg config.Daemon, fresh config.Flags, o RestartOptions) error {
	patience := o.Patience
	cl, holder, err := Find(ctx, config.Client{SocketPath: cfg.SocketPath}, cfg.StateDir)
	if holder != nil {
		l.Console.Say("The daemon with pid %d does not answer; it is ended by a signal.", holder.PID)
		old, known := seen(holder.PID)
		if err := supervised(holder.PID, old, known); err != nil {
			return err
		}
		if err := end(ctx, *holder, patience); err != nil {
			return err
		}
	}
	if client.Unreachable(err) {
		l.Console.Say("No daemon answers at %s.", cfg.SocketPath)
		return l.Start(ctx, cfg, fresh, patience)
	}
	if err != nil {
		return err
	}
	defer cl.Close()
	before, pid, err := whoServes(ctx, cl)
	if err != nil {
		return err
	}
	old, known, err := predecessor(ctx, cl.Admin, pid)
	if err != nil {
		return err
	}
	if err := errors.Join(supervised(pid, old, known), canHandOver(), restartable(old, known, cfg, o.Flags)); err != nil {
		return err
	}
	var taken []string
	if o.Environment {
		_, taken = old.withEnvironment(os.Environ())
	}
	result, err := handOver(cfg, o, pid)
	if err != nil {
		return fmt.Errorf("restart daemon: %w", err)
	}
	if result.Error != "" {
		return exit.With(result.Code, errors.New(result.Error))
	}
	after, now := "unknown", result.PID
	if next, err := client.Dial(ctx, config.Client{SocketPath: cfg.SocketPath}); err == nil {
		defer next.Close()
		if after, now, err = whoServes(ctx, next); err != nil {
			return err
		}
	}
	l.Console.Say("The daemon serves at %s (pid %d). Version %s, before %s. Its agents went on.", cfg.SocketPath, now, after, before)
	switch {
	case !o.Environment:
	case len(taken) == 0:
		l.Console.Say("Nothing was taken from this environment: the daemon has the same values already.")
	default: // names alone: values may be secrets
		l.Console.Say("Taken from this environment: %s. Agents get it when they are started.", console.Line(strings.Join(taken, ", ")))
	}
	return nil
}

// whoServes returns the version and the pid of a daemon.
func whoServes(ctx context.Context, cl *client.Client) (version string, pid int, err error) {
	health, err := cl.Health.GetHealthDetails(ctx, &pb.HealthDetailsRequest{})
	if err != nil {
		return "", 0, err
	}
	pid, err = strconv.Atoi(health.GetMetadata()["pid"])
	if err != nil || pid <= 0 {
		return "", 0, exit.With(exit.Internal, errors.New("restart daemon: the daemon does not report its pid"))
	}
	return health.GetMetadata()["version"], pid, nil
}

// supervised refuses a daemon that systemd or a container runs. If it is not known how the daemon was started, its control
// group decides.
func supervised(pid int, old background, known bool) error {
	switch {
	case pid == 1:
		return exit.With(exit.Failed, errors.New("restart daemon: it is the first process of a container; restart the container"))
	case known && slices.Contains(old.environment, "SYSTEMD_EXEC_PID="+strconv.Itoa(pid)), !known && inService(pid):
		return exit.With(exit.Failed, errors.New("restart daemon: systemd runs it; run 'systemctl [--user] restart' with the name of its service"))
	}
	return nil
}

// handOver has a helper restart the daemon and waits for its report.
func handOver(cfg config.Daemon, o RestartOptions, pid int) (handedOver, error) {
	read, write, err := os.Pipe()
	if err != nil {
		return handedOver{}, err
	}
	defer read.Close()
	helper, err := helperCommand(handOverArguments(cfg, o, pid), write)
	if err == nil {
		err = helper.Start()
	}
	write.Close()
	if err != nil {
		return handedOver{}, err
	}
	ended := helper.Wait()
	text, err := io.ReadAll(read)
	if err != nil {
		return handedOver{}, err
	}
	var result handedOver
	if err := json.Unmarshal(text, &result); err != nil {
		return handedOver{}, fmt.Errorf("the helper did not report (%w); run 'betcode daemon status'", errors.Join(ended, err))
	}
	return result, nil
}

func handOverArguments(cfg config.Daemon, o RestartOptions, pid int) []string {
	args := daemonArguments(cfg, o.Flags)
	args[slices.Index(args, "run")] = HandOverName
	args = slices.DeleteFunc(args, func(s string) bool { return s == "--keep-agents" })
	if o.Flags["daemon.log_file"] != "" {
		args = append(args, "--log-file", cfg.LogFile)
	}
	if o.Environment {
		args = append(args, "--environment") // which the helper has from this process
	}
	return append(args, "--pid", strconv.Itoa(pid), "--timeout", o.Patience.String())
}

// helperCommand returns this program once more, detached from everything but the pipe.
func helperCommand(args []string, report *os.File) (*exec.Cmd, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	helper := exec.Command(self, args...)
	helper.Dir, helper.ExtraFiles = string(os.PathSeparator), []*os.File{report}
	return helper, detach(helper)
}

// HandOverName is the name of the hidden command that runs [Launcher.RunHelper].
const HandOverName = "hand-over"

// RunHelper is the process 'daemon hand-over'. The first one starts the second one and ends, so that the second is an
// orphan, which no terminal or shell ends by mistake; the second carries out the restart and reports it.
func (l *Launcher) RunHelper(ctx context.Context, cfg config.Daemon, o RestartOptions, pid int, orphaned bool) error {
	report, err := inherited(reportFD)
	if err != nil {
		return exit.Usage(errors.New("'daemon hand-over' is a part of 'daemon restart'"))
	}
	defer report.Close()
	if !orphaned {
		helper, err := helperCommand(append(handOverArguments(cfg, o, pid), "--orphaned"), report)
		if err == nil {
			err = helper.Start()
		}
		return err
	}
	result := handedOver{}
	if result.PID, err = l.replace(ctx, cfg, o, pid); err != nil {
		result.Code, result.Error = exit.Code(err), exit.Explain(err)
	}
	return json.NewEncoder(report).Encode(result)
}

// replace ends the daemon pid without its agents and starts the next one.
func (l *Launcher) replace(ctx context.Context, cfg config.Daemon, o RestartOptions, pid int) (int, error) {
	patience := o.Patience
	next, err := backgroundOf(cfg, o.Flags)
	if err != nil {
		return 0, err
	}
	cl, err := client.Dial(ctx, config.Client{SocketPath: cfg.SocketPath})
	if err != nil {
		return 0, err
	}
	defer cl.Close()
	if _, now, err := whoServes(ctx, cl); err == nil && now != pid {
		return 0, exit.With(exit.Failed, fmt.Errorf("restart daemon: process %d serves now, and not %d: it was restarted meanwhile", now, pid))
	}
	old, known, err := predecessor(ctx, cl.Admin, pid)
	if err != nil {
		return 0, err
	}
	if known {
		if o.Environment {
			old, _ = old.withEnvironment(next.environment)
		}
		next = old.withFlags(cfg, o.Flags).succeeded(next)
	}
	if _, err := cl.Admin.Shutdown(ctx, &pb.ShutdownRequest{KeepAgents: true}); err != nil && !client.Unreachable(err) {
		return 0, err
	}
	for deadline := time.Now().Add(patience); !statedir.ProcessEnded(pid); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			return 0, exit.With(exit.Internal, fmt.Errorf("restart daemon: process %d still runs after %s; its log has the reason", pid, patience))
		}
	}
	started, err := next.start(ctx, patience)
	if err != nil {
		return 0, exit.With(exit.Code(err), fmt.Errorf(
			"%w\nNo daemon serves now; the agents go on working. This program is %s, version %s. "+
				"If the journal was last written by a newer version, or this one does not work, "+
				"put the former version back and start it with 'daemon start'", err, next.executable, l.Version))
	}
	return started, nil
}

// succeeded returns the daemon that follows b: started as b was, with another executable.
func (b background) succeeded(next background) background {
	b.executable, b.socket = next.executable, next.socket
	if b.log == "" {
		b.log = next.log
	}
	if !slices.Contains(b.arguments, "--keep-agents") {
		b.arguments = append(slices.Clip(b.arguments), "--keep-agents") // it is in the background from now on
	}
	return b
}
