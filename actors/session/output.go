package session

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/google/uuid"

	pb "betcode/proto/betcode/v1"

	"betcode/actors/internal/claude"
	"betcode/actors/internal/texts"
	"betcode/actors/run"
	"betcode/actors/session/audit"
	"betcode/actors/session/events"
	"betcode/messages"
)

// previewLength bounds SessionSummary.last_message_preview, in characters.
const previewLength = 120

// output takes a batch of the agent's lines: their events, their effects on the
// session, the consumed offset and the translator's state go into one append.
func (t *transition) output(m run.Output) {
	if m.Run != t.s.record.Run {
		return // a late batch of an earlier run
	}
	if m.From != t.s.cursor.Offset {
		panic(fmt.Sprintf("run %d read from %d, the journal is at %d", m.Run, m.From, t.s.cursor.Offset))
	}
	cursor := messages.Cursor{Run: m.Run, Offset: m.To, Translator: m.Translator}
	t.s.cursor, t.append.SpoolFrom, t.append.Cursor = cursor, m.From, &cursor
	t.dirty = true
	turn := t.s.record.Turn
	t.activity(m.Items...)
	t.append.Events = slices.Grow(t.append.Events, len(m.Items))
	for _, item := range m.Items {
		t.item(item)
	}
	t.watchTrust(m.Items)
	t.used = t.used || t.outputIsUse(turn, m.Items)
	t.sendToAgent(messages.Credit{Run: m.Run, Batches: 1, Journaled: m.To})
}

// item is the table of everything that the agent can report.
func (t *transition) item(item claude.Item) {
	switch m := item.(type) {
	case claude.Draft:
		t.ownTime(m.Event)
		t.emit(events.WithTotal(m.Event, t.s.record.Budget, t.now.at))
	case claude.InputState:
		t.inputState(m)
	case claude.TurnStarted:
		t.turnStarted(m)
	case claude.TurnEnded:
		t.turnEnded(m)
	case claude.StatusHint:
		if !t.s.prompts.AgentWaits() {
			t.status(m.Status, "")
		}
	case claude.PermissionAsked:
		t.permissionAsked(m)
	case claude.PermissionWithdrawn:
		t.unanswered(t.s.prompts.Get(messages.RequestID(m.Request)))
		t.withdrawnByAgent(messages.RequestID(m.Request))
	case claude.ControlAsked:
		if line := claude.UnhandledLine(m); line != nil {
			t.sendToAgent(run.WriteControl{Line: line})
		}
	case claude.ControlAnswered:
		t.controlAnswered(m)
	case claude.ModeChanged:
		t.modeChanged(m.Mode)
	case claude.AgentSessionChanged:
		t.agentSession(m.ID)
	case claude.BackgroundTasks:
		t.change().Background = m.IDs
		if !t.s.agent.busy { // otherwise a turn about the task's end may follow at once
			t.becomeIdle()
		}
	case claude.DeniedByAgent:
		t.audit(audit.AgentDenial(m))
	case claude.ToolDone:
		if m.Lost { // the end of the run follows, which keeps the request
			t.callInterrupted(m)
		} else {
			t.callDone(m)
			t.subagentCalled()
			t.withdrawTool(m.ID)
		}
		t.forgetDecided(m.ID)
	case claude.CommandForged:
		if !t.s.inputs.Has(m.Key) {
			t.forgedInput(map[string]string{"command": texts.Shorten(m.Command, maxShown)})
		}
	case claude.SessionStateChanged:
		t.s.agent.busy = m.State != "idle"
		if !t.s.agent.busy {
			t.becomeIdle()
		}
	case claude.AssistantText:
		if m.Parent == "" {
			r := t.change()
			r.Preview = texts.Shorten(m.Text, previewLength)
			if m.Message != t.s.announced.lastMessage || m.Message == "" {
				r.Messages++
			}
			t.s.announced.lastMessage = m.Message
		}
	case claude.Compacted:
		t.compacted(m)
	case claude.CompactionFailed:
		t.compactionFailed(m)
	case claude.RateLimited:
		t.rateLimited(m)
	case claude.MemoryReset, claude.RetryWait, claude.ToolRunning, claude.ToolProgress, claude.CommandsChanged:
		// Their drafts show them to clients; of the session only watchTrust depends on them.
	}
}

