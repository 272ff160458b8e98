package actors

import (
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"betcode/actors/internal/act"
	"betcode/messages"
)

// longestNap bounds a permission's timer. A timer runs on the monotonic clock,
// which stands still while the machine is suspended and knows nothing of changes
// of the wall clock; so the wall clock is looked at that often, and it alone says
// what is due.
const longestNap = 5 * time.Minute

// permission is one request of an agent that waits, as an actor: it keeps the
// deadline, reminds people and lets the first answer win. It is a child of its
// session, named permission/<request>.
//
// What survives a restart: the request itself, with its wall-clock deadline; it
// is a record in the journal and the session spawns this actor from it. If only
// this actor crashes, it begins with the record it was spawned with; the session
// knows the newest and corrects it.
type permission struct {
	deps  *System
	state permissionState
	timer act.Timer
}

func permissionProps(s *System, record messages.PermissionRecord) *actor.Props {
	return s.tree.Props("permission", s.policy, func() actor.Actor {
		return &permission{deps: s, state: newPermissionState(record, s.live.Load().Reminders)}
	})
}

// Receive implements actor.Actor.
func (p *permission) Receive(ctx actor.Context) {
	switch m := ctx.Message().(type) {
	case *actor.Started:
		p.deps.tree.Detail(ctx.Self(), "tool", p.state.record.Tool)
		p.arm(ctx)
	case *actor.Stopping, *actor.Restarting:
		p.timer.Stop()
	case *actor.Stopped:
	default:
		next, effects := p.state.step(wall(p.deps.now()), ctx.Sender(), m)
		p.state = next
		for _, e := range effects {
			switch e := e.(type) {
			case reply:
				act.Send(ctx, e.to, e.with)
			case tellSession:
				ctx.Send(ctx.Parent(), e.message)
			}
		}
		p.arm(ctx)
	}
}

// arm sets the timer for whatever is due next.
func (p *permission) arm(ctx actor.Context) {
	p.timer.Stop()
	if next := p.state.next(); !next.IsZero() {
		p.timer.Set(ctx, min(max(next.Sub(wall(p.deps.now())), 0), longestNap), deadlineReached{})
	}
}
