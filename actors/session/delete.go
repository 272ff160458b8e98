package session

import (
	"slices"

	"github.com/asynkron/protoactor-go/actor"

	pb "betcode/proto/betcode/v1"

	"betcode/actors/internal/act"
	"betcode/actors/pool"
	"betcode/actors/session/prompts"
	"betcode/messages"
)

// deleteSession stops the agent, then removes everything.
func (t *transition) deleteSession(from *actor.PID, client messages.ClientID) {
	if !t.known(from, "delete session") {
		return
	}
	t.s.ending.waiters.add(endDelete, waiter{from: from, client: client})
	if t.s.active() {
		t.stopRun()
		return
	}
	t.remove()
}

// remove deletes the session, withdraws its requests and ends its streams.
func (t *transition) remove() {
	for _, p := range t.s.prompts.List(func(p messages.PermissionRecord) bool { return prompts.Undecided(p) || p.Orphaned() }) {
		t.then(dropPermission{p.Request})
	}
	t.append.Delete, t.append.Events, t.dirty = true, nil, true // nothing of it is ever shown
	t.auditComplete("delete", t.s.ending.waiters[endDelete])
	t.publishUnnumbered(&pb.AgentEvent{Event: &pb.AgentEvent_Error{Error: &pb.ErrorEvent{
		Code: string(messages.SessionClosed), Message: "Session has been closed", IsFatal: true,
	}}})
	for _, w := range t.s.ending.waiters[endDelete] {
		t.then(act.Reply{To: w.from, With: messages.Done{}})
	}
	for _, id := range t.s.clients.IDs() {
		t.then(dropClient{id})
	}
	if t.s.slot.state != slotNone {
		t.then(sendToPool{pool.Release{Session: t.s.id}})
	}
	t.notRestarted("the session was deleted")
	t.then(forget{t.s.runsDirectory()}, retire{})
	waiting := append(slices.Clone(t.s.compaction.waiting), t.s.lock.pending()...)
	for _, k := range t.s.slot.admissions {
		waiting = append(waiting, k.from)
	}
	for _, from := range waiting {
		t.then(act.Reply{To: from, With: messages.Errorf("find session", messages.NotFound, "session %s was deleted", t.s.id).WithCode(messages.SessionClosed)})
	}
	slot := t.s.slot.state
	t.s = t.s.afterEnd(t.s.durable.Log)
	t.s.slot.state = slot
}
