package session

import (
	"github.com/asynkron/protoactor-go/actor"

	"betcode/actors/internal/act"
	"betcode/actors/internal/encode"
	"betcode/actors/journal"
	"betcode/actors/pool"
	"betcode/actors/run"
	"betcode/actors/session/audit"
	"betcode/actors/session/damage"
	"betcode/actors/session/ending"
	"betcode/messages"
)

// A session whose journal cannot be written shows the output of its agent as volatile events, which have no number. Nothing is
// accepted, decided or started. The agent gets nothing but an interrupt of its turn, or its final stop (see stop.go). When the
// journal can be written again, the session is rebuilt from it: the spool is read again from the committed offset, and volatile
// output becomes events.

// degrade gives up pending effects, because it is not known whether the disk has their appends. A stop is not given up.
func (s state) degrade(now env, cause *messages.Error) (state, []act.Effect) {
	s.durable.failure = cause
	s.record.Head = s.durable.Head()
	t := begin(s, now)
	t.notice("JOURNAL_FAILS", "Journal is not writable: events below are provisional and will be replayed after recovery", nil)
	s, effects := t.finishDegraded()
	effects = append(effects, s.durable.Abandon()...)
	effects = append(effects, replies(s.ending.Waiters.Take(ending.Delete), nil)...)
	for _, from := range s.waitingCallers() {
		effects = append(effects, act.Reply{To: from, With: nil})
	}
	s.slot.admissions, s.lock.calls = nil, nil
	s.lock.Abandon()
	var sure []act.Effect
	for _, e := range effects {
		r, ok := e.(act.Reply)
		switch with := r.With.(type) {
		case AgentEnded:
		case messages.SessionStopped: // not yet for good
			s.ending.Waiters.Add(ending.Stop, waiter{from: r.To, wasRunning: with.WasRunning})
			s.record.StopWanted = true
			continue
		default:
			if ok { // the answer depends on a commit that may have failed
				e = act.Reply{To: r.To, With: s.refusal("write to the journal")}
			}
		}
		sure = append(sure, e)
	}
	if s.record.StopWanted {
		s.ending.SavingStop = true
		sure = append(sure, saveStop{s.record.Run})
	}
	return s, s.passing(now, sure)
}

// refusal is the error for requests while the journal cannot be written.
func (s state) refusal(op string) *messages.Error {
	return (&messages.Error{Op: op, Kind: messages.Unavailable, Code: messages.StorageError, Err: s.durable.failure.Err}).
		With("session_id", string(s.id)).
		WithHint("the journal cannot be written; the daemon tries again by itself, see betcode daemon status")
}

// finishDegraded is finish without the journal: the events are shown, and no number
// is used up.
func (t *transition) finishDegraded() (state, []act.Effect) {
	t.publish(0)
	s, effects := t.s, t.at
	s.record.Head = t.append.Expect
	return s, append(effects, t.after...)
}

// passing returns the effects that are performed although nothing is written: they
// publish, answer, keep the agent's output flowing, and freeze or end the agent.
func (s state) passing(now env, effects []act.Effect) []act.Effect {
	var pass []act.Effect
	for _, e := range effects {
		switch e := e.(type) {
		case publish:
			shown := publish{progress: e.progress}
			for _, event := range e.events {
				shown.events = append(shown.events, encode.Volatile(event, s.id, now.at))
			}
			pass = append(pass, shown)
		case act.Reply, spawnClient, dropClient, sendToStream, saveStop, closeProxy:
			pass = append(pass, e)
		case sendToRun:
			switch m := e.message.(type) {
			case messages.Credit:
				m.Journaled = 0
				pass = append(pass, sendToRun{e.run, m})
			case run.Freeze, run.Interrupt, run.InterruptDone:
				pass = append(pass, e)
			case run.Stop:
				if s.ending.Shutdown || s.record.StopWanted {
					pass = append(pass, e)
				}
			}
		}
	}
	return pass
}

// stepDegraded takes one message while nothing can be written.
func (s state) stepDegraded(now env, from *actor.PID, m any) (state, []act.Effect) {
	if call, ok := m.(messages.Idempotent); ok {
		m = call.Request // no result is stored now
	}
	switch m.(type) {
	case messages.Committed, messages.AppendRefused:
		return s, nil
	case journal.Recovered, journal.Restarted:
		if s.ending.Shutdown {
			return s, nil // the next daemon rebuilds it
		}
		return s, []act.Effect{rebuild{}}
	case messages.GetSession, messages.Attach, messages.TakeLock, messages.ReleaseLock, messages.RefuseLock, messages.CancelTurn, messages.StopSession:
	case messages.StartSession:
		if !s.exists {
			return s, []act.Effect{act.Reply{To: from, With: s.refusal("start session")}}
		}
	case messages.SessionRequest:
		return s, []act.Effect{act.Reply{To: from, With: s.refusal("change session")}}
	}
	t := begin(s, now)
	t.handle(from, m)
	next, effects := t.finishDegraded()
	return next, next.passing(now, effects)
}

