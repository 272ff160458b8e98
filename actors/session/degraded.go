package session

import (
	"github.com/asynkron/protoactor-go/actor"
	"google.golang.org/protobuf/proto"

	pb "betcode/proto/betcode/v1"

	"betcode/actors/internal/act"
	"betcode/actors/internal/encode"
	"betcode/actors/journal"
	"betcode/actors/run"
	"betcode/messages"
)

// A session whose journal cannot be written shows the output of its agent as volatile events, which have no number. Nothing is
// accepted, decided or started. The agent gets nothing but an interrupt of its turn, or its final stop (see stop.go). When the
// journal can be written again, the session is rebuilt from it: the spool is read again from the committed offset, and volatile
// output becomes events.

// rebuild asks for this actor to be replaced by one that is rebuilt from the
// journal.
type rebuild struct{}

func (rebuild) Effect() {}

// degrade gives up pending effects, because it is not known whether the disk has their appends. A stop is not given up.
func (s state) degrade(now env, cause *messages.Error) (state, []act.Effect) {
	s.durable.failure = cause
	s.record.Head = s.durable.Head()
	t := begin(s, now)
	t.notice("JOURNAL_FAILS", "Journal is not writable: events below are provisional and will be replayed after recovery", nil)
	s, effects := t.finishDegraded()
	effects = append(effects, s.durable.Abandon()...)
	for _, k := range s.slot.admissions {
		effects = append(effects, act.Reply{To: k.from, With: nil})
	}
	for _, w := range s.ending.waiters.take(endDelete) {
		effects = append(effects, act.Reply{To: w.from, With: nil})
	}
	for _, from := range s.lock.pending() {
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
			s.ending.waiters.add(endStop, waiter{from: r.To, wasRunning: with.WasRunning})
			s.record.StopWanted = true
			continue
		default:
			if ok { // whatever it was to say, it is not sure
				e = act.Reply{To: r.To, With: s.refusal("write to the journal")}
			}
		}
		sure = append(sure, e)
	}
	if s.record.StopWanted {
		s.ending.savingStop = true
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

// passing is what may be done of the effects although nothing is written: to show
// and to answer, to keep the agent's output flowing, to hold and to end the agent.
func (s state) passing(now env, effects []act.Effect) []act.Effect {
	var pass []act.Effect
	for _, e := range effects {
		switch e := e.(type) {
		case publish:
			pass = append(pass, publish{events: s.volatile(now, e.events), progress: e.progress})
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
				if s.ending.shutdown || s.record.StopWanted {
					pass = append(pass, e)
				}
			}
		}
	}
	return pass
}

// volatile marks events as not written.
func (s state) volatile(now env, events []messages.Event) []messages.Event {
	marked := make([]messages.Event, len(events))
	for i, e := range events {
		var event pb.AgentEvent
		if err := proto.Unmarshal(e.Bytes, &event); err != nil {
			panic("an event of ours: " + err.Error())
		}
		event.Volatile = event.Volatile || e.Seq > 0
		marked[i] = encode.Event(&event, s.id, 0, now.at)
	}
	return marked
}

// unreadable answers the callers of a session that cannot be loaded. It is loaded when the journal is back.
func (s state) unreadable(cause *messages.Error) (state, []act.Effect) {
	s.durable.failure = cause
	var effects []act.Effect
	for _, e := range s.durable.early {
		if _, ok := e.message.(messages.SessionRequest); ok {
			effects = append(effects, act.Reply{To: e.from, With: s.refusal("load session")})
		}
	}
	s.durable.early = nil
	return s, effects
}

// stepDegraded takes one message while nothing can be written.
func (s state) stepDegraded(now env, from *actor.PID, m any) (state, []act.Effect) {
	if call, ok := m.(messages.Once); ok {
		m = call.Request // what is done now is not remembered
	}
	switch m.(type) {
	case messages.Committed, messages.AppendRefused:
		return s, nil
	case journal.Recovered, journal.Restarted:
		if s.ending.shutdown {
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
