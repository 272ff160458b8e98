package actors

import (
	"fmt"
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"betcode/messages"
)

// daemon is the root of the tree. It has one duty: to start its children, in an
// order in which each finds what it needs, and to be their supervisor.
//
// What survives a restart: nothing of its own.
type daemon struct{ deps *System }

// startChildren is sent once the addresses of the children are known to everybody.
type startChildren struct{}

func daemonProps(s *System) *actor.Props {
	return s.tree.Props("daemon", s.policy, func() actor.Actor { return &daemon{deps: s} })
}

// Receive implements actor.Actor.
func (d *daemon) Receive(ctx actor.Context) {
	if _, ok := ctx.Message().(startChildren); !ok {
		return
	}
	for _, child := range []struct {
		name  string
		props *actor.Props
	}{
		{"health", healthProps(d.deps)},
		{"disk", roomProps(d.deps)},
		{"journal", journalProps(d.deps)},
		{"pool", poolProps(d.deps)},
		{"sessions", sessionsProps(d.deps)},
		{"retention", retentionProps(d.deps)},
	} {
		if _, err := ctx.SpawnNamed(child.props, child.name); err != nil {
			panic("start " + child.name + ": " + err.Error())
		}
	}
}

// health knows how the components are. It is told, it does not ask: an idle
// daemon checks nothing.
//
// What survives a restart: nothing; components start out as serving and the next
// change tells.
type health struct {
	deps    *System
	journal error
	pool    poolHealth
	disk    diskHealth
}

// journalHealth says how the newest transaction went.
type journalHealth struct{ err error }

func healthProps(s *System) *actor.Props {
	empty := poolHealth{limit: s.options.MaxAgents, queue: s.options.MaxWaiting}
	return s.tree.Props("health", s.policy, func() actor.Actor { return &health{deps: s, pool: empty} })
}

// Receive implements actor.Actor.
func (h *health) Receive(ctx actor.Context) {
	switch m := ctx.Message().(type) {
	case journalHealth:
		h.journal = m.err
	case diskHealth:
		h.disk = m
	case poolHealth:
		h.pool = m
	case messages.GetHealth:
		send(ctx, ctx.Sender(), h.view())
	}
}

func (h *health) view() messages.HealthView {
	now := h.deps.now()
	store := messages.ComponentHealth{Name: "sqlite", Serving: true, Critical: true, Checked: now}
	if h.journal != nil {
		store.Serving, store.Message, store.Reason = false, h.journal.Error(), "Journal cannot be written"
	}
	return messages.HealthView{
		Components: []messages.ComponentHealth{
			h.pool.view(now),
			h.disk.view(now),
			store,
		},
		Metadata: h.deps.metadata(now),
	}
}

// view is the pool's line of the health report.
func (p poolHealth) view(now time.Time) messages.ComponentHealth {
	c := messages.ComponentHealth{
		Name: "subprocess_pool", Serving: p.used < p.limit || p.waiting < p.queue, Checked: now,
		Message: fmt.Sprintf("%d/%d slots used", p.used, p.limit),
	}
	if p.waiting > 0 {
		c.Message += fmt.Sprintf(", %d waiting", p.waiting)
	}
	if !c.Serving {
		c.Reason = "All subprocess slots in use"
	}
	return c
}
