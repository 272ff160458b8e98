package actors

import (
	"maps"
	"slices"

	"github.com/asynkron/protoactor-go/actor"

	pb "betcode/proto/betcode/v1"

	"betcode/actors/internal/claude"
	"betcode/messages"
)

// startSession creates the session, or answers how the existing one stands.
func (t *transition) startSession(from *actor.PID, m messages.StartSession) {
	created := !t.s.exists
	if created {
		t.s.exists = true
		t.s.record = messages.SessionRecord{
			ID: t.s.id, Name: m.Name, WorkingDirectory: m.WorkingDirectory, WorktreeID: m.WorktreeID, Model: m.Model,
			PermissionMode: m.PermissionMode, AllowedTools: m.AllowedTools, DeniedTools: m.DeniedTools, Metadata: m.Metadata, Resume: m.Resume,
			Phase: messages.PhaseNew, CreatedAt: t.now.at,
		}
		t.emit(sessionInfo(t.s.record, t.s.options.lineage, false))
	}
	t.then(reply{from, messages.SessionStarted{Created: created, View: t.s.view()}})
}

// attach adds a stream. A client that may write gets the lock if it is free.
func (t *transition) attach(from *actor.PID, m messages.Attach) {
	if !t.known(from, "attach") {
		return
	}
	head := t.s.record.Head
	if m.History == messages.HistoryFromSequence && m.From > head {
		t.then(reply{from, messages.Errorf("attach", messages.OutOfRange, "sequence %d is beyond the head %d", m.From, head).
			WithHint("use a sequence number received from this session")})
		return
	}
	t.s.streams = maps.Clone(t.s.streams)
	if t.s.streams == nil {
		t.s.streams = map[string]stream{}
	}
	t.s.streams[m.Stream] = stream{client: m.Client, observer: m.Observer}

	state := clientState{stream: m.Stream, follow: m.Follow, head: head, settled: t.s.settled()}
	state.greeting = []messages.Event{seal(sessionInfo(t.s.record, t.s.options.lineage, t.s.record.Messages > 0), t.s.id, 0, t.now.at)}
	state.prompts = t.s.prompts(t.now)
	switch m.History {
	case messages.HistoryFull:
	case messages.HistoryFromSequence:
		state.cursor = m.From
	case messages.HistoryPendingOnly:
		state.cursor = head
	case messages.HistoryNone:
		state.cursor, state.prompts = head, nil
	}
	if boundary := t.s.record.Past.Boundary.Seq; state.cursor < boundary {
		state.cursor, state.greeting = boundary, compacted(state.greeting)
	}
	switch {
	case m.Observer:
	case t.s.lock == "":
		t.setLock(m.Client)
	case t.s.lock == m.Client:
		t.s.lockKept = false
		t.noteLock()
	}
	t.then(spawnClient{m, state}, reply{from, messages.Attached{Head: head, LockHolder: t.s.lock}})
}

// detach removes a stream. A holder of the lock without any stream loses it.
func (t *transition) detach(id string) {
	gone, ok := t.s.streams[id]
	if !ok {
		return
	}
	t.s.streams = maps.Clone(t.s.streams)
	delete(t.s.streams, id)
	t.then(dropClient{id})
	if gone.client == t.s.lock && !t.s.attached(gone.client) {
		t.setLock("")
	}
	t.maybeRetire()
}

// attached reports whether a client has a stream that may write.
func (s *sessionState) attached(client messages.ClientID) bool {
	for _, st := range s.streams {
		if st.client == client && !st.observer {
			return true
		}
	}
	return false
}

// prompts are the undecided requests for a client that comes late: marked as
// replays, without a number.
func (s *sessionState) prompts(now moment) []messages.Event {
	var events []messages.Event
	for _, p := range s.requests(isUndecided) {
		for _, e := range promptEvents(p) {
			if request := e.GetPermissionRequest(); request != nil {
				request.IsReplay = true
			}
			events = append(events, seal(e, s.id, 0, now.at))
		}
	}
	return events
}

