package health

import (
	"strconv"
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"betcode/actors/internal/act"
	"betcode/messages"
)

// Deps is what the health actor needs of the system.
type Deps struct {
	act.Common

	Journal     *actor.PID // answers TryJournal
	Pool        Pool       // the state before the pool's first report
	MemoryLimit int64      // bytes; not positive = none

	Metadata func(now time.Time) map[string]string // facts that belong to no component
	// Others returns the components that do not report to this actor. fenced are the sessions whose agents run in a fence.
	Others func(now time.Time, fenced map[messages.SessionID]bool) []messages.ComponentHealth
}

// health collects the health of the components; see [state].
//
// What survives a restart: nothing. Components start out as serving, the next request tries the journal, and every other
// component reports its next change.
type health struct {
	deps  Deps
	state state
	timer act.Timer
}

// Props describes the health actor.
func Props(d Deps) *actor.Props {
	return d.Props("health", func() actor.Actor {
		return &health{deps: d, state: state{pool: d.Pool, looked: d.Now()}}
	})
}

// Receive implements actor.Actor.
func (h *health) Receive(ctx actor.Context) {
	switch m := ctx.Message().(type) {
	case *actor.Stopping, *actor.Restarting:
		h.timer.Stop()
	default:
		next, effects := h.state.step(h.deps.Now(), ctx.Sender(), m)
		h.state = next
		for _, e := range effects {
			h.perform(ctx, e)
		}
	}
}

func (h *health) perform(ctx actor.Context, e act.Effect) {
	switch e := e.(type) {
	case try:
		ctx.Request(h.deps.Journal, TryJournal{})
	case act.After:
		h.timer.Set(ctx, e.Delay, e.Message) // the former has fired
	case answerHealth:
		view := h.view()
		for _, to := range e.to {
			act.Send(ctx, to, view)
		}
	}
}

func (h *health) view() messages.HealthView {
	now, used := h.deps.Now(), memoryUsed()
	metadata := h.deps.Metadata(now)
	metadata["memory_bytes"] = strconv.FormatInt(used, 10)
	return messages.HealthView{
		Components: append(h.state.components(now, used, h.deps.MemoryLimit), h.deps.Others(now, h.state.alarms.fenced)...),
		Metadata:   metadata,
	}
}
