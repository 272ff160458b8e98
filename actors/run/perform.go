package run

import (
	"cmp"

	"github.com/asynkron/protoactor-go/actor"

	"betcode/actors/health"
	"betcode/actors/internal/act"
	"betcode/actors/internal/process"
	"betcode/messages"
)

// showFrozen shows in the tree, in health and in the log why an agent is frozen.
func (r *run) showFrozen(ctx actor.Context, why Reasons) {
	r.deps.Tree.Detail(ctx.Self(), "frozen", why.String())
	ctx.Send(r.deps.Health, health.Frozen{Session: r.session.ID, On: why&Alarm != 0})
	e := r.log().Warn()
	if why == 0 {
		e = r.log().Info()
	}
	e.Str("frozen", why.String()).Msg("agent frozen or thawed")
}

// release closes everything but the process. A job on the reader's worker closes the descriptors of the agent, also if the result
// of the opening job never arrived.
func (r *run) release() {
	r.end()
	r.root.Send(r.deps.Health, health.Fenced{Session: r.session.ID})
	if r.state.frozen&Alarm != 0 {
		r.root.Send(r.deps.Health, health.Frozen{Session: r.session.ID})
	}
	r.timers.Stop()
	r.writer.Close(nil)
	over, record, fleet := r.state.phase == phaseOver, r.state.record, r.deps.Fleet
	r.reader.Close(func() {
		if r.made != nil {
			r.made.close()
		}
		if over {
			process.RemoveCgroup(record.Directory)
			DropServers(record.Directory)
			if fleet != nil {
				fleet.Drop(record)
			}
		}
	})
}

func (r *run) perform(ctx actor.Context, e act.Effect) {
	agent := r.agent
	switch e := e.(type) {
	case toSession:
		switch m := e.message.(type) {
		case Frozen:
			r.showFrozen(ctx, m.Why)
		case messages.RunEnded:
			r.logEnd(m)
		case Output:
			r.kept.offset, r.kept.translator = m.To, m.Translator
			r.kept.credits--
		case OutputUnreadable:
			r.kept.unreadable = r.state.outputUnreadable.since
			ctx.Send(r.deps.Health, health.Spool{Session: r.session.ID, Err: m.Err})
			r.log().Warn().Err(m.Err).Msg("agent output unreadable, or readable again")
		}
		ctx.Send(ctx.Parent(), e.message)
	case act.After:
		r.timers.Start(ctx, e.Delay, e.Message)
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
		r.deps.Archive(agent.record.Directory, e.to)
	case measureSpool:
		r.reader.Do(func() any { return spoolMeasured{agent.size()} })
	case freeze:
		life := r.life
		r.reader.Do(func() any { return agent.freeze(life, e.number) })
	case thaw:
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
		deps: r.deps, session: r.session, record: r.state.record, offset: r.state.offset,
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

// opened keeps the agent. Goroutines of this incarnation wait for the end of the process and for the end of its input.
func (r *run) opened(ctx actor.Context, m agentOpened) any {
	r.agent = m.agent
	if m.exit != nil {
		return agentExited{*m.exit}
	}
	if fence := m.record.Fence; fence != "" {
		r.deps.Tree.Detail(ctx.Self(), "fence", fence)
		ctx.Send(r.deps.Health, health.Fenced{Session: r.session.ID, On: true})
	}
	root, self, life := ctx.ActorSystem().Root, ctx.Self(), r.life
	r.deps.Workers.Add(2)
	go func() {
		defer r.deps.Workers.Done()
		if unread, err := m.agent.process.WaitStdinClosed(life); err == nil {
			root.Send(self, inputClosed{unread})
		}
	}()
	go func() {
		defer r.deps.Workers.Done()
		if exit, err := m.agent.process.Wait(life); err == nil {
			root.Send(self, agentExited{exit})
		}
	}()
	return agentUp{record: m.record, adopted: m.adopted, guard: m.guard, version: cmp.Or(m.version, r.session.AgentVersion)}
}
