package session

import (
	"slices"

	"github.com/asynkron/protoactor-go/actor"

	"betcode/actors/internal/act"
	"betcode/actors/journal"
	"betcode/actors/pool"
	"betcode/actors/session/audit"
	"betcode/messages"
)

// A session that the journal cannot load answers at once: what can be read is shown, it can be stopped and deleted, and every
// other request is refused with a description of the damage. Its agent, if one is alive, is ended when the damage is found, because
// none of its output could be stored.

type (
	// endStrays ends the agents that live below a directory of runs, then straysEnded.
	endStrays struct{ directory string }
	// straysEnded tells how many there were, and why one is still there.
	straysEnded struct {
		ended int
		err   error
	}
)

func (endStrays) Effect() {}

// damaged is the state of a session that cannot be loaded.
type damaged struct {
	messages.DamagedSession

	ending  bool // its agents are being ended
	waiters waiters
}

// unload begins to answer for a session that cannot be loaded.
func (s state) unload(now env, m journal.Unloadable) (state, []act.Effect) {
	s.durable.damage = &damaged{DamagedSession: m.DamagedSession, ending: true}
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
		d.waiters.add(endDelete, waiter{from: from, client: m.Client})
		s.durable.damage = &d
		return s.endDamaged()
	case messages.StopSession:
		d.waiters.add(endStop, waiter{from: from, client: m.Client})
		s.durable.damage = &d
		return s.endDamaged()
	case EndAgent:
		d.waiters.add(endShutdown, waiter{from: from})
		s.durable.damage = &d
		return s.endDamaged()
	case straysEnded:
		return s.damagedEnded(m)
	case messages.Committed:
		return s.damagedDeleted()
	case messages.AppendRefused:
		var effects []act.Effect
		for _, w := range d.waiters.take(endDelete) {
			effects = append(effects, act.Reply{To: w.from, With: m.Err})
		}
		return s, effects
	case journal.Recovered: // the files were opened again, and may be whole
		s.durable.damage = nil
		return s, []act.Effect{loadAgain{}}
	case messages.SessionRequest:
		return s, []act.Effect{act.Reply{To: from, With: s.durable.damage.refusal()}}
	}
	return s, nil
}

// refusal is a copy of the error, for one more caller.
func (d *damaged) refusal() *messages.Error {
	e := *d.Err
	return &e
}

// endDamaged ends the agents, unless that is under way.
func (s state) endDamaged() (state, []act.Effect) {
	if s.durable.damage.ending {
		return s, nil
	}
	s.durable.damage.ending = true
	return s, []act.Effect{endStrays{s.runsDirectory()}}
}

// damagedEnded answers stops and carries out deletions when no agent of the session is alive any more.
func (s state) damagedEnded(m straysEnded) (state, []act.Effect) {
	d := s.durable.damage
	d.ending = false
	var effects []act.Effect
	for _, w := range d.waiters.take(endShutdown) {
		effects = append(effects, act.Reply{To: w.from, With: AgentEnded{Session: s.id}}) // a shutdown does not wait for what cannot be ended
	}
	stops := d.waiters.take(endStop)
	if len(stops) > 0 && m.err == nil {
		effects = append(effects, s.auditDamaged("stop", stops))
		for _, w := range stops {
			effects = append(effects, act.Reply{To: w.from, With: messages.SessionStopped{WasRunning: m.ended > 0}})
		}
	}
	if m.err != nil {
		for _, w := range append(slices.Clip(stops), d.waiters.take(endDelete)...) {
			effects = append(effects, act.Reply{To: w.from, With: messages.AsError("end agent", m.err)})
		}
	}
	if len(d.waiters[endDelete]) > 0 {
		effects = append(effects, persist{messages.Append{Session: s.id, Delete: true, Commit: s.durable.Commit(0, nil)}})
	}
	return s, effects
}

// damagedDeleted reports the deletion to the audit log, then answers the callers that asked for it.
func (s state) damagedDeleted() (state, []act.Effect) {
	effects := []act.Effect{s.auditDamaged("delete", s.durable.damage.waiters[endDelete])}
	for _, w := range s.durable.damage.waiters[endDelete] {
		effects = append(effects, act.Reply{To: w.from, With: messages.Done{}})
	}
	return s.afterEnd(s.durable.Closed()), append(effects, forget{s.runsDirectory()}, retire{})
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
