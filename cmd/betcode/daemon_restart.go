package main

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
	"time"

	"github.com/urfave/cli/v2"

	"betcode/cmd/betcode/internal/client"
	"betcode/cmd/betcode/internal/exit"
	"betcode/config"
	pb "betcode/proto/betcode/v1"
)

// A restart is carried out by a helper, this program as `daemon hand-over`, which
// has a session of its own and whose parent has ended: whoever is killed half-way,
// the terminal, the command, or the script it is called from, is not the helper.
// It asks the running daemon to end without its agents, waits for that, starts the
// next one and reports through a pipe, to the command if that is still there.
//
// The next daemon is the executable of this command, as it is on the disk now. It
// gets the command line, the environment and the working directory of the one it
// follows (see predecessor.go): a restart changes nothing but the program, and the
// flags that the command is given.

// handOverFD is where a helper reports.
const handOverFD = 3

// handedOver is what a helper reports.
type handedOver struct {
	PID   int    `json:"pid"`   // of the new daemon, 0 if there is none
	Code  int    `json:"code"`  // exit code
	Error string `json:"error"` // empty if it serves
}

func (p *program) daemonRestart(ctx context.Context, c *cli.Context) error {
	if err := arguments(c, 0, 0); err != nil {
		return err
	}
	cfg, flags, err := p.locate(c)
	if err != nil {
		return err
	}
	cl, err := p.dial(ctx, config.Client{SocketPath: cfg.SocketPath})
	if h, held := holderOf(cfg.StateDir); client.Unreachable(err) && held {
		cl, err = p.reach(ctx, config.Client{SocketPath: cfg.SocketPath}, h)
		if client.Unreachable(err) && !processEnded(h.pid) {
			fmt.Fprintf(p.Stderr, "The daemon with pid %d does not answer; it is ended by a signal.\n", h.pid)
			old, known := seen(h.pid)
			if err := notOurs(h.pid, old, known); err != nil {
				return err
			}
			if err := h.end(ctx, c.Duration("timeout")); err != nil {
				return err
			}
		}
	}
	if client.Unreachable(err) {
		fmt.Fprintf(p.Stderr, "No daemon answers at %s.\n", cfg.SocketPath)
		return p.startDaemon(ctx, cfg, flags, c.Duration("timeout"))
	}
	if err != nil {
		return err
	}
	defer cl.Close()
	before, pid, err := whoServes(ctx, cl)
	if err != nil {
		return err
	}
	flags = givenOnly(c, flags)
	old, known, err := predecessor(ctx, cl.Admin, pid)
	if err != nil {
		return err
	}
	if err := errors.Join(notOurs(pid, old, known), canHandOver(), restartable(old, known, cfg, flags)); err != nil {
		return err
	}
	result, err := p.handOver(cfg, flags, pid, c.Duration("timeout"))
	if err != nil {
		return fmt.Errorf("restart daemon: %w", err)
	}
	if result.Error != "" {
		return exit.With(result.Code, errors.New(result.Error))
	}
	after, now := "unknown", result.PID
	if next, err := p.dial(ctx, config.Client{SocketPath: cfg.SocketPath}); err == nil {
		defer next.Close()
		if after, now, err = whoServes(ctx, next); err != nil {
			return err
		}
	}
	fmt.Fprintf(p.Stderr, "The daemon serves at %s (pid %d). Version %s, before %s. Its agents went on.\n", cfg.SocketPath, now, after, before)
	return nil
}

// whoServes is the version and the pid of a daemon.
func whoServes(ctx context.Context, cl *client.Client) (version string, pid int, err error) {
	health, err := cl.Health.GetHealthDetails(ctx, &pb.HealthDetailsRequest{})
	if err != nil {
		return "", 0, err
	}
	pid, err = strconv.Atoi(health.GetMetadata()["pid"])
	if err != nil || pid <= 0 {
		return "", 0, exit.With(exit.Internal, errors.New("restart daemon: it does not say which process it is"))
	}
	return health.GetMetadata()["version"], pid, nil
}

// notOurs refuses a daemon that somebody else keeps running. Where nobody knows how it
// was started, its control group tells.
func notOurs(pid int, old background, known bool) error {
	switch {
	case pid == 1:
		return exit.With(exit.Failed, errors.New("restart daemon: it is the first process of a container; restart the container"))
	case known && slices.Contains(old.environment, "SYSTEMD_EXEC_PID="+strconv.Itoa(pid)), !known && inService(pid):
		return exit.With(exit.Failed, errors.New("restart daemon: systemd runs it; use systemctl [--user] restart with the name of its service"))
	}
	return nil
}

