package session

import (
	"maps"
	"slices"
	"strconv"

	"github.com/asynkron/protoactor-go/actor"

	"betcode/actors/client"
	"betcode/actors/internal/act"
	"betcode/actors/internal/claude"
	"betcode/actors/internal/encode"
	"betcode/actors/run"
	"betcode/actors/session/audit"
	"betcode/actors/session/events"
	"betcode/actors/session/presence"
	"betcode/actors/session/prompts"
	"betcode/messages"
)

// startSession creates the session, or answers with the state of the existing one.
func (t *transition) startSession(from *actor.PID, m messages.StartSession) {
	created := !t.s.exists
	if created {
		t.create(m)
	}
	t.then(act.Reply{To: from, With: messages.SessionStarted{Created: created, View: t.s.view()}})
}

// create makes the session.
func (t *transition) create(m messages.StartSession) {
	t.s.exists = true
	t.s.record = messages.SessionRecord{
		ID: t.s.id, Name: m.Name, WorkingDirectory: m.WorkingDirectory, Resolved: m.Resolved, WorktreeID: m.WorktreeID, Model: m.Model,
		AllowedTools: m.AllowedTools, DeniedTools: m.DeniedTools, Metadata: m.Metadata, Resume: m.Resume,
		Environment: t.s.options.kept(m.Environment), Options: m.Options, Fork: m.Fork,
		Phase: messages.PhaseNew, CreatedAt: t.now.at,
	}
	t.s.record.Budget.Limit = t.s.options.budgetOf(m)
	t.s.record.Budget.Step = t.s.record.Budget.Limit
	t.s.announced.exposed = m.Exposed
	t.emit(events.Session(t.s.record, t.s.options.Lineage, false))
	t.announceFork()
	t.audit(audit.Created(m))
	if m.PermissionMode != "" {
		t.wantMode(m.PermissionMode, m.Client, m.ConfirmMode)
	}
}

// budgetOf returns the budget of a new session.
func (o Options) budgetOf(m messages.StartSession) messages.BudgetLimit {
	if m.Budget == nil {
		return o.SessionBudget
	}
	return *m.Budget
}

// kept returns the part of a client's environment that the session keeps: the declared variables.
func (o Options) kept(environment map[string]string) map[string]string {
	var kept map[string]string
	for name, value := range environment {
		if o.Keeps == nil || !o.Keeps(name) {
			continue
		}
		if kept == nil {
			kept = map[string]string{}
		}
		kept[name] = value
	}
	return kept
}

// attach adds a stream. A client that may write gets the lock if it is free.
func (t *transition) attach(from *actor.PID, m messages.Attach) {
	if !t.known(from, "attach") {
		return
	}
	head := t.s.record.Head
	if m.History == messages.HistoryFromSequence && m.From > head {
		t.then(act.Reply{To: from, With: messages.Errorf("attach", messages.OutOfRange, "sequence %d is beyond the head %d", m.From, head).
			WithHint("use a sequence number received from this session")})
		return
	}
	if full := t.s.clients.Admits(m.Client, m.Observer); full != nil {
		t.then(act.Reply{To: from, With: presence.FullError(t.s.id, *full)})
		return
	}
	t.applyPresence(t.s.clients.Attach(m.Stream, presence.Stream{
		Client: m.Client, Type: m.Type, Observer: m.Observer, Approves: m.Approves, Discards: m.Discards && !m.Observer, Since: t.now.at,
	}))
	if !m.Observer {
		t.applyLock(t.s.lock.Attach(t.now.at, m.Client))
		if t.s.lock.Holder() == m.Client { // attached again after a crash, if the lock was reserved
			t.recordHolder()
		}
	}
	state := client.State{Session: t.s.id, Stream: m.Stream, Follow: m.Follow, Head: head, Progress: t.s.progress()}
	state.Greeting = []messages.Event{encode.Event(events.Session(t.s.record, t.s.options.Lineage, t.s.record.Messages > 0), t.s.id, 0, t.now.at)}
	state.Prompts = t.s.replayPrompts(t.now)
	switch m.History {
	case messages.HistoryFull:
	case messages.HistoryFromSequence:
		state.Cursor = m.From
	case messages.HistoryPendingOnly:
		state.Cursor = head
	case messages.HistoryNone:
		state.Cursor, state.Prompts = head, nil
	}
	if boundary := t.s.record.Past.Boundary.Seq; state.Cursor < boundary {
		state.Cursor, state.Greeting = boundary, client.Compacted(state.Greeting)
	}
	state.Greeting = append(state.Greeting, t.snapshots()...)
	t.then(spawnClient{m, state}, act.Reply{To: from, With: messages.Attached{Head: head, LockHolder: t.s.lock.Holder()}})
}

