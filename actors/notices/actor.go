package notices

import (
	"context"
	"fmt"

	"github.com/asynkron/protoactor-go/actor"

	"betcode/actors/internal/act"
	"betcode/actors/internal/notify"
	"betcode/actors/settings"
	"betcode/messages"
)

// Deps is what the actor needs of the system.
type Deps struct {
	act.Common

	Settings  func() *settings.Settings // the present ones, for an actor that starts
	Notifier  *notify.Notifier
	Directory string // of the files of deliveries; empty = in memory alone
	// Decided reports whether a request no longer waits for an answer. It does I/O.
	Decided func(messages.SessionID, messages.RequestID) bool
}

// courier delivers notices.
//
// What survives a restart: the deliveries, in their files.
type courier struct {
	deps     Deps
	settings *settings.Settings
	state    state
	files    *act.Worker
	channels map[notify.Channel]*act.Worker
	timer    act.Timer
	life     context.Context
	end      context.CancelFunc
}

// Props describes the actor.
func Props(d Deps) *actor.Props {
	return d.Props("notices", func() actor.Actor { return &courier{deps: d, settings: d.Settings()} })
}

// Receive implements actor.Actor.
func (c *courier) Receive(ctx actor.Context) {
	switch m := act.Unwrap(c, ctx.Message()).(type) {
	case *actor.Started:
		c.life, c.end = context.WithCancel(context.Background())
		c.files = act.NewWorker(ctx, c.deps.Workers, c)
		c.channels = map[notify.Channel]*act.Worker{}
		for _, over := range []notify.Channel{notify.Exec, notify.Webhook, notify.Ntfy} {
			c.channels[over] = act.NewWorker(ctx, c.deps.Workers, c)
		}
		c.perform(ctx, load{})
	case *actor.Stopping, *actor.Restarting:
		c.end()
		c.timer.Stop()
		c.files.Close(nil)
		for _, w := range c.channels {
			w.Close(nil)
		}
	case nil, *actor.Stopped:
	case error: // of a file: the next daemon repeats its delivery
		c.deps.Log("notices").Warn().Err(m).Msg("file of a notification cannot be removed")
	default:
		if changed, ok := m.(settings.Changed); ok {
			c.settings = changed.Now
		}
		if raised, ok := m.(Raise); ok {
			raised.Notice.At = c.deps.Now().UTC()
			m = raised
		}
		next, effects := c.state.step(env{c.deps.Now().Local(), c.settings}, m)
		c.state = next
		for _, e := range effects {
			c.perform(ctx, e)
		}
	}
}

func (c *courier) perform(ctx actor.Context, e act.Effect) {
	files := files{c.deps.Directory}
	switch e := e.(type) {
	case load:
		c.files.Do(func() any {
			left, err := files.read()
			return loaded{left, err}
		})
	case keep:
		c.files.Do(func() any { return kept{e.delivery.Number, files.write(e.delivery)} })
	case forget:
		c.files.Do(func() any { return act.Failure(files.remove(e.numbers)) })
	case attempt:
		now := c.settings
		c.channels[e.channel].Do(func() any { return c.attempt(now, e) })
	case wake:
		c.timer.Set(ctx, e.after, due{})
	case complain:
		line := c.deps.Log("notices").Warn().Err(e.err)
		if e.about.Code != "" {
			line = line.Str(act.LogSession, string(e.about.Session)).Str("code", e.about.Code)
		}
		line.Msg(e.text)
	}
}

// attempt delivers a batch, on the worker of the channel.
func (c *courier) attempt(now *settings.Settings, a attempt) any {
	result := ended{channel: a.channel}
	var wanted []delivery
	for _, d := range a.batch {
		result.numbers = append(result.numbers, d.Number)
		if request := d.Notice.Request(); request != "" && c.deps.Decided(d.Notice.Session, request) {
			result.stale = append(result.stale, d.Number)
			continue
		}
		wanted = append(wanted, d)
	}
	if len(wanted) == 0 {
		return result
	}
	newest := wanted[len(wanted)-1]
	key := fmt.Sprintf("%s-%d-%d", newest.Notice.Session, newest.Number, newest.Notice.At.UnixNano())
	result.err = c.deps.Notifier.Deliver(c.life, now, a.channel, digest(wanted), key)
	return result
}
