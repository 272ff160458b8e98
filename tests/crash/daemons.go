package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"betcode/messages/failpoint"
	"betcode/tests/kit"
)

// ages reports whether the journal is made one of an older format before a daemon that is armed at point.
func ages(point string) bool { return strings.HasPrefix(point, "migration/") }

// start runs the next daemon, armed or not. One that kills itself while it
// starts is followed by one that is not armed.
func (r *round) start(ctx context.Context, point string) bool {
	if ages(point) {
		r.age(point)
	}
	r.world.Binary, r.world.Extra = r.binaries.plain, r.agentKind.environ
	if plan := r.schedule.arms(point); plan != "" {
		r.world.Binary = r.binaries.armed
		r.world.Extra = append(slices.Clone(r.agentKind.environ), failpoint.Variable+"="+plan)
	}
	r.daemons++
	d, err := r.world.Start(ctx)
	switch {
	case err == nil:
		r.note("daemon %d serves, pid %d, armed %q", r.daemons, d.PID(), point)
		r.house.set(d)
		return true
	case point != "" && strings.Contains(err.Error(), failpoint.Mark):
		r.note("daemon %d ended itself while it started: %s", r.daemons, point)
		r.kills++
		r.points = append(r.points, point)
		return r.start(ctx, "")
	}
	r.report(otherwise, "the daemon does not start: %v", err)
	return false
}

// ended puts away a daemon that has ended: its log is kept, and its failpoints
// are counted.
func (r *round) ended(d *kit.Daemon) {
	r.house.set(nil)
	d.Kill() // closes the connection
	log := d.Log()
	for line := range strings.Lines(log) {
		if point, ok := strings.CutPrefix(line, failpoint.Mark); ok {
			r.points = append(r.points, strings.TrimSpace(point))
			r.note("reached %s", strings.TrimSpace(point))
		}
	}
	path := filepath.Join(r.world.Root, fmt.Sprintf("daemon-%d.log", r.daemons))
	if err := os.WriteFile(path, []byte(log), 0o600); err != nil {
		r.note("log not kept: %v", err)
	}
	r.readLog(log)
}

// readLog reports lines that must not be in the log of a daemon. A panic of an actor is allowed if a failpoint
// caused it.
func (r *round) readLog(log string) {
	bugs := []string{"DATA RACE", "fatal error:"}
	if !strings.Contains(log, "failpoint ") {
		bugs = append(bugs, "panic:", "actor crashed")
	}
	for _, bug := range bugs {
		if _, after, found := strings.Cut(log, bug); found {
			r.report(otherwise, "the log of daemon %d has %q: %.1500s", r.daemons, bug, after)
		}
	}
}

// checkStreams reports streams that ended, and a daemon that did, although only
// an actor was to crash.
func (r *round) checkStreams(d *kit.Daemon) {
	if d.Ended() {
		r.report(otherwise, "the panic of an actor ended the daemon:\n%s", d.Log())
	}
	for _, c := range r.clients {
		if n := c.cut(d); n > 0 {
			r.report(otherwise, "the panic of an actor ended %d streams of client %s of %s", n, c.name, c.session)
		}
	}
}

// awaitPoint waits a little for a daemon that is to kill itself.
func (r *round) awaitPoint(patience time.Duration) {
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(2 * time.Millisecond) {
		if d := r.house.now(); d == nil || d.Ended() {
			return
		}
	}
}