// A session that the journal cannot load answers at once (package damage): what can be read is shown, it can be stopped and deleted,
// and every other request is refused with a description of the damage.

type (
	// endStrays ends the agents that live below a directory of runs, then straysEnded.
	endStrays struct{ directory string }
	// straysEnded is the number of ended agents, and why one is still alive.
	straysEnded struct {
		ended int
		err   error
	}
)

func (endStrays) Effect() {}

func (e endStrays) asks(d *Deps, _ *state) func() any {
	return func() any {
		ended, err := d.EndStrays(e.directory)
		return straysEnded{ended, err}
	}
}

// unload begins to answer for a session that cannot be loaded.
func (s state) unload(now env, m journal.Unloadable) (state, []act.Effect) {
	found := damage.Found[waiter](m.DamagedSession)
	s.durable.damage = &found
	effects := []act.Effect{sendToPool{pool.Release{Session: s.id}}, endStrays{s.runsDirectory()}}
	waiting := s.durable.early
	s.durable.early = nil
	for _, e := range waiting {
		next, more := s.stepDamaged(now, e.from, e.message)
		s, effects = next, append(effects, more...)
	}
	return s, effects
}

// stepDamaged takes one message to a session that cannot be loaded.
func (s state) stepDamaged(_ env, from *actor.PID, m any) (state, []act.Effect) {
	d := *s.durable.damage
	s.durable.damage = &d
	switch m := m.(type) {
	case messages.GetSession:
		return s, []act.Effect{act.Reply{To: from, With: messages.SessionView{Record: d.Record}}}
	case messages.DeleteSession:
		return s.endDamaged(ending.Delete, waiter{from: from, client: m.Client})
	case messages.StopSession:
		return s.endDamaged(ending.Stop, waiter{from: from, client: m.Client})
	case EndAgent:
		return s.endDamaged(ending.Shutdown, waiter{from: from})
	case straysEnded:
		return s.damagedEnded(m)
	case messages.Committed:
		deleters := d.Deleted()
		effects := append([]act.Effect{s.auditDamaged("delete", deleters)}, replies(deleters, messages.Done{})...)
		return s.afterEnd(s.durable.Closed()), append(effects, forget{s.runsDirectory()}, retire{})
	case messages.AppendRefused:
		return s, replies(d.Deleted(), m.Err)
	case journal.Recovered: // the files were opened again, and may be whole
		s.durable.damage = nil
		return s, []act.Effect{loadAgain{}}
	case messages.SessionRequest:
		return s, []act.Effect{act.Reply{To: from, With: d.Refusal()}}
	}
	return s, nil
}

// endDamaged ends the agents for a request, unless that is under way.
func (s state) endDamaged(why ending.Reason, request waiter) (state, []act.Effect) {
	if s.durable.damage.Wait(why, request) {
		return s, []act.Effect{endStrays{s.runsDirectory()}}
	}
	return s, nil
}

// damagedEnded answers stops and carries out deletions when no agent of the session is alive any more.
func (s state) damagedEnded(m straysEnded) (state, []act.Effect) {
	o := s.durable.damage.Ended(m.err)
	effects := replies(o.Ready, AgentEnded{Session: s.id})
	if len(o.Stopped) > 0 {
		effects = append(effects, s.auditDamaged("stop", o.Stopped))
		effects = append(effects, replies(o.Stopped, messages.SessionStopped{WasRunning: m.ended > 0})...)
	}
	for _, w := range o.Failed {
		effects = append(effects, act.Reply{To: w.from, With: messages.AsError("end agent", m.err)})
	}
	if o.Delete {
		effects = append(effects, persist{messages.Append{Session: s.id, Delete: true, Commit: s.durable.Commit(0, nil)}})
	}
	return s, effects
}

// replies answers requests alike.
func replies(to []waiter, with any) []act.Effect {
	var effects []act.Effect
	for _, w := range to {
		effects = append(effects, act.Reply{To: w.from, With: with})
	}
	return effects
}

// auditDamaged reports the stop or the deletion of a damaged session.
func (s state) auditDamaged(how string, callers []waiter) auditing {
	var by messages.ClientID
	if len(callers) > 0 { // deleters are answered, and gone, if an agent could not be ended
		by = callers[0].client
	}
	e := audit.Damaged(how, by, s.durable.damage.Err)
	e.Session = s.id
	return auditing{entry: e}
}
