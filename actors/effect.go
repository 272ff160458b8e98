package actors

import (
	"slices"
	"time"

	"github.com/asynkron/protoactor-go/actor"
)

// effect is something a step wants done. Steps only describe effects; the
// actor's shell carries them out, in order.
type effect interface{ effect() }

// reply answers a request. A reply to nobody is dropped by the shell.
type reply struct {
	to   *actor.PID
	with any
}

func (reply) effect() {}

// send delivers a message or answer; nil receivers are dropped, since the actor
// library spins on a nil message and panics on a nil address.
func send(ctx actor.Context, to *actor.PID, message any) {
	if to != nil && message != nil {
		ctx.Request(to, message)
	}
}

// timer sends a message to an actor later. It belongs to that actor, which
// stops it in Stopping.
func timer(ctx actor.Context, delay time.Duration, message any) *time.Timer {
	root, self := ctx.ActorSystem().Root, ctx.Self()
	return time.AfterFunc(delay, func() { root.Send(self, message) })
}

// timers are those of one actor, which stops them with itself. Those that have gone off
// are forgotten: an actor may live for months.
type timers []runningTimer

type runningTimer struct {
	timer *time.Timer
	due   time.Time
}

func (t *timers) start(ctx actor.Context, delay time.Duration, message any) {
	now := time.Now()
	over := func(r runningTimer) bool { return r.due.Before(now) }
	*t = append(slices.DeleteFunc(*t, over), runningTimer{timer(ctx, delay, message), now.Add(delay)})
}

func (t timers) stop() {
	for _, r := range t {
		r.timer.Stop()
	}
}
