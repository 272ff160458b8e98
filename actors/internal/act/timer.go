package act

import (
	"slices"
	"time"

	"github.com/asynkron/protoactor-go/actor"
)

// Timer is the only timer of an actor. Setting it again stops the former one. The zero value is not set.
type Timer struct{ running *time.Timer }

// Set has the message sent to the actor at ctx after a delay, instead of a message that was set before.
func (t *Timer) Set(ctx actor.Context, delay time.Duration, message any) {
	t.Stop()
	t.running = start(ctx, delay, message)
}

// Stop drops a message that was set. A message that the timer has sent already still arrives.
func (t *Timer) Stop() {
	if t.running != nil {
		t.running.Stop()
		t.running = nil
	}
}

// Timers are any number of timers of one actor, which stops them when it stops.
type Timers []running

type running struct {
	timer *time.Timer
	due   time.Time
}

// Start has the message sent to the actor at ctx after a delay. It drops timers that have fired, because an actor may live for months.
func (t *Timers) Start(ctx actor.Context, delay time.Duration, message any) {
	now := time.Now()
	fired := func(r running) bool { return r.due.Before(now) }
	*t = append(slices.DeleteFunc(*t, fired), running{start(ctx, delay, message), now.Add(delay)})
}

// Stop stops all timers.
func (t Timers) Stop() {
	for _, r := range t {
		r.timer.Stop()
	}
}

func start(ctx actor.Context, delay time.Duration, message any) *time.Timer {
	root, self := ctx.ActorSystem().Root, ctx.Self()
	return time.AfterFunc(delay, func() { root.Send(self, message) })
}

// Wall returns a time without its monotonic reading. Deadlines are compared by the wall clock alone, because the monotonic
// clock stops while the machine is suspended.
func Wall(at time.Time) time.Time { return at.Round(0) }
