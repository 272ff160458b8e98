package main

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"google.golang.org/protobuf/proto"

	pb "betcode/proto/betcode/v1"
	"betcode/tests/kit"
)

// callTime bounds a request to the daemon.
const callTime = 2 * time.Minute

// show asks for the state of a session; nil when the daemon does not answer.
func (r *round) show(ctx context.Context, session string) *pb.ShowSessionResponse {
	d := r.house.now()
	if d == nil || d.Ended() {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, callTime)
	defer cancel()
	shown, err := d.Admin().ShowSession(ctx, &pb.ShowSessionRequest{SessionId: session})
	if err != nil {
		return nil
	}
	return shown
}

// kill kills one victim. The daemon names the agent and its launcher; if it is dead already, its
// last answer counts.
func (r *round) kill(ctx context.Context, victim string, session int) {
	if r.gateways != nil && r.gateways.kill(victim) {
		return
	}
	d := r.house.now()
	if d == nil {
		return // an earlier kill took effect
	}
	switch victim {
	case "daemon":
		r.house.doom(d)
		r.kills++
		r.note("kill daemon %d", d.PID())
		if p, err := os.FindProcess(d.PID()); err == nil && !d.Ended() {
			_ = p.Kill() // it may have ended by itself this moment
		}
		for !d.Ended() {
			time.Sleep(time.Millisecond)
		}
		r.ended(d)
	case "stop":
		r.note("stop daemon %d in order", d.PID())
		r.house.set(nil)
		if took, err := d.Stop(); err != nil {
			r.report(otherwise, "%v", err)
		} else {
			r.note("it took %s", took)
		}
		r.ended(d)
	case "leave":
		r.leave(ctx, d)
	default:
		shown := r.show(ctx, r.sessions[session])
		pid := shown.GetRun().GetPid()
		if victim == "launcher" {
			pid = shown.GetRun().GetLauncherPid()
		}
		if pid <= 1 || !r.ours(int(pid)) {
			r.note("no %s to kill", victim)
			return
		}
		r.kills++
		r.note("kill %s %d of session %d", victim, pid, session)
		if p, err := os.FindProcess(int(pid)); err == nil {
			_ = p.Kill() // it may have ended by itself this moment
		}
	}
}

// ours reports whether a process lives and belongs to this world. Its pid may be
// another process's by now.
func (r *round) ours(pid int) bool {
	environ, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", pid))
	return err == nil && strings.Contains(string(environ), r.world.Home)
}

// waiting is the requests that wait for an answer in the held session, and their process.
type waiting struct {
	run      uint64
	pid      int32
	requests []*pb.PendingPermission
}

// pending records the requests of the held session before a kill.
func (r *round) pending(ctx context.Context) *waiting {
	if !r.schedule.held {
		return nil
	}
	shown := r.show(ctx, r.sessions[0])
	if shown == nil || len(shown.GetPermissions()) == 0 {
		return nil
	}
	return &waiting{shown.GetRun().GetRun(), shown.GetRun().GetPid(), shown.GetPermissions()}
}

// comparePending checks that everything that waited still waits, as it was, if
// the process that asked has lived on.
func (r *round) comparePending(ctx context.Context, before *waiting) {
	if before == nil {
		return
	}
	shown := r.show(ctx, r.sessions[0])
	for shown == nil {
		if time.Sleep(10 * time.Millisecond); ctx.Err() != nil || r.house.now() == nil || r.house.now().Ended() {
			return
		}
		shown = r.show(ctx, r.sessions[0])
	}
	if run := shown.GetRun(); run.GetRun() != before.run || !r.ours(int(before.pid)) {
		return // the process that asked has ended, and its request with it
	}
	for _, p := range before.requests {
		if !slices.ContainsFunc(shown.GetPermissions(), func(q *pb.PendingPermission) bool { return proto.Equal(p, q) }) {
			if now := r.show(ctx, r.sessions[0]); now.GetRun().GetRun() != before.run || r.replaced(ctx, p.GetRequestId()) {
				return // the agent died meanwhile, or has asked again
			}
			r.report(lost, "permission request %s does not wait any more: %v", p.GetRequestId(), shown)
		}
	}
	r.note("%d permission requests still wait", len(before.requests))
}

// replaced reports whether the agent asked again according to the history, so that the new request
// has replaced the stored one.
func (r *round) replaced(ctx context.Context, request string) bool {
	all, err := r.export(ctx, r.sessions[0])
	return err == nil && slices.ContainsFunc(all, func(e kit.Event) bool {
		resolved := e.GetPermissionResolved()
		return resolved.GetRequestId() == request && resolved.GetReason() == "superseded"
	})
}
