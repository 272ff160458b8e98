package supervision

import (
	"fmt"
	"runtime/debug"

	"github.com/asynkron/protoactor-go/actor"
)

// crash is a panic with its stack, which the library would drop. guard passes it to the supervisor.
type crash struct {
	reason any
	stack  string
}

// Error returns the reason without the stack.
func (c *crash) Error() string { return fmt.Sprint(c.reason) }

// Props returns the props of one actor. They must not be used for a second actor. produce is called
// for each incarnation and must return a new struct.
//
// The actor supervises its own children with policy.
func (t *Tree) Props(kind string, policy Policy, produce func() actor.Actor) *actor.Props {
	children := NewSupervisor(policy, t)
	var box actor.Mailbox
	var stopping bool // only used on the actor's goroutine
	return actor.PropsFromProducer(produce,
		actor.WithMailbox(func() actor.Mailbox {
			box = &mailbox{Mailbox: actor.Unbounded()()}
			return box
		}),
		actor.WithDispatcher(t.executor),
		actor.WithOnInit(func(ctx actor.Context) { t.spawned(ctx, kind, box) }),
		actor.WithSupervisor(children),
		actor.WithReceiverMiddleware(func(next actor.ReceiverFunc) actor.ReceiverFunc {
			return func(ctx actor.ReceiverContext, envelope *actor.MessageEnvelope) {
				switch m := envelope.Message.(type) {
				case *actor.Terminated:
					children.Forget(m.Who)
				case *actor.Stopping:
					stopping = true
					t.markStopping(ctx.Self().Id)
				case *actor.Stopped:
					defer t.stopped(ctx.Self().Id) // also if it panics
				default:
					if stopping {
						return
					}
				}
				defer t.guard(ctx)
				next(ctx, envelope)
				if _, ok := envelope.Message.(*actor.Started); ok {
					t.started(ctx.Self().Id)
				}
			}
		}),
	)
}

// guard turns a panic into a [crash] with its stack. While an actor stops, the end of its
// last child included, a restart is impossible: guard reports the panic and recovers.
func (t *Tree) guard(ctx actor.ReceiverContext) {
	reason := recover()
	if reason == nil {
		return
	}
	c, ok := reason.(*crash)
	if !ok {
		c = &crash{reason: reason, stack: string(debug.Stack())}
	}
	if !t.isStopping(ctx.Self().Id) {
		panic(c)
	}
	t.recovered(ctx.Self().Id, c)
}
