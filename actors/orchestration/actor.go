package orchestration

import (
	"context"
	"math"
	"time"

	"github.com/asynkron/protoactor-go/actor"
	"github.com/rs/zerolog"

	"betcode/actors/internal/act"
	"betcode/messages"
	"betcode/persistence/planlog"
)

// The backoff of a failed write, at first and at most.
const (
	firstWritePause = time.Second
	lastWritePause  = 30 * time.Second
)

// Messages of the actor to itself and to its parent.
type (
	// loaded is the result of reading the journal.
	loaded struct {
		state   *state
		durable int64
		err     error
	}
	// wrote is the result of a write.
	wrote struct {
		durable int64
		err     error
	}
	// writeAgain is sent when the backoff of a failed write has elapsed.
	writeAgain struct{}
	// idle is sent to the parent when the orchestration has ended and is quiescent.
	idle struct{ id messages.OrchestrationID }
	// mayLeave asks an idle actor whether it still is.
	mayLeave struct{}
	// leaveAnswer answers mayLeave.
	leaveAnswer struct {
		id     messages.OrchestrationID
		leaves bool
	}
)

// batch is the events of a step, and the effects that follow when they are durable.
type batch struct {
	events  []messages.OrchestrationEvent
	effects []act.Effect
}

// early is a message that came before the journal was read.
type early struct {
	from    *actor.PID
	message any
}

// orchestration runs one plan.
//
// What survives a restart: the journal. Running attempts are not ended: the next incarnation spawns them again, which finds
// their subagents.
type orchestration struct {
	deps Deps
	id   messages.OrchestrationID
	log  *zerolog.Logger

	state   *state // nil until the journal was read
	early   []early
	durable int64
	pending []batch
	writing int // batches of pending that are being written
	pause   time.Duration
	writer  *act.Worker
	again   act.Timer
	timers  act.Timers
	runs    map[attempt]*runner
	asking  *runner         // waits for the answer to the budget request; nil = there is no request
	life    context.Context // of this incarnation
	cancel  context.CancelFunc
}

func props(d Deps, id messages.OrchestrationID) *actor.Props {
	log := d.Log("orchestrations/" + act.ChildName("orchestration", id))
	return d.Props("orchestration", func() actor.Actor {
		return &orchestration{deps: d, id: id, log: log, runs: map[attempt]*runner{}}
	})
}

// Receive implements actor.Actor.
func (o *orchestration) Receive(ctx actor.Context) {
	switch m := act.Unwrap(o, ctx.Message()).(type) {
	case *actor.Started:
		o.life, o.cancel = context.WithCancel(context.Background())
		o.writer = act.NewWorker(ctx, o.deps.Workers, o)
		path := o.deps.Registry.path(o.id)
		o.writer.Do(func() any {
			s, durable, err := load(path, math.MaxInt64)
			return loaded{s, durable, err}
		})
	case *actor.Stopping, *actor.Restarting:
		o.end()
	case loaded:
		if m.err != nil {
			panic("read journal of orchestration: " + m.err.Error())
		}
		o.state, o.durable = m.state, m.durable
		o.step(ctx, nil, resumed{})
		waiting := o.early
		o.early = nil
		for _, e := range waiting {
			o.step(ctx, e.from, e.message)
		}
	case messages.OrchestrationRequest, ended, retryDue, limitChanged, budgetAnswered:
		switch e := m.(type) {
		case ended:
			delete(o.runs, e.attempt)
		case budgetAnswered:
			o.asking = nil
		}
		if o.state == nil {
			o.early = append(o.early, early{ctx.Sender(), m})
			return
		}
		o.step(ctx, ctx.Sender(), m)
	case wrote:
		o.wrote(ctx, m)
	case writeAgain:
		o.write()
	case mayLeave:
		act.Send(ctx, ctx.Sender(), leaveAnswer{o.id, o.quiescent()})
	}
}

func (o *orchestration) end() {
	o.cancel()
	o.again.Stop()
	o.timers.Stop()
	o.writer.Close(nil)
	for _, r := range o.runs {
		r.worker.Close(nil)
	}
	if o.asking != nil {
		o.asking.worker.Close(nil)
	}
}

// step has the state handle a message. Its effects wait until its events, and those of earlier steps, are durable.
func (o *orchestration) step(ctx actor.Context, from *actor.PID, message any) {
	events, effects := o.state.step(env{now: o.deps.Now(), limit: o.deps.Places(), spending: o.deps.Spent}, from, message)
	if len(events) > 0 || len(o.pending) > 0 {
		o.pending = append(o.pending, batch{events, effects})
		o.write()
		return
	}
	o.perform(ctx, effects)
	o.leave(ctx)
}

// write writes all pending batches as one group, unless a write is under way.
func (o *orchestration) write() {
	if o.writing > 0 || len(o.pending) == 0 {
		return
	}
	o.writing = len(o.pending)
	var events []messages.OrchestrationEvent
	for _, b := range o.pending {
		events = append(events, b.events...)
	}
	path, durable := o.deps.Registry.path(o.id), o.durable
	o.writer.Do(func() any {
		next, err := planlog.Append(path, durable, events)
		return wrote{next, err}
	})
}

// wrote performs the effects of the batches that are durable.
func (o *orchestration) wrote(ctx actor.Context, m wrote) {
	written := o.pending[:o.writing]
	o.writing = 0
	if m.err != nil {
		o.pause = min(max(2*o.pause, firstWritePause), lastWritePause)
		o.log.Warn().Err(m.err).Dur("retry_after", o.pause).Msg("journal of orchestration not writable, no step starts")
		o.again.Set(ctx, o.pause, writeAgain{})
		return
	}
	o.pause, o.durable, o.pending = 0, m.durable, o.pending[len(written):]
	o.deps.Registry.wrote(o.state.view(false), m.durable, len(o.pending) > 0)
	for _, b := range written {
		for _, e := range b.events {
			o.log.Info().Str("event", string(e.Kind)).Uint64("seq", e.Seq).Str("step", e.Step).Int("attempt", e.Attempt).Msg("orchestration event")
		}
		o.perform(ctx, b.effects)
	}
	o.write()
	o.leave(ctx)
}

func (o *orchestration) perform(ctx actor.Context, effects []act.Effect) {
	for _, effect := range effects {
		switch e := effect.(type) {
		case act.Reply:
			if _, ok := e.With.(viewWanted); ok {
				e.With = o.state.view(true)
			}
			act.Send(ctx, e.To, e.With)
		case act.After:
			o.timers.Start(ctx, e.Delay, e.Message)
		case run:
			o.run(ctx, e.attempt)
		case cancelRun:
			if r := o.runs[e.attempt]; r != nil {
				r.stop(e.reason)
			}
		case askBudget:
			o.askBudget(ctx, e.AskPlanBudget)
		case dropBudget:
			if o.asking != nil {
				o.asking.stop("the plan stops")
			}
		}
	}
}

// quiescent reports whether the orchestration has ended and nothing is left to do.
func (o *orchestration) quiescent() bool {
	return o.state != nil && o.state.phase.Ended() && len(o.pending) == 0 && len(o.runs) == 0 && o.asking == nil
}

func (o *orchestration) leave(ctx actor.Context) {
	if o.quiescent() {
		act.Send(ctx, ctx.Parent(), idle{o.id})
	}
}
