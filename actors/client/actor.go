package client

import (
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"betcode/actors/internal/act"
	"betcode/messages"
	"betcode/messages/failpoint"
)

// Deps is what the actor of a stream needs of the system.
type Deps struct {
	act.Common

	Store Store
}

// Store is the part of the journal that streams read.
type Store interface {
	Events(session messages.SessionID, after messages.Seq, maxEvents, maxBytes int) ([]messages.Event, error)
}

// client is one attached stream: its place in the history and its outbox. It is a child of its session, named
// client/<stream>.
//
// What survives a restart: nothing. When the actor goes, it closes its outbox with [ErrDetached], on which the gateway attaches
// the stream again behind the last number it has delivered.
type client struct {
	deps    Deps
	session messages.SessionID
	sink    messages.Sink
	state   State
	worker  *act.Worker
	timer   *time.Timer // one at most
	ended   bool
}

// ErrDetached ends an outbox whose actor is gone while the session lives on.
var ErrDetached = messages.Errorf("follow session", messages.Unavailable, "the session's actor is being restarted")

// Props describes the actor of a stream that is attached in a state. It publishes to the sink of a.
func Props(d Deps, a messages.Attach, state State) *actor.Props {
	session, sink := a.Session, a.Sink
	return d.Props("client", func() actor.Actor {
		c := &client{deps: d, session: session, sink: sink, state: state}
		state.Greeting, state.Prompts = nil, nil // pushed once: the next incarnation has a closed outbox
		return c
	})
}

// Receive implements actor.Actor.
func (c *client) Receive(ctx actor.Context) {
	switch m := act.Unwrap(c, ctx.Message()).(type) {
	case *actor.Started:
		c.worker = act.NewWorker(ctx, c.deps.Workers, c)
		next, effects := c.state.begin()
		c.perform(ctx, next, effects)
	case *actor.Stopping, *actor.Restarting:
		c.worker.Close(nil)
		if c.timer != nil {
			c.timer.Stop()
		}
		if !c.ended {
			c.sink.Close(ErrDetached)
		}
	case nil, *actor.Stopped:
	default:
		failpoint.Hit(failpoint.ClientStep)
		next, effects := c.state.step(m)
		c.perform(ctx, next, effects)
	}
}

// perform keeps the next state and performs the effects. A refused push is fed back at once together with the effects behind
// it, which are not performed: the step assumed that the push fits.
func (c *client) perform(ctx actor.Context, next State, effects []act.Effect) {
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
			store, session := c.deps.Store, c.session
			c.worker.Do(func() any {
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
		case reportCaughtUp:
			ctx.Send(ctx.Parent(), messages.ClientCaughtUp{Stream: c.state.Stream})
		case reportEnd:
			ctx.Send(ctx.Parent(), messages.ClientGone{Stream: c.state.Stream})
		}
	}
}