// setLock gives the lock to a client, or to nobody. The holder is durable while it
// is attached, so that it can come back after a crash of ours; that is no use of the
// session, so the session stays where it is in the list.
func (t *transition) setLock(client messages.ClientID) {
	previous := t.s.lock
	t.s.lock, t.s.lockKept = client, false
	t.tellAll(lockChange(client, previous))
	t.noteLock()
}

func (t *transition) noteLock() {
	holder := t.s.lock
	if !t.s.attached(holder) {
		holder = ""
	}
	if t.s.exists && t.s.record.Lock != holder {
		t.quiet = t.quiet || !t.dirty
		t.change().Lock = holder
	}
}

// keepLock keeps the lock for a while for who held it when we crashed: else whoever
// is faster than the holder takes it.
func (t *transition) keepLock() {
	holder := t.s.record.Lock
	switch {
	case holder == "":
	case t.s.options.lockGrace <= 0: // that crash was long ago
		t.quiet = t.quiet || !t.dirty
		t.change().Lock = ""
	default:
		t.s.lock, t.s.lockKept = holder, true
		t.then(wakeAfter{t.s.options.lockGrace, lockGraceOver{}})
	}
}

// lockIsFree ends the patience with a holder that has not come back.
func (t *transition) lockIsFree() {
	if t.s.lockKept && !t.s.attached(t.s.lock) {
		t.setLock("")
	}
	t.s.lockKept = false
	t.maybeRetire()
}

// locked reports whether the lock is somebody else's.
func (s *sessionState) locked(client messages.ClientID) bool {
	return s.lock != "" && s.lock != client && (s.lockKept || s.attached(s.lock))
}

func (t *transition) takeLock(from *actor.PID, m messages.TakeLock) {
	if !t.known(from, "request input lock") {
		return
	}
	previous := t.s.lock
	granted := !t.s.locked(m.Client)
	if granted && previous != m.Client {
		t.setLock(m.Client)
	}
	t.then(reply{from, messages.LockAnswer{Granted: granted, Holder: t.s.lock, Previous: previous}})
}

func (t *transition) releaseLock(from *actor.PID, m messages.ReleaseLock) {
	previous := t.s.lock
	granted := previous == m.Client
	if granted {
		t.setLock("")
	}
	t.then(reply{from, messages.LockAnswer{Granted: granted, Holder: t.s.lock, Previous: previous}})
}

// holds reports whether a client may write, and takes a free lock for it. If it
// may not, the refusal is on its way.
func (t *transition) holds(from *actor.PID, client messages.ClientID, op string) bool {
	if t.s.locked(client) {
		t.then(reply{from, messages.Errorf(op, messages.Denied, "another client holds the input lock").
			WithCode(messages.NoInputLock).With("holder_client_id", string(t.s.lock)).With("session_id", string(t.s.id)).
			WithHint("request the input lock, or watch only")})
		return false
	}
	if t.s.lock != client {
		t.setLock(client)
	}
	return true
}

// known reports whether the session exists; if not, the refusal is on its way.
func (t *transition) known(from *actor.PID, op string) bool {
	if t.s.exists && len(t.s.deleters) == 0 {
		return true
	}
	t.then(reply{from, messages.Errorf(op, messages.NotFound, "session %s does not exist", t.s.id).
		WithCode(messages.SessionNotFound).With("session_id", string(t.s.id)).WithHint("list the sessions, or start a new one")})
	t.maybeRetire()
	return false
}

func (t *transition) changeSettings(from *actor.PID, m messages.ChangeSettings) {
	const op = "change settings"
	if !t.known(from, op) || !t.holds(from, m.Client, op) {
		return
	}
	r := t.change()
	if m.Model != "" {
		r.Model = m.Model
		if t.s.active() {
			t.tellAgent(writeControl{claude.SetModelLine("set-model-"+t.now.id(), m.Model)})
		}
	}
	if m.PermissionMode != "" {
		r.PermissionMode, t.s.attended = m.PermissionMode, !t.s.up
		if t.s.active() {
			t.tellAgent(writeControl{claude.SetModeLine("set-mode-"+t.now.id(), m.PermissionMode)})
		}
	}
	t.then(reply{from, messages.Done{}})
}

