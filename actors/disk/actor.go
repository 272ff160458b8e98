package disk

import (
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"betcode/actors/internal/act"
	"betcode/actors/internal/disk"
)

// Deps is what the disk actor needs of the system.
type Deps struct {
	act.Common

	Health     *actor.PID
	ToSessions func(ctx actor.Context, message any)
	Meter      *Meter
	Reserve    string              // a file that keeps room for a full disk; empty = none
	Sweep      func(now time.Time) // removes old archives; called once an hour
}

// room polls the free space of the disk. While the disk is full, sessions refuse new turns and freeze their agents, and the
// space of the reserve file is free for writes that cannot be refused. Output of agents is still read to its end, and requests
// are shown and answered.
//
// What survives a restart: whether the disk is full, in the [Meter]. The next measurement finds the rest.
type room struct {
	deps   Deps
	state  state
	worker *act.Worker
	timer  act.Timer
	quiet  bool      // the reserve's failure was logged
	swept  time.Time // when archives were last swept
}

const sweepEvery = time.Hour

// Props describes the disk actor.
func Props(d Deps) *actor.Props {
	return d.Props("disk", func() actor.Actor {
		return &room{deps: d, state: state{low: d.Meter.low, full: d.Meter.Full()}}
	})
}

// Receive implements actor.Actor.
func (r *room) Receive(ctx actor.Context) {
	switch m := act.Unwrap(r, ctx.Message()).(type) {
	case *actor.Started:
		r.worker = act.NewWorker(ctx, r.deps.Workers, r)
		r.step(ctx, lookDue{})
	case *actor.Stopping, *actor.Restarting:
		r.worker.Close(nil)
		r.timer.Stop()
	case nil, *actor.Stopped:
	case reserveTried:
		if m.err != nil && !r.quiet {
			r.deps.Log("disk").Warn().Err(m.err).Msg("reserve file not written")
		}
		r.quiet = m.err != nil
	default:
		r.step(ctx, m)
	}
}

func (r *room) step(ctx actor.Context, m any) {
	before := r.state.full
	next, effects := r.state.step(m)
	r.state = next
	if next.full != before {
		r.deps.Meter.full.Store(next.full) // before any session gets Changed
		r.deps.Log("disk").Warn().Bool("full", next.full).Int64("free_bytes", next.space.Free).Int64("mark_bytes", next.mark()).Msg("disk full, or no longer full")
	}
	if now := r.deps.Now(); now.Sub(r.swept) >= sweepEvery {
		r.swept = now
		r.deps.Sweep(now)
	}
	for _, e := range effects {
		r.perform(ctx, e)
	}
}

func (r *room) perform(ctx actor.Context, e act.Effect) {
	reserve := disk.Reserve(r.deps.Reserve)
	switch e := e.(type) {
	case look:
		r.worker.Do(func() any {
			space, err := r.deps.Meter.Measure()
			return spaceSeen{space, err}
		})
	case keepReserve:
		r.worker.Do(func() any { return reserveTried{reserve.Keep(e.bytes)} })
	case releaseReserve:
		r.worker.Do(func() any { return reserveTried{reserve.Release()} })
	case announce:
		r.deps.ToSessions(ctx, e.changed)
	case report:
		ctx.Send(r.deps.Health, e.disk)
	case act.After:
		r.timer.Set(ctx, e.Delay, e.Message)
	}
}
