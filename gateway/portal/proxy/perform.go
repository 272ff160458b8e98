package proxy

import (
	"context"
	"fmt"

	"betcode/gateway/portal/wire"
)

// perform executes effects in order.
func (c *connection) perform(ctx context.Context, effects []effect) {
	for _, e := range effects {
		if c.end != nil {
			return
		}
		switch e := e.(type) {
		case say:
			c.say(e.Message)
		case ask:
			if c.talk != nil {
				c.talk.Send(e.AgentRequest)
			}
		case save:
			c.link.dirty = false
			if err := c.save(c.link.saved); err != nil {
				c.end = &outcome{err: err, final: true}
			}
		case open:
			c.opened()
		case lookUp:
			c.beside.Go(func() {
				name := c.lookUp(ctx, c.found.Directory)
				select {
				case c.branch <- name:
				case <-ctx.Done():
				}
			})
		case keep:
			path, err := c.Keep(e.name, e.data)
			c.perform(ctx, c.link.kept(e, path, err))
		case terminate:
			c.end = c.terminated(ctx, e.reason)
		case leave:
			c.end = &e.outcome
		default:
			panic(fmt.Sprintf("proxy: unknown effect %T", e))
		}
	}
}

// opened attaches to the session after the backend has registered it.
func (c *connection) opened() {
	c.Logger.Info().Bool("resuming", c.before).Uint64("after", c.link.saved.After).Uint64("acked", c.link.saved.Acked).Msg("session registered at the portal")
	if c.Registered != nil {
		if err := c.Registered(); err != nil {
			c.end = &outcome{err: err, final: true}
			return
		}
		c.Registered = nil
	}
	c.before = true
	c.talk = c.Daemon.Converse(c.link.saved.After)
}

// terminated handles the permanent end of the session at the backend.
func (c *connection) terminated(ctx context.Context, reason string) *outcome {
	c.Logger.Warn().Str("reason", reason).Bool("stop", !c.Detach && !c.ReadOnly).Msg("the portal terminates the session")
	if c.Detach || c.ReadOnly {
		return &outcome{final: true}
	}
	ctx, cancel := context.WithTimeout(ctx, daemonTimeout)
	defer cancel()
	return &outcome{err: c.Daemon.Stop(ctx), final: true}
}

func (c *connection) say(m wire.Message) {
	frame, err := wire.Encode(c.Dialect, wire.FromProxy, m)
	if err != nil {
		c.Logger.Error().Err(err).Msg("frame not sent")
		return
	}
	c.queue = append(c.queue, frame)
}

func (p *Proxy) lookUp(ctx context.Context, directory string) string {
	ctx, cancel := context.WithTimeout(ctx, daemonTimeout)
	defer cancel()
	return clip(p.Branch(ctx, directory), maxName)
}
