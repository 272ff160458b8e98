package actors

import (
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"betcode/actors/internal/act"
	"betcode/messages"
	"betcode/messages/failpoint"
)

// client is one attached stream: its place in the history and its outbox. It is
// a child of its session, named client/<stream>.
//
// What survives a restart: nothing, and nothing needs to. When the actor goes,
// its outbox is closed with [errDetached], on which the gateway attaches the
// stream again behind the last number it has delivered.
type client struct {
	deps    *System
	session messages.SessionID
	sink    messages.Sink
	state   clientState
	hands   *act.Worker
	timer   *time.Timer // one at most
	ended   bool
}

// errDetached ends an outbox whose actor is gone while the session lives on.
var errDetached = messages.Errorf("follow session", messages.Unavailable, "the session's actor is being restarted")

func clientProps(s *System, a messages.Attach, state clientState) *actor.Props {
	session, sink := a.Session, a.Sink
	return s.tree.Props("client", s.policy, func() actor.Actor {
		c := &client{deps: s, session: session, sink: sink, state: state}
		state.greeting, state.prompts = nil, nil // said once: the next incarnation has a closed outbox
		return c
	})
}

// Receive implements actor.Actor.
func (c *client) Receive(ctx actor.Context) {
	switch m := act.Unwrap(c, ctx.Message()).(type) {
	case *actor.Started:
		c.hands = act.NewWorker(ctx, &c.deps.workers, c)
		next, effects := c.state.begin()
		c.perform(ctx, next, effects)
	case *actor.Stopping, *actor.Restarting:
		c.hands.Close(nil)
		if c.timer != nil {
			c.timer.Stop()
		}
		if !c.ended {
			c.sink.Close(errDetached)
		}
	case nil, *actor.Stopped:
	default:
		failpoint.Hit(failpoint.ClientStep)
		next, effects := c.state.step(m)
		c.perform(ctx, next, effects)
	}
}

// perform keeps the next state and carries out the effects. A refused push is
// fed back at once together with the effects behind it, which are not carried
// out: they were decided as if it had fitted.
func (c *client) perform(ctx actor.Context, next clientState, effects []effect) {
	c.state = next
	for i, e := range effects {
		switch e := e.(type) {
		case push:
			failpoint.Hit(failpoint.OutboxPushed)
			if !c.sink.Push(e.events) {
				refused, more := c.state.step(pushRefused{effects[i:]})
				c.perform(ctx, refused, more)
				return
			}
		case readLog:
			store, session := c.deps.options.Store, c.session
			c.hands.Do(func() any {
				events, err := store.Events(session, e.after, catchUpEvents, catchUpBytes)
				return messages.HistoryRead{Events: events, Err: err}
			})
		case endSink:
			c.ended = true
			c.sink.Close(e.reason)
		case dropSink:
			c.ended = true
			c.sink.Drop(e.reason)
		case watchOutbox:
			root, self, sink := ctx.ActorSystem().Root, ctx.Self(), c.sink
			taken := sink.Taken()
			c.timer = time.AfterFunc(e.delay, func() { root.Send(self, stillFull{taken: sink.Taken() != taken}) })
		case sayCaughtUp:
			ctx.Send(ctx.Parent(), messages.ClientCaughtUp{Stream: c.state.stream})
		case sayEnded:
			ctx.Send(ctx.Parent(), messages.ClientGone{Stream: c.state.stream})
		}
	}
}
