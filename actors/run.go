package actors

import (
	"cmp"
	"context"

	"github.com/asynkron/protoactor-go/actor"

	"betcode/actors/health"
	"betcode/actors/internal/act"
	"betcode/actors/internal/claude"
	"betcode/actors/internal/process"
	"betcode/messages"
	"betcode/messages/failpoint"
)

// run is one incarnation of the agent process, as an actor. What it is stands in
// [runState]; this is how it is run: reading and writing are two workers, so
// that a full pipe never stops the reading.
//
// It is a child of its session, named run/<n>.
//
// What survives a restart: the process itself, which nobody here owns, the
// consumed offset with the translator's state, which are in the journal, and whether an
// alarm holds the agent. The new incarnation adopts the process and reads on from there.
type run struct {
	deps    *System
	session messages.SessionRecord
	fresh   bool
	resume  bool
	state   runState
	life    context.Context // ends with this incarnation
	end     context.CancelFunc
	reader  *act.Worker
	writer  *act.Worker
	timers  act.Timers
	alarmed *bool // whether an alarm holds the agent; the next incarnation reads it

	agent *agent // nil until opened
	made  *agent // the same, for the reader's jobs only
}

// runProps describes the run actor. Only its first incarnation may spawn: a
// later one looks for the process first.
func runProps(s *System, session messages.SessionRecord, e spawnRun) *actor.Props {
	fresh, alarmed := e.fresh, e.record.Frozen
	return s.tree.Props("run", s.policy, func() actor.Actor {
		translator, err := claude.ParseState(e.cursor.Translator)
		if err != nil {
			panic("translator state: " + err.Error())
		}
		r := &run{deps: s, session: session, fresh: fresh, resume: e.resume, alarmed: &alarmed, state: runState{
			record: e.record, offset: e.cursor.Offset, translator: translator, credits: runCredits,
			quota: quota{limit: s.options.Disk.SpoolQuota, journaled: e.cursor.Offset},
		}}
		if alarmed {
			r.state = r.state.hold(holdAgent{holdAlarm, true})
		}
		fresh = false
		return r
	})
}

// Receive implements actor.Actor.
func (r *run) Receive(ctx actor.Context) {
	switch m := act.Unwrap(r, ctx.Message()).(type) {
	case *actor.Started:
		r.start(ctx)
	case *actor.Stopping, *actor.Restarting:
		r.release()
	case nil, *actor.Stopped:
	case agentLost:
		panic("open agent: " + m.err.Error())
	case agentOpened:
		r.step(ctx, r.opened(ctx, m))
	default:
		if h, ok := m.(holdAgent); ok && h.why == holdAlarm {
			*r.alarmed = h.on // before the step: if it crashes, the next incarnation still freezes or thaws the agent
		}
		failpoint.Hit(failpoint.RunStep)
		r.step(ctx, m)
	}
}

func (r *run) step(ctx actor.Context, m any) {
	switch m := m.(type) { // lines are good until the next are read
	case linesRead:
		r.logBatch(m.batch)
	case tailRead:
		r.logBatch(m.batch)
	case lineWritten:
		r.logWritten(m)
	}
	next, effects := r.state.step(r.deps.now(), m)
	r.logNotJSON(r.state, next)
	r.state = next
	for _, e := range effects {
		r.perform(ctx, e)
	}
}

func (r *run) start(ctx actor.Context) {
	r.life, r.end = context.WithCancel(context.Background())
	r.reader, r.writer = act.NewWorker(ctx, &r.deps.workers, r), act.NewWorker(ctx, &r.deps.workers, r)
	if r.deps.room.Full() {
		r.state = r.state.hold(holdAgent{holdDisk, true})
	}
	r.open(ctx)
}

// showHold keeps the tree and the log true about an agent that is held.
func (r *run) showHold(ctx actor.Context, why holds) {
	r.deps.tree.Detail(ctx.Self(), "held", why.String())
	ctx.Send(r.deps.health, health.Frozen{Session: r.session.ID, On: why&holdAlarm != 0})
	e := r.log().Warn()
	if why == 0 {
		e = r.log().Info()
	}
	e.Str("held", why.String()).Msg("agent held or let go")
}

