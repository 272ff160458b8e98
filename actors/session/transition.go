package session

import (
	"slices"

	"github.com/asynkron/protoactor-go/actor"

	pb "betcode/proto/betcode/v1"

	"betcode/actors/disk"
	"betcode/actors/internal/act"
	"betcode/actors/internal/control"
	"betcode/actors/internal/encode"
	"betcode/actors/run"
	"betcode/actors/session/ending"
	"betcode/actors/session/events"
	"betcode/actors/session/requests"
	"betcode/messages"
)

// transition is one step of a session under construction: the next state, the append to the journal, and the effects. It exists
// only within a step.
//
// The order of effects is always the same: append, publish to the streams, answer callers, act. Effects that are added with
// [transition.then] wait for the disk.
type transition struct {
	s      state
	now    env
	append messages.Append
	before messages.Progress
	dirty  bool         // something goes into the journal
	used   bool         // it is a use of the session, see isUse
	after  []act.Effect // when it is on disk
	at     []act.Effect // at once

	decided []messages.PermissionRecord // in this step, here or below; for the session above
}

func begin(s state, now env) *transition {
	return &transition{s: s, now: now, before: s.progress(), append: messages.Append{Session: s.id, Expect: s.record.Head}}
}

// finish turns the transition into the next state and the effects to perform.
func (t *transition) finish() (state, []act.Effect) {
	t.rememberAnswers()
	t.publish(t.s.record.Head)
	if !t.s.record.Turn {
		t.s.record.InterruptedKeys = nil
	}
	s, effects := t.s, t.at
	if !t.dirty {
		return s, append(effects, s.durable.Pass(s.record.Head, t.after)...)
	}
	if t.used {
		s.record.UpdatedAt = t.now.at
	}
	t.append.Commit = s.durable.Commit(s.record.Head, t.after)
	if record := s.record; !t.append.Delete {
		t.append.Record = &record
	}
	return s, append(effects, persist{t.append})
}

// then adds effects that wait until everything so far is durable.
func (t *transition) then(effects ...act.Effect) { t.after = append(t.after, effects...) }

// emit gives an event its number and puts it into the journal.
func (t *transition) emit(e *pb.AgentEvent) {
	t.s.record.Head++
	event := encode.Event(e, t.s.id, t.s.record.Head, t.now.at)
	t.append.Events = append(t.append.Events, event)
	t.s.record.Past.Bytes += uint64(len(event.Bytes))
	t.dirty = true
}

// publishUnnumbered shows every stream an event that is not journaled.
func (t *transition) publishUnnumbered(e *pb.AgentEvent) {
	t.then(publish{events: []messages.Event{encode.Event(e, t.s.id, 0, t.now.at)}})
}

// progress is the progress after this step. A deleted session has none: a stream that
// waits for answers learns that the session is gone when it attaches again.
func (t *transition) progress() messages.Progress {
	if t.append.Delete {
		return messages.Awaiting
	}
	return t.s.progress()
}

// publish puts the events of this step, or a change of progress that no event carries, in
// front of the other effects, and makes all of them carry the progress after this step. A
// client that has an answer may finish its stream, which must not end on older progress.
func (t *transition) publish(head messages.Seq) {
	progress, told := t.progress(), false
	for i, e := range t.after {
		switch e := e.(type) {
		case publish:
			e.progress, told = progress, true
			t.after[i] = e
		case sendToStream:
			e.progress = progress
			t.after[i] = e
		}
	}
	if len(t.append.Events) > 0 || !told && progress != t.before {
		t.after = append([]act.Effect{publish{t.append.Events, head, progress}}, t.after...)
	}
}

// status emits a StatusChange if the status is another one now.
func (t *transition) status(status pb.AgentStatus, message string) {
	if t.s.compacting() && status == pb.AgentStatus_THINKING {
		return // a compaction: the agent thinks about its context
	}
	if t.s.record.Status != status.String() {
		t.s.record.Status = status.String()
		t.emit(events.Status(status, message))
	}
}

// notice emits a Notice for people.
func (t *transition) notice(code, message string, details map[string]string) {
	t.emit(events.Notice(code, message, details))
}

