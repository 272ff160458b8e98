package main

import (
	"context"
	"slices"
	"time"

	pb "betcode/proto/betcode/v1"
	"betcode/tests/kit"
)

// holds reports whether the requests of a session must stay unanswered now.
func (r *round) holds(session string) bool {
	return r.schedule.held && session == r.sessions[0] && !r.draining.Load()
}

// play runs one phase: clients send messages while a process is killed.
func (r *round) play(ctx context.Context, p phase, next string) bool {
	for _, m := range p.inputs {
		time.Sleep(m.wait)
		if m.cancel {
			r.writer(m.session).send(&pb.AgentRequest{Request: &pb.AgentRequest_Cancel{Cancel: &pb.CancelRequest{Reason: "crash test"}}})
			continue
		}
		if m.compact {
			go r.compact(ctx, m.session)
			continue
		}
		r.writer(m.session).say(m.prompt)
	}
	if p.words {
		r.await("a word of the agent", func() bool { return slices.ContainsFunc(r.writer(0).events(), kit.IsText) })
	}
	if p.socket {
		r.deleteSocket(ctx)
	}
	if p.serve {
		r.gateways.await()
		r.gateways.work(p.work)
	}
	time.Sleep(p.after)
	d := r.house.now()
	switch {
	case p.long:
		r.draining.Store(true)
		for deadline := time.Now().Add(restTime); !d.Ended() && r.unrest(ctx) != ""; time.Sleep(5 * time.Millisecond) {
			if time.Now().After(deadline) {
				r.report(otherwise, "no rest within %s: %s", restTime, r.unrest(ctx))
				return false
			}
		}
	case p.kill.point != "":
		r.awaitPoint(500 * time.Millisecond)
	}
	if p.kill.panics() {
		r.checkStreams(d)
	}
	before := r.pending(ctx)
	for _, victim := range p.kill.victims {
		if victim == "restart" {
			r.restart(ctx, d, p.kill.then)
			continue
		}
		r.kill(ctx, victim, p.kill.session)
	}
	if !d.Ended() {
		return true // the next phase's point is not armed in a daemon that lives
	}
	flipped := 0
	if p.bits > 0 {
		flipped = r.flipBits(p.bits)
	}
	daemons := r.daemons
	if !r.start(ctx, next) {
		return false
	}
	// A daemon that died at its start has moved the groups, and so has the one that leaves an older format.
	if r.daemons == daemons+1 && !ages(next) {
		r.checkFlips(flipped)
	}
	r.comparePending(ctx, before)
	if r.trees != nil {
		r.trees.check(ctx)
	}
	return true
}