// release gives everything back but the process. What the opening job made is
// closed behind it, on the same worker, whether or not it was ever delivered.
func (r *run) release() {
	r.end()
	if !r.state.unread.since.IsZero() { // the next incarnation finds out for itself
		r.deps.actors.Root.Send(r.deps.health, health.Spool{Session: r.session.ID})
	}
	r.deps.actors.Root.Send(r.deps.health, health.Fenced{Session: r.session.ID})
	if r.state.held&holdAlarm != 0 {
		r.deps.actors.Root.Send(r.deps.health, health.Frozen{Session: r.session.ID})
	}
	r.timers.Stop()
	r.writer.Close(nil)
	over, directory := r.state.phase == runOver, r.state.record.Directory
	r.reader.Close(func() {
		if r.made != nil {
			r.made.close()
		}
		if over {
			process.Tidy(directory)
			dropServers(directory)
		}
	})
}

func (r *run) perform(ctx actor.Context, e effect) {
	agent := r.agent
	switch e := e.(type) {
	case tellSession:
		switch m := e.message.(type) {
		case agentHeld:
			r.showHold(ctx, m.why)
		case messages.RunEnded:
			r.logEnd(m)
		case spoolUnread:
			ctx.Send(r.deps.health, health.Spool{Session: r.session.ID, Err: m.err})
			r.log().Warn().Err(m.err).Msg("spool cannot be read, or can again")
		}
		ctx.Send(ctx.Parent(), e.message)
	case wakeAfter:
		r.timers.Start(ctx, e.delay, e.message)
	case readSpool:
		r.reader.Do(func() any { return agent.read() })
	case readTail:
		r.reader.Do(func() any { return agent.tail() })
	case writeLine:
		life := r.life
		r.writer.Do(func() any { return agent.write(life, e.what) })
	case signalIt:
		r.reader.Do(func() any { return agent.signal(e.signal) })
	case archiveSpool:
		r.deps.archiver.Live(agent.record.Directory, e.to)
	case measureSpool:
		r.reader.Do(func() any { return spoolMeasured{agent.size()} })
	case freezeAgent:
		life := r.life
		r.reader.Do(func() any { return agent.freeze(life) })
	case thawAgent:
		r.reader.Do(func() any { return agent.thaw() })
	case killTree:
		life := r.life
		r.reader.Do(func() any { return agent.kill(life) })
	case closeAgent:
		r.release()
	}
}

// open spawns the process, or finds it; the job's result is agentOpened.
func (r *run) open(ctx actor.Context) {
	root, self := ctx.ActorSystem().Root, ctx.Self()
	notify := func() { root.Send(self, spoolGrew{}) }
	o := opening{
		system: r.deps, session: r.session, record: r.state.record, offset: r.state.offset,
		fresh: r.fresh, resume: r.resume, notify: notify, life: r.life,
	}
	r.reader.Do(func() any {
		result := o.open()
		if opened, ok := result.(agentOpened); ok {
			r.made = opened.agent
		}
		return result
	})
}

// opened keeps the process and waits for its end, and for that of its input, in
// goroutines that end with this incarnation.
func (r *run) opened(ctx actor.Context, m agentOpened) any {
	r.agent = m.agent
	if m.exit != nil {
		return agentExited{*m.exit}
	}
	if fence := m.record.Fence; fence != "" {
		r.deps.tree.Detail(ctx.Self(), "fence", fence)
		ctx.Send(r.deps.health, health.Fenced{Session: r.session.ID, On: true})
	}
	root, self, life := ctx.ActorSystem().Root, ctx.Self(), r.life
	r.deps.workers.Add(2)
	go func() {
		defer r.deps.workers.Done()
		if unread, err := m.agent.process.WaitDeaf(life); err == nil {
			root.Send(self, inputClosed{unread})
		}
	}()
	go func() {
		defer r.deps.workers.Done()
		if exit, err := m.agent.process.Wait(life); err == nil {
			root.Send(self, agentExited{exit})
		}
	}()
	return agentUp{record: m.record, adopted: m.adopted, guard: m.guard, version: cmp.Or(m.version, r.session.AgentVersion)}
}
