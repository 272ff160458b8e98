package main

import (
	"context"
	"fmt"
	"time"

	pb "betcode/proto/betcode/v1"
	"betcode/tests/kit"
)

// rest waits until every session is quiescent and every client has received all events. It answers
// requests that wait.
func (r *round) rest(ctx context.Context) bool {
	unrest := ""
	for deadline := time.Now().Add(restTime); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		d := r.house.now()
		if d == nil || ctx.Err() != nil {
			return false
		}
		if d.Ended() {
			r.ended(d)
			r.report(otherwise, "the daemon ended by itself:\n%s", d.Log())
			return false
		}
		if unrest = r.unrest(ctx); unrest == "" {
			r.note("at rest")
			return true
		}
	}
	r.report(otherwise, "no rest within %s: %s", restTime, unrest)
	return false
}

// unrest describes what is not quiescent yet.
func (r *round) unrest(ctx context.Context) string {
	for i, id := range r.sessions {
		if !r.writer(i).saidAll() {
			r.acknowledge(ctx, r.writer(i))
			return "not everything is acknowledged: " + r.writer(i).where()
		}
		if len(r.writer(i).said) == 0 {
			continue // no message was sent; the session may not exist
		}
		shown := r.show(ctx, id)
		if shown == nil {
			return "no answer about session " + id
		}
		for _, p := range shown.GetPermissions() {
			r.decide(ctx, p)
		}
		status := shown.GetSummary().GetStatus()
		if status == "crashed" {
			r.note("session %d has crashed too often, say more", i)
			r.writer(i).say("echo:wake up")
		}
		if len(shown.GetPermissions())+len(shown.GetInputs()) > 0 || status == "active" || status == "crashed" {
			return fmt.Sprintf("session %d: %v", i, shown)
		}
		for _, c := range r.clients[2*i : 2*i+2] {
			if uint64(len(c.events())) != shown.GetHead() {
				return fmt.Sprintf("%s, the head is %d", c.where(), shown.GetHead())
			}
		}
	}
	return ""
}

// decide allows every request that waits, and answers questions.
func (r *round) decide(ctx context.Context, p *pb.PendingPermission) {
	ctx, cancel := context.WithTimeout(ctx, callTime)
	defer cancel()
	request := &pb.AnswerPermissionRequest{RequestId: p.GetRequestId(), Decision: pb.PermissionDecision_ALLOW_ONCE}
	if p.GetToolName() == "AskUserQuestion" {
		request.Answers = map[string]string{}
		for _, q := range p.GetInput().GetFields()["questions"].GetListValue().GetValues() {
			request.Answers[q.GetStructValue().GetFields()["question"].GetStringValue()] = "whatever"
		}
	}
	if d := r.house.now(); d != nil {
		_, _ = d.Admin().AnswerPermission(ctx, request) // another client may have answered first; the loop tries again
	}
}

// stopOne stops the last session in the middle of a turn, kills a process at about
// the same time, and checks that the session stays stopped.
func (r *round) stopOne(ctx context.Context, s stop) bool {
	last := len(r.sessions) - 1
	writer, id := r.writer(last), r.sessions[last]
	m := writer.say("stream:400:10:5ms\necho:not to be reached")
	for deadline := time.Now().Add(restTime); !writer.saidAll(); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			r.report(otherwise, "message %s is not acknowledged", m.key)
			return false
		}
	}
	time.Sleep(s.after)
	if s.first {
		r.strike(ctx, s, last)
	}
	answered := make(chan error, 1)
	go func(d *kit.Daemon) { answered <- stopSession(ctx, d, id) }(r.house.now())
	if !s.first {
		time.Sleep(s.after / 2)
		r.strike(ctx, s, last)
	}
	err := <-answered
	if r.house.now() == nil && !r.start(ctx, "") {
		return false
	}
	if err != nil {
		r.note("stop was cut off: %v", err)
		if err := stopSession(ctx, r.house.now(), id); err != nil {
			r.report(otherwise, "the session cannot be stopped: %v", err)
			return false
		}
	}
	shown := r.show(ctx, id)
	head := shown.GetHead()
	time.Sleep(200 * time.Millisecond) // something that must not happen has its time
	if !r.rest(ctx) {
		return false
	}
	for _, e := range writer.events()[min(int(head), len(writer.events())):] {
		if s := e.GetRun().GetState(); s == pb.RunState_RUN_STATE_STARTED || s == pb.RunState_RUN_STATE_ADOPTED {
			r.report(otherwise, "the session was stopped at %d, and then: %s", head, kit.Line(e))
		}
	}
	if state := shown.GetRun().GetState(); state == pb.RunState_RUN_STATE_STARTED || state == pb.RunState_RUN_STATE_ADOPTED {
		r.report(otherwise, "the session was stopped, and its agent runs: %v", shown)
	}
	r.note("stopped, and stays so")
	return true
}

// strike kills the processes that a stop of a session has to survive. A stop that comes
// after the death of a daemon goes to the next one.
func (r *round) strike(ctx context.Context, s stop, session int) {
	for _, victim := range s.victims {
		r.kill(ctx, victim, session)
	}
	if s.first && r.house.now() == nil {
		r.start(ctx, "")
	}
}

func stopSession(ctx context.Context, d *kit.Daemon, id string) error {
	ctx, cancel := context.WithTimeout(ctx, callTime)
	defer cancel()
	_, err := d.Admin().StopSession(ctx, &pb.StopSessionRequest{SessionId: id})
	return err
}
