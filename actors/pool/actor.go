package pool

import (
	"github.com/asynkron/protoactor-go/actor"

	"betcode/actors/internal/act"
	"betcode/actors/settings"
	"betcode/messages"
)

// Deps is what the pool needs of the system.
type Deps struct {
	act.Common

	Health   *actor.PID
	Settings func() *settings.Settings // the present ones
	Stopped  func() bool               // whether the fleet is stopped
	Publish  func(messages.SlotQueue)  // makes the queue known to readers that cannot wait for the pool

	// ToSession sends a message to the actor of a session, if it lives, and ToSessions to those of all sessions.
	ToSession  func(ctx actor.Context, id messages.SessionID, message any)
	ToSessions func(ctx actor.Context, message any)
}

// pool admits agents: it knows how many may run, which sessions wait for a slot, and which agents are parked to make room.
//
// What survives a restart: nothing. The new incarnation asks every session what it has and wants.
type pool struct {
	deps      Deps
	state     State
	restarted bool
}

// Props describes the pool.
func Props(d Deps) *actor.Props {
	restarted := false
	return d.Props("pool", func() actor.Actor {
		defer func() { restarted = true }()
		return &pool{deps: d, restarted: restarted, state: New(d.Settings(), d.Stopped())}
	})
}

// Receive implements actor.Actor.
func (p *pool) Receive(ctx actor.Context) {
	if _, ok := ctx.Message().(*actor.Started); ok && p.restarted {
		p.deps.ToSessions(ctx, Restarted{})
		return
	}
	next, effects := p.state.Step(ctx.Sender(), ctx.Message())
	p.state = next
	for _, e := range effects {
		switch e := e.(type) {
		case act.Reply:
			act.Send(ctx, e.To, e.With)
		case ToSession:
			p.deps.ToSession(ctx, e.Session, e.Message)
		case report:
			ctx.Send(p.deps.Health, e.pool)
			p.deps.Publish(e.queue)
		}
	}
}
