package permission

import (
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"betcode/actors/internal/act"
	"betcode/actors/settings"
	"betcode/messages"
)

// longestNap bounds the timer. Timers run on the monotonic clock, which stops while the machine is suspended and does not
// follow changes of the wall clock. Therefore the actor reads the wall clock this often; the wall clock decides what is due.
const longestNap = 5 * time.Minute

// Deps is what the actor of a permission request needs of the system.
type Deps struct {
	act.Common

	Settings func() *settings.Settings // the present ones; a request keeps the reminders of its start
}

// permission runs a [State]. It is a child of its session.
type permission struct {
	deps  Deps
	state State
	timer act.Timer
}

// Props describes the actor of a request. questions is the number of questions in it, 0 if it asks for a permission.
func Props(d Deps, record messages.PermissionRecord, questions int) *actor.Props {
	return d.Props("permission", func() actor.Actor {
		return &permission{deps: d, state: New(record, questions, d.Settings().Reminders)}
	})
}

// Receive implements actor.Actor.
func (p *permission) Receive(ctx actor.Context) {
	switch m := ctx.Message().(type) {
	case *actor.Started:
		p.deps.Tree.Detail(ctx.Self(), "tool", p.state.record.Tool)
		p.arm(ctx)
	case *actor.Stopping, *actor.Restarting:
		p.timer.Stop()
	case *actor.Stopped:
	default:
		next, effects := p.state.Step(act.Wall(p.deps.Now()), ctx.Sender(), m)
		p.state = next
		for _, e := range effects {
			switch e := e.(type) {
			case act.Reply:
				act.Send(ctx, e.To, e.With)
			case ToSession:
				ctx.Send(ctx.Parent(), e.Message)
			}
		}
		p.arm(ctx)
	}
}

// arm sets the timer for the next time at which something is due.
func (p *permission) arm(ctx actor.Context) {
	p.timer.Stop()
	if next := p.state.Next(); !next.IsZero() {
		p.timer.Set(ctx, min(max(next.Sub(act.Wall(p.deps.Now())), 0), longestNap), deadlineReached{})
	}
}