// detach removes a stream. A client without a stream that may write loses the lock, or its place in the queue for it. A
// stream that only observes changes neither: any caller that may view can open one under any client id. Where the daemon has
// ended the stream, the lock stays with its holder, which the next daemon finds in the record.
func (t *transition) detach(m messages.Detach) {
	gone, change, ok := t.s.clients.Detach(m.Stream)
	if !ok {
		return
	}
	t.applyPresence(change)
	t.then(dropClient{m.Stream})
	switch {
	case gone.Observer, t.s.clients.Writes(gone.Client):
	case m.Draining && t.s.lock.Holder() == gone.Client:
		t.s.lock.Reserve(t.now.at, gone.Client)
	default:
		t.applyLock(t.s.lock.Release(t.now.at, gone.Client, t.s.clients.Writes))
	}
	if gone.Discards && !m.Draining && t.s.unused() {
		t.deleteSession(nil, gone.Client)
		return
	}
	t.maybeRetire()
}

// unused reports whether the session has no message, no name that a person gave, and no attached client.
func (s *state) unused() bool {
	r := &s.record
	return s.exists && s.durable.failure == nil && s.clients.Streams() == 0 && r.Phase == messages.PhaseNew && r.Run == 0 && !s.busy() && !s.active() &&
		!s.deleting() && r.Messages == 0 && r.Label() == "" && r.Subagent == nil && r.Proxy == nil && r.Fork == (messages.Fork{})
}

func (t *transition) changeSettings(from *actor.PID, m messages.ChangeSettings) {
	const op = "change settings"
	if !t.known(from, op) || !t.ensureLock(from, m.Client, op) {
		return
	}
	r := t.change()
	if m.Model != "" {
		r.Model = m.Model
		if t.s.active() {
			t.sendToAgent(run.WriteControl{Line: claude.SetModelLine(t.control("set-model"), m.Model)})
		}
	}
	if m.PermissionMode != "" {
		t.s.announced.exposed = m.Exposed
		t.wantMode(m.PermissionMode, m.Client, m.ConfirmMode)
	}
	t.then(act.Reply{To: from, With: messages.Done{}})
}

func (t *transition) renameSession(from *actor.PID, m messages.RenameSession) {
	if t.known(from, "rename session") {
		t.change().Name = m.Name
		t.then(act.Reply{To: from, With: messages.Done{}})
	}
}

func (t *transition) setGrant(from *actor.PID, m messages.SetGrant) {
	if t.known(from, "set grant") {
		t.grant(m.Tool, m.Granted)
		t.audit(audit.Grant(m.Client, m.Tool, m.Granted))
		t.then(act.Reply{To: from, With: messages.Done{}})
	}
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
	t.audit(audit.Grant(m.Client, m.Tool, false))
	t.then(act.Reply{To: from, With: messages.Done{}})
}

func (t *transition) getSession(from *actor.PID, m messages.GetSession) {
	if !t.known(from, "get session") {
		return
	}
	v := t.s.view()
	if m.AgentRules {
		v.Agent = t.s.agentRules()
	}
	t.then(act.Reply{To: from, With: v})
}

func (s *state) view() messages.SessionView {
	v := messages.SessionView{
		Record: s.record, Run: s.run, LockHolder: s.lock.Holder(), LockWaiting: s.lock.Waiting(), Clients: s.clients.Streams(), Attached: s.clients.Everyone(), Lineage: s.options.Lineage,
		Inputs: slices.Clone(s.inputs), Permissions: s.prompts.List(prompts.Undecided),
	}
	v.Record.Options = s.agentOptions()
	if s.active() {
		v.Guard = s.agent.guard
	}
	return v
}

// announceFork emits the event that marks where the fork begins.
func (t *transition) announceFork() {
	f := t.s.record.Fork
	if f.Session == "" {
		return
	}
	seq := strconv.FormatUint(uint64(f.Seq), 10)
	t.notice("SESSION_FORKED", "Forked from "+string(f.Session)+" at sequence "+seq+"; what was said before is in its history",
		map[string]string{"session_id": string(f.Session), "sequence": seq})
}