// agentSession notes the agent's id of the conversation, if a later run can resume it.
func (t *transition) agentSession(id string) {
	if uuid.Validate(id) == nil && len(id) == 36 {
		t.change().AgentSession = id
	}
}

// modeChanged notes the agent's permission mode, if a later run can be given it.
func (t *transition) modeChanged(mode string) {
	_, err := claude.Argv(claude.Spec{Program: t.s.options.Program, SessionID: uuid.Nil.String(), PermissionMode: mode})
	if err == nil && (t.s.proxied() || t.modeTaken(mode)) {
		t.change().PermissionMode = mode
	}
}

// turnStarted notes that the agent works. The lifecycle of the messages shows which of them it works on.
func (t *transition) turnStarted(m claude.TurnStarted) {
	t.exchangeBegins()
	t.noteAgentVersion(m.Version, m.Inputs)
	t.reported(m)
	t.abilitiesNamed(m.Abilities)
	r := t.change()
	r.Turn = true
	if r.Condition == "" {
		r.Phase = messages.PhaseActive
	}
	t.s.agent.working = true
	t.subagentBegan()
	t.beginInputs(m)
	t.agentSession(m.AgentSession)
	if m.Model != "" && m.Model != r.AgentModel {
		r.AgentModel = m.Model
		t.emit(events.Session(*r, t.s.options.Lineage, t.s.run != nil && t.s.run.Resumed))
	}
	t.status(pb.AgentStatus_THINKING, "")
	if r.TurnCanceled {
		t.interrupt()
	}
}

// turnEnded marks the messages that the turn has answered as done. The translator drafted its UsageReport and TurnComplete;
// StatusChange(IDLE) is last.
func (t *transition) turnEnded(m claude.TurnEnded) {
	if m.MemoryGone {
		t.s.agent.memoryGone = true
		return
	}
	if m.Unasked && t.s.can().ToldCauses {
		t.forgedInput(map[string]string{"turn": "nothing has asked for it"})
	}
	t.subagentAnswered(m)
	r := t.change()
	before := r.Status
	r.Turn, r.TurnCanceled, r.Interruptions = false, false, 0
	r.InTranscript = true
	t.exchangeEnds(m)
	r.Usage.InputTokens += m.Usage.InputTokens
	r.Usage.OutputTokens += m.Usage.OutputTokens
	r.Usage.CacheReadTokens += m.Usage.CacheReadTokens
	r.Usage.CacheCreationTokens += m.Usage.CacheCreationTokens
	t.countTurn(m.Usage)
	t.s.agent.lastFailed = m.IsError
	t.s.retries.History.Failures = nil
	for _, key := range t.answeredBy(m) {
		t.inputDone(key)
	}
	t.repeatAnswered(m)
	t.interruptOver()
	t.rateLimitOver(m)
	t.ability(m)
	t.deliverLong()
	t.becomeIdle()
	t.afterTurn(before)
}

// controlAnswered takes the answer to a control request. After the barrier's answer the pipe has nothing unread: the agent never
// read the inputs that it has not acknowledged by then.
func (t *transition) controlAnswered(m claude.ControlAnswered) {
	if !t.asked(m.Request) {
		if t.repeats(m.Request) {
			return
		}
		t.alarm(messages.ForgedRequest, t.s.options.OnAlarm, map[string]string{"control_request": texts.Shorten(m.Request, maxShown)})
		return
	}
	if m.Request == t.s.agent.modeWish.request && m.Request != "" {
		t.modeAnswered(m.OK)
	}
	switch {
	case m.Request == t.s.agent.barrier && t.s.agent.barrier != "":
		t.s.agent.barrier = ""
		for _, in := range t.s.inputs.Unread() {
			t.keepInput(in)
		}
	case t.s.agent.handover.Awaits(m.Request):
		t.handedOver(m.OK)
	case t.s.inquiry.Is(m.Request):
		t.abilitiesReported(m)
	case !m.OK && m.Request != t.s.agent.interrupt:
		t.notice("CONTROL_REFUSED", "The agent refused a request: "+cmp.Or(m.Error, m.ErrorCode),
			map[string]string{"request": m.Request, "error_code": m.ErrorCode})
	}
}
