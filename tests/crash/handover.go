package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"betcode/tests/kit"
)

// Orderly stops and restarts by the command line, and kills during them.

// command runs a command against the daemon that serves and returns its output. The command has a session of its
// own, as in a terminal.
func (r *round) command(ctx context.Context, args ...string) (said string, err error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	var out bytes.Buffer
	c := exec.CommandContext(ctx, r.world.Binary, args...)
	c.Env, c.Dir, c.Stdout, c.Stderr = r.world.Environ(), r.world.Root, &out, &out
	c.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	err = c.Run()
	r.note("%s: %v: %s", strings.Join(args, " "), err, out.String())
	return out.String(), err
}

// leave shuts a daemon down and keeps its agents running.
func (r *round) leave(ctx context.Context, d *kit.Daemon) {
	r.house.set(nil)
	if said, err := r.command(ctx, "daemon", "stop", "--keep-agents"); err != nil && !d.Ended() {
		r.report(otherwise, "daemon stop: %v: %s", err, said)
	}
	r.awaitEnd(d)
	r.ended(d)
}

// restart replaces a daemon by `daemon restart`, and kills its successor while that starts or adopts agents.
func (r *round) restart(ctx context.Context, d *kit.Daemon, then time.Duration) {
	r.house.set(nil)
	var command sync.WaitGroup
	command.Go(func() { _, _ = r.command(ctx, "daemon", "restart") }) // it may well complain
	r.awaitEnd(d)
	time.Sleep(then)
	r.killSuccessors(d)
	command.Wait()
	r.await("the helper to end", func() bool { return len(r.left("hand-over")) == 0 })
	r.killSuccessors(d) // it may have come when the first look was over
	r.ended(d)
	r.background()
}

// killSuccessors kills the daemons of the world that are not d, and waits for
// their end.
func (r *round) killSuccessors(d *kit.Daemon) {
	for _, pid := range r.left("run") {
		if pid == d.PID() {
			continue
		}
		r.kills++
		r.note("kill daemon %d, which follows", pid)
		if p, err := os.FindProcess(pid); err == nil {
			_ = p.Kill() // it may have ended by itself this moment
		}
		r.await("a killed daemon to end", func() bool { return !slices.Contains(r.left("run"), pid) })
	}
}

// left lists the processes of the world that are the command line with a certain
// command: "run" is a daemon.
func (r *round) left(command string) []int {
	return slices.DeleteFunc(r.world.Left(), func(pid int) bool {
		argv := commandLine(pid)
		return argv[0] != r.world.Binary || !slices.Contains(argv, command)
	})
}

// commandLine is the argument list of a process, empty texts for none.
func commandLine(pid int) []string {
	content, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid)) // it may have ended
	return strings.Split(string(content), "\x00")
}

// background reads the log of the daemons that were not started in the
// foreground, and puts it away.
func (r *round) background() {
	path := filepath.Join(r.world.StateDir(), "daemon.log")
	log, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		return // killed before it could report anything
	}
	if err == nil {
		err = os.Rename(path, filepath.Join(r.world.Root, fmt.Sprintf("daemon-%d-next.log", r.daemons)))
	}
	if err != nil {
		r.note("log not kept: %v", err)
	}
	r.readLog(string(log))
}

// awaitEnd waits for a daemon that was asked to end.
func (r *round) awaitEnd(d *kit.Daemon) {
	r.await(fmt.Sprintf("daemon %d to end", d.PID()), d.Ended)
}

// await waits for a condition that must become true.
func (r *round) await(what string, is func() bool) {
	for deadline := time.Now().Add(patience); !is(); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			r.report(otherwise, "waited %s for %s, which did not happen", patience, what)
			return
		}
	}
}
