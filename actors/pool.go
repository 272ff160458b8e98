package actors

import (
	"github.com/asynkron/protoactor-go/actor"

	"betcode/actors/internal/act"
	"betcode/messages"
)

// pool is the admission of agents: how many may run, who waits for a slot, who
// is parked to make room.
//
// What survives a restart: nothing. The new incarnation asks every session what
// it has and wants.
type pool struct {
	deps      *System
	state     poolState
	restarted bool
}

func poolProps(s *System) *actor.Props {
	restarted := false
	return s.tree.Props("pool", s.policy, func() actor.Actor {
		defer func() { restarted = true }()
		return &pool{deps: s, restarted: restarted, state: poolState{
			limit: s.live.Load().MaxAgents, queue: s.live.Load().MaxWaiting,
			used: map[messages.SessionID]bool{}, parking: map[messages.SessionID]bool{}, asking: map[messages.SessionID]bool{},
		}}
	})
}

// Receive implements actor.Actor.
func (p *pool) Receive(ctx actor.Context) {
	if _, ok := ctx.Message().(*actor.Started); ok && p.restarted {
		ctx.Send(p.deps.sessions, poolRestarted{})
		return
	}
	next, effects := p.state.step(ctx.Sender(), ctx.Message())
	p.state = next
	for _, e := range effects {
		switch e := e.(type) {
		case reply:
			act.Send(ctx, e.to, e.with)
		case tellOne:
			ctx.Send(p.deps.sessions, addressed(e))
		case tellHealth:
			ctx.Send(p.deps.health, e.message)
		}
	}
}
