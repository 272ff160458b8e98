package actors

import (
	"os"
	"runtime"
	"runtime/metrics"
	"strconv"
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"betcode/actors/internal/act"
	"betcode/messages"
)

// health knows how the components are; see [healthState].
//
// What survives a restart: nothing; components start out as serving, the journal is
// tried by the next question, and the next change of another tells.
type health struct {
	deps  *System
	state healthState
	timer act.Timer
}

func healthProps(s *System) *actor.Props {
	empty := poolHealth{limit: s.live.Load().MaxAgents, queue: s.live.Load().MaxWaiting}
	return s.tree.Props("health", s.policy, func() actor.Actor {
		return &health{deps: s, state: healthState{pool: empty, looked: s.now()}}
	})
}

// Receive implements actor.Actor.
func (h *health) Receive(ctx actor.Context) {
	switch m := ctx.Message().(type) {
	case *actor.Stopping, *actor.Restarting:
		h.timer.Stop()
	default:
		next, effects := h.state.step(h.deps.now(), ctx.Sender(), m)
		h.state = next
		for _, e := range effects {
			h.perform(ctx, e)
		}
	}
}

func (h *health) perform(ctx actor.Context, e effect) {
	switch e := e.(type) {
	case tryTheJournal:
		ctx.Request(h.deps.journal, tryJournal{})
	case wakeAfter:
		h.timer.Set(ctx, e.delay, e.message) // the one before has fired
	case answerHealth:
		view := h.view()
		for _, to := range e.to {
			act.Send(ctx, to, view)
		}
	}
}

func (h *health) view() messages.HealthView {
	now, used := h.deps.now(), memoryUsed()
	metadata := h.deps.metadata(now)
	metadata["memory_bytes"] = strconv.FormatInt(used, 10)
	view := messages.HealthView{
		Components: h.state.components(now, used, h.deps.options.MemoryLimit),
		Metadata:   metadata,
	}
	if c, damaged := h.deps.damagedSessions(now); damaged {
		view.Components = append(view.Components, c)
	}
	if c, wanted := h.deps.fenceView(h.state.alarms.fenced); wanted {
		view.Components = append(view.Components, c)
	}
	if c, damaged := h.deps.damage.view(h.deps.backup.offer()); damaged {
		view.Components = append(view.Components, c)
	}
	if c, failing := h.deps.backup.view(); failing {
		view.Components = append(view.Components, c)
	}
	if others := h.deps.options.Components; others != nil {
		view.Components = append(view.Components, others()...)
	}
	return view
}

// metadata is what does not belong to one component.
func (s *System) metadata(now time.Time) map[string]string {
	up := now.Sub(s.started).Truncate(time.Second)
	return map[string]string{
		"version":        s.options.Version,
		"uptime":         up.String(),
		"uptime_seconds": strconv.FormatInt(int64(up.Seconds()), 10),
		"started_at":     s.started.UTC().Format(time.RFC3339),
		"platform":       runtime.GOOS + "/" + runtime.GOARCH,
		"pid":            strconv.Itoa(os.Getpid()),
		"lineage":        s.options.Store.Lineage(),
	}
}

// memorySamples are all memory that the runtime has of the system, and what it has
// given back of it: the difference is what a memory limit is about. The journal's
// file, which is mapped, is the system's and not counted.
var memorySamples = []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}

// memoryUsed is how much memory this process uses.
func memoryUsed() int64 {
	samples := append([]metrics.Sample(nil), memorySamples...)
	metrics.Read(samples)
	return int64(samples[0].Value.Uint64() - samples[1].Value.Uint64()) //nolint:gosec // far below
}