// call notifies people, unless a client watches the session.
func (t *transition) call(code, message string, details map[string]string) {
	if !t.s.clients.Watched() {
		t.then(notifyPerson{Notice{Code: code, Message: message, Session: t.s.id, Name: t.s.record.Label(), Details: details}})
	}
}

// change marks the session's record as changed.
func (t *transition) change() *messages.SessionRecord {
	t.dirty = true
	return &t.s.record
}

// putRun stores the newest run.
func (t *transition) putRun(r messages.RunRecord) {
	t.s.run, t.append.Run, t.dirty = &r, &r, true
}

// putInput stores an input that is known already, or adds a new one.
func (t *transition) putInput(in messages.InputRecord) {
	t.keepInput(in)
	t.append.Inputs = append(t.append.Inputs, in)
	t.dirty = true
}

// keepInput changes an input in memory only.
func (t *transition) keepInput(in messages.InputRecord) { t.s.inputs = t.s.inputs.Put(in) }

// putPermission stores a permission record.
func (t *transition) putPermission(p messages.PermissionRecord) {
	t.s.prompts.Put(p)
	t.append.Permissions = append(t.append.Permissions, p)
	t.append.Resolved = slices.DeleteFunc(t.append.Resolved, func(id messages.RequestID) bool { return id == p.Request }) // asked again at once
	t.dirty = true
}

// removePermission forgets a permission record: nothing is left to be done.
func (t *transition) removePermission(id messages.RequestID) {
	t.s.prompts.Remove(id)
	t.append.Permissions = slices.DeleteFunc(t.append.Permissions, func(p messages.PermissionRecord) bool { return p.Request == id })
	t.append.Resolved = append(t.append.Resolved, id)
	t.dirty = true
}

// sendToAgent sends a message to the run once everything so far is durable. A proxied session has none, see reconcileProxy.
func (t *transition) sendToAgent(message any) {
	if !t.s.proxied() {
		t.then(sendToRun{t.s.record.Run, message})
	}
}

// replaceAgent ends the agent process for a reason after which another may follow.
func (t *transition) replaceAgent(reason ending.Reason, how run.StopKind) {
	t.s.agent.ending = reason
	t.sendToAgent(run.Stop{How: how})
}

// rememberAnswers puts the answers to calls under a key into the journal. That alone
// is no use of the session.
func (t *transition) rememberAnswers() {
	for _, e := range t.after {
		r, ok := e.(act.Reply)
		if !ok || r.To == nil {
			continue
		}
		key, waits := t.s.ledger.End(r.To.Id)
		if answer, ok := r.With.(messages.Reply); waits && ok && !t.append.Delete {
			t.recordResult(key, answer)
		}
	}
}

// recordResult stores the answer to a request, unless it is a refusal.
func (t *transition) recordResult(key requests.Key, answer messages.Reply) {
	if result, ok := t.s.ledger.Record(key, answer); ok {
		t.dirty = true
		t.append.Answered = append(t.append.Answered, result)
	}
}

// control returns the id of a new control request to the agent that runs.
func (t *transition) control(kind string) string { return control.ID(t.s.run, kind+"-"+t.now.id()) }

// known reports whether the session exists; if not, the refusal is pending.
func (t *transition) known(from *actor.PID, op string) bool {
	if t.s.exists && !t.s.deleting() {
		return true
	}
	t.then(act.Reply{To: from, With: messages.Errorf(op, messages.NotFound, "session %s does not exist", t.s.id).
		WithCode(messages.SessionNotFound).With("session_id", string(t.s.id)).WithHint("list the sessions, or start a new one")})
	t.maybeRetire()
	return false
}

// roomFor refuses a new turn while the disk is full.
func (t *transition) roomFor(from *actor.PID, op string) bool {
	if t.now.full {
		t.then(act.Reply{To: from, With: disk.FullError(op, t.s.id, t.s.options.Runs)})
	}
	return !t.now.full
}

// maybeRetire offers the end of the actor when nothing needs it: everything it knows is in the journal.
func (t *transition) maybeRetire() {
	if t.s.unneeded() {
		t.then(retire{})
	}
}