// handOver has a helper restart the daemon and waits for its report. The helper's
// helper is started first, whose end is what orphans it.
func (p *program) handOver(cfg config.Daemon, flags config.Flags, pid int, patience time.Duration) (handedOver, error) {
	hear, say, err := os.Pipe()
	if err != nil {
		return handedOver{}, err
	}
	defer hear.Close()
	helper, err := helperCommand(handOverArguments(cfg, flags, pid, patience), say)
	if err == nil {
		err = helper.Start()
	}
	say.Close()
	if err != nil {
		return handedOver{}, err
	}
	ended := helper.Wait()
	words, err := io.ReadAll(hear)
	if err != nil {
		return handedOver{}, err
	}
	var result handedOver
	if err := json.Unmarshal(words, &result); err != nil {
		return handedOver{}, fmt.Errorf("nobody says what became of it (%w); see 'betcode daemon status'", errors.Join(ended, err))
	}
	return result, nil
}

func handOverArguments(cfg config.Daemon, flags config.Flags, pid int, patience time.Duration) []string {
	args := daemonArguments(cfg, flags)
	args[slices.Index(args, "run")] = handOverName
	args = slices.DeleteFunc(args, func(s string) bool { return s == "--keep-agents" })
	if flags["daemon.log_file"] != "" {
		args = append(args, "--log-file", cfg.LogFile)
	}
	return append(args, "--pid", strconv.Itoa(pid), "--timeout", patience.String())
}

// helperCommand is this program once more, detached from everything but the pipe.
func helperCommand(args []string, say *os.File) (*exec.Cmd, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	helper := exec.Command(self, args...)
	helper.Dir, helper.ExtraFiles = string(os.PathSeparator), []*os.File{say}
	return helper, detach(helper)
}

const handOverName = "hand-over"

// handOverCommand is the helper: first the one that orphans the other, then the
// other.
func (p *program) handOverCommand() *cli.Command {
	return &cli.Command{
		Name: handOverName, Hidden: true,
		Flags: append(daemonFlags(),
			&cli.IntFlag{Name: "pid"},
			&cli.DurationFlag{Name: "timeout"},
			&cli.BoolFlag{Name: "orphaned"}),
		Action: func(c *cli.Context) error {
			say, err := inherited(handOverFD)
			if err != nil {
				return exit.Usage(errors.New("'daemon hand-over' is a part of 'daemon restart'"))
			}
			defer say.Close()
			cfg, flags, err := p.locate(c)
			if err != nil {
				return err
			}
			flags = givenOnly(c, flags)
			pid, patience := c.Int("pid"), c.Duration("timeout")
			if !c.Bool("orphaned") {
				helper, err := helperCommand(append(handOverArguments(cfg, flags, pid, patience), "--orphaned"), say)
				if err == nil {
					err = helper.Start()
				}
				return err
			}
			result := handedOver{}
			if result.PID, err = p.replace(c.Context, cfg, flags, pid, patience); err != nil {
				result.Code, result.Error = exit.Code(err), exit.Explain(err)
			}
			return json.NewEncoder(say).Encode(result)
		},
	}
}

// replace ends the daemon pid without its agents and starts the next one.
func (p *program) replace(ctx context.Context, cfg config.Daemon, flags config.Flags, pid int, patience time.Duration) (int, error) {
	next, err := backgroundOf(cfg, flags)
	if err != nil {
		return 0, err
	}
	cl, err := p.dial(ctx, config.Client{SocketPath: cfg.SocketPath})
	if err != nil {
		return 0, err
	}
	defer cl.Close()
	if _, now, err := whoServes(ctx, cl); err == nil && now != pid {
		return 0, exit.With(exit.Failed, fmt.Errorf("restart daemon: process %d serves by now, and not %d: somebody else has restarted it", now, pid))
	}
	old, known, err := predecessor(ctx, cl.Admin, pid)
	if err != nil {
		return 0, err
	}
	if known {
		next = old.withFlags(cfg, flags).succeeded(next)
	}
	if _, err := cl.Admin.Shutdown(ctx, &pb.ShutdownRequest{KeepAgents: true}); err != nil && !client.Unreachable(err) {
		return 0, err
	}
	for deadline := time.Now().Add(patience); !processEnded(pid); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			return 0, exit.With(exit.Internal, fmt.Errorf("restart daemon: process %d is still there after %s; its log says why", pid, patience))
		}
	}
	started, err := p.launchDaemon(ctx, next, patience)
	if err != nil {
		return 0, exit.With(exit.Code(err), fmt.Errorf(
			"%w\nNo daemon serves now; the agents go on working. This program is %s, version %s. "+
				"If the journal was last written by a newer version, or this one does not work, "+
				"put the former version back and run it with 'daemon start'", err, next.executable, version))
	}
	return started, nil
}

// succeeded is the daemon that follows b: as b was run, by another executable.
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
