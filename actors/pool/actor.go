package pool

import (
	"math/rand/v2"

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
	Stopped  func() bool               // reports whether the fleet is stopped
	Publish  func(messages.SlotQueue)  // publishes the queue to readers that cannot wait for the pool

	// Limits returns the stored limits of accounts. SaveLimits stores them and does not wait.
	FreeMemory func() int64 // available bytes of memory, 0 = not known; called in a step, so it does not wait
	Limits     func() []messages.FleetLimit
	SaveLimits func([]messages.FleetLimit)

	// ToSession sends a message to the actor of a session, if it lives, and ToSessions to those of all sessions.
	ToSession  func(ctx actor.Context, id messages.SessionID, message any)
	ToSessions func(ctx actor.Context, message any)
}

// pool admits agents: it knows how many may run, which sessions wait for a slot, and which agents are parked to make room.
//
// What survives a restart: the limits of accounts. The new incarnation asks every session for its slot and its requests.
type pool struct {
	deps      Deps
	state     State
	timer     act.Timer
	restarted bool
}

// Props describes the pool.
func Props(d Deps) *actor.Props {
	restarted := false
	return d.Props("pool", func() actor.Actor {
		defer func() { restarted = true }()
		return &pool{deps: d, restarted: restarted, state: New(d.Settings(), d.Stopped(), d.Limits())}
	})
}

// Receive implements actor.Actor.
func (p *pool) Receive(ctx actor.Context) {
	switch m := ctx.Message().(type) {
	case *actor.Started:
		p.step(ctx, wakeUp{}) // for the limits
		if p.restarted {
			p.deps.ToSessions(ctx, Restarted{})
		}
	case *actor.Stopping, *actor.Restarting:
		p.timer.Stop()
	default:
		p.step(ctx, m)
	}
}

func (p *pool) step(ctx actor.Context, m any) {
	now := Env{At: act.Wall(p.deps.Now()), Chance: rand.Float64()}
	if p.deps.FreeMemory != nil && p.state.Measures(m) {
		now.Free = p.deps.FreeMemory()
	}
	next, effects := p.state.Step(now, ctx.Sender(), m)
	p.state = next
	for _, e := range effects {
		switch e := e.(type) {
		case act.Reply:
			act.Send(ctx, e.To, e.With)
		case act.After:
			p.timer.Set(ctx, e.Delay, e.Message)
		case ToSession:
			p.deps.ToSession(ctx, e.Session, e.Message)
		case keepLimits:
			p.logLimits(e.limits)
			p.deps.SaveLimits(e.limits)
		case report:
			ctx.Send(p.deps.Health, e.pool)
			p.deps.Publish(e.queue)
		}
	}
}

// logLimits logs which accounts start no turns at present.
func (p *pool) logLimits(limits []messages.FleetLimit) {
	log := p.deps.Log("pool")
	for _, l := range limits {
		log.Warn().Str(act.LogSession, string(l.Session)).Str("account", l.Account).Str("limit", l.Kind).Time("until", l.Until).
			Time("resets", l.Resets).Msg("rate limit: no new turn of the account starts")
	}
	if len(limits) == 0 {
		log.Info().Msg("rate limit over: turns start again")
	}
}