func (t *transition) renameSession(from *actor.PID, m messages.RenameSession) {
	if t.known(from, "rename session") {
		t.change().Name = m.Name
		t.then(reply{from, messages.Done{}})
	}
}

func (t *transition) setGrant(from *actor.PID, m messages.SetGrant) {
	if t.known(from, "set grant") {
		t.grant(m.Tool, m.Granted)
		t.then(reply{from, messages.Done{}})
	}
}

func (t *transition) grant(tool string, granted bool) {
	r := t.change()
	r.Grants = maps.Clone(r.Grants)
	if r.Grants == nil {
		r.Grants = map[string]bool{}
	}
	r.Grants[tool] = granted
}

func (t *transition) clearGrants(from *actor.PID, m messages.ClearGrants) {
	if !t.known(from, "clear grants") {
		return
	}
	r := t.change()
	if m.Tool == "" {
		r.Grants = nil
	} else {
		r.Grants = maps.Clone(r.Grants)
		delete(r.Grants, m.Tool)
	}
	t.then(reply{from, messages.Done{}})
}

func (t *transition) getSession(from *actor.PID) {
	if t.known(from, "get session") {
		t.then(reply{from, t.s.view()})
	}
}

func (s *sessionState) view() messages.SessionView {
	v := messages.SessionView{
		Record: s.record, Run: s.run, LockHolder: s.lock, Clients: len(s.streams), Lineage: s.options.lineage,
		Inputs: slices.Clone(s.inputs), Permissions: s.requests(isUndecided),
	}
	return v
}

// maybeRetire lets the actor go when nobody needs it: everything it knows is in
// the journal.
func (t *transition) maybeRetire() {
	if len(t.s.streams) == 0 && !t.s.lockKept && !t.s.active() && !t.s.busy() && !t.s.restarting && len(t.s.permissions) == 0 {
		t.then(retire{})
	}
}

// idle reports whether the actor can go without anybody noticing.
func (s *sessionState) idle() bool {
	return s.loaded && len(s.streams) == 0 && !s.lockKept && !s.active() && !s.busy() && !s.restarting && len(s.permissions) == 0 && len(s.held) == 0 && s.slot == slotNone
}

// deleteSession stops the agent, then removes everything.
func (t *transition) deleteSession(from *actor.PID) {
	if !t.known(from, "delete session") {
		return
	}
	t.s.deleters = append(slices.Clone(t.s.deleters), from)
	if t.s.active() {
		t.stopRun()
		return
	}
	t.remove()
}

// remove deletes the session and sends everybody away.
func (t *transition) remove() {
	for _, p := range t.s.requests(func(p messages.PermissionRecord) bool { return isUndecided(p) || p.Orphaned() }) {
		t.then(dropPermission{p.Request})
	}
	t.append.Delete, t.append.Events, t.dirty = true, nil, true // nothing of it is ever shown
	t.then(publish{[]messages.Event{seal(&pb.AgentEvent{Event: &pb.AgentEvent_Error{Error: &pb.ErrorEvent{
		Code: string(messages.SessionClosed), Message: "Session has been closed", IsFatal: true,
	}}}, t.s.id, 0, t.now.at)}, 0, true})
	for _, from := range t.s.deleters {
		t.then(reply{from, messages.Done{}})
	}
	for id := range t.s.streams {
		t.then(dropClient{id})
	}
	if t.s.slot != slotNone {
		t.then(tellPool{slotFreed{t.s.id}})
	}
	t.notRestarted("the session was deleted")
	t.then(forget{t.s.runsDirectory()}, retire{})
	waiting := slices.Clone(t.s.compactors)
	for _, k := range t.s.knocks {
		waiting = append(waiting, k.from)
	}
	for _, from := range waiting {
		t.then(reply{from, messages.Errorf("find session", messages.NotFound, "session %s was deleted", t.s.id).WithCode(messages.SessionClosed)})
	}
	t.s = sessionState{
		id: t.s.id, options: t.s.options, loaded: true, commits: t.s.commits, durable: t.s.durable, held: t.s.held, slot: t.s.slot,
	}
	t.s.record.ID = t.s.id
}
