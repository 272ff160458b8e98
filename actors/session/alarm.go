package session

import (
	"cmp"
	"maps"
	"slices"

	"github.com/asynkron/protoactor-go/actor"

	pb "betcode/proto/betcode/v1"

	"betcode/actors/internal/act"
	"betcode/actors/internal/claude"
	"betcode/actors/internal/texts"
	"betcode/actors/run"
	"betcode/actors/session/prompts"
	"betcode/actors/session/requests"
	"betcode/actors/settings"
	"betcode/messages"
)

// A process that an agent starts runs as the same user and can write into the FIFO that the agent reads, unless the kernel
// forbids it (see [settings.FenceProject]). Three traces of that raise an alarm:
//
// 	SELF_APPROVED    a call ran because its permission request was allowed, and the daemon did not allow it
// 	FORGED_REQUEST   the agent answered a control request that the daemon did not send
// 	FORGED_INPUT     the agent took up a message or a shell command that the daemon did not send, or repeated a message that was done
//
// The agent reports the source of each decision, so calls that its own rules or hooks allow raise nothing. What is needed between
// lines (calls whose request ended without an allow, control requests that were answered) is part of the run's record and is
// committed with the offset of those lines. So nothing is forgotten or read twice when the daemon dies in between.

// maxUnansweredCalls bounds the calls that a run remembers.
const maxUnansweredCalls = 256

// alarms has for each code what the audit log calls it and what people are told.
var alarms = map[messages.Code]struct {
	audit messages.AuditType
	told  string
}{
	messages.SelfApproved:  {messages.AuditSelfApproved, "A tool call ran although no person or rule has allowed it: its permission request was answered by something that the agent has started"},
	messages.ForgedRequest: {messages.AuditForgedRequest, "The agent obeyed a control request that the daemon did not send: something that the agent has started has written into its input"},
	messages.ForgedInput:   {messages.AuditForgedInput, "The agent took up a message that the daemon did not send: something that the agent has started has written into its input"},
}

// what becomes of the agent, for people.
var reactions = map[settings.OnAlarm]string{
	settings.AlarmFreezes: ". The agent is frozen: 'betcode session resume' lets it go on, 'betcode session stop' ends it",
	settings.AlarmStops:   ". The agent is killed: 'betcode session resume' or a message starts it again",
	settings.AlarmTells:   ". The agent goes on (agent.on_self_approval is tell)",
}

// alarm reports that something else than the daemon gave the agent orders, and freezes or ends the agent.
func (t *transition) alarm(code messages.Code, reaction settings.OnAlarm, details map[string]string) {
	reaction = cmp.Or(reaction, settings.AlarmFreezes)
	a, again := alarms[code], t.s.run.Alarm != "" && t.s.run.Frozen
	details = maps.Clone(details)
	details["reaction"] = string(reaction)
	message := a.told + reactions[reaction]
	t.notice(string(code), message, details)
	t.audit(messages.AuditEntry{
		Type: a.audit, Outcome: messages.OutcomeFailure, ErrorCode: string(code), ErrorMessage: a.told, Tool: details["tool"], Context: details,
	})
	if !again {
		t.then(notify{Notice{Code: string(code), Message: message, Session: t.s.id, Name: t.s.record.Name, Details: details}})
	}
	record := *t.s.run
	record.Alarm, record.Frozen = code, record.Frozen || reaction == settings.AlarmFreezes && t.s.active()
	t.putRun(record)
	if reaction == settings.AlarmTells {
		return
	}
	t.change().Condition = messages.AgentAlarmed
	t.status(pb.AgentStatus_ERROR, a.told)
	if !t.s.active() {
		return
	}
	// At once: what the agent does until the journal has this cannot be undone.
	if reaction == settings.AlarmFreezes {
		t.at = append(t.at, sendToRun{record.Run, run.Freeze{Why: run.Alarm, On: true}})
	} else {
		t.at = append(t.at, sendToRun{record.Run, run.Stop{How: run.StopKill}})
	}
}

// forgedInput raises the alarm for a message or a command of unknown origin.
func (t *transition) forgedInput(details map[string]string) {
	t.alarm(messages.ForgedInput, t.s.options.OnAlarm, details)
}

// foreignInput reports whether the agent has read a message that the daemon did not write. There are two traces: a key that the session
// never gave is queued, or a message that was done begins again. The second repeats the key of one of the session's messages that
// the agent has forgotten (/clear and a new process). A message that the agent still knows is queued and completed without
// beginning; that is no alarm. Nor is the message of an interrupted turn: if the transcript ends with that message, the resumed
// agent begins it again. Prompts that the agent gives itself are not read from the FIFO, and never queued.
func (t *transition) foreignInput(m claude.InputState) bool {
	if t.s.input(m.Key) >= 0 {
		return false
	}
	_, known := t.s.ledger.Find("", requests.Key{Name: m.Key})
	continued := slices.Contains(t.s.record.InterruptedKeys, m.Key) && !t.s.agent.working
	return m.State == claude.Queued && !known || m.State == claude.Started && known && !continued
}

// callDone looks at who allowed a call that has ended, and forgets it.
func (t *transition) callDone(m claude.ToolDone) {
	request, open := t.requestOfCall(m.ID)
	refused := t.s.run != nil && slices.Contains(t.s.run.UnansweredCalls, m.ID)
	if refused {
		run := *t.s.run
		run.UnansweredCalls = slices.DeleteFunc(slices.Clone(run.UnansweredCalls), func(c string) bool { return c == m.ID })
		t.putRun(run)
	}
	if m.ID == "" || m.Lost || !open && !refused {
		return
	}
	details := map[string]string{"tool": texts.Shorten(m.Tool, maxShown), "tool_use_id": m.ID}
	if open {
		details["request_id"] = string(request)
	}
	switch m.Verdict {
	case claude.VerdictHost:
		t.alarm(messages.SelfApproved, t.s.options.OnAlarm, details)
	case claude.VerdictUnknown:
		// An agent of this version does not report the source of a decision. It is not stopped: a hook of the user may have allowed the
		// call.
		if open && !m.IsError && !t.s.ending.shutdown && !t.s.replacing() {
			t.alarm(messages.SelfApproved, settings.AlarmTells, details)
		}
	case claude.VerdictOther:
	}
}

// requestOfCall returns the request for a call that waits, or was denied.
func (t *transition) requestOfCall(call string) (messages.RequestID, bool) {
	for _, p := range t.s.prompts.List(prompts.Every) {
		if p.ToolUse == call && call != "" && p.Run == t.s.record.Run && !p.Orphaned() && !prompts.Permits(p.Decision) {
			return p.Request, true
		}
	}
	return "", false
}

// unanswered remembers, until it has ended, a call whose request ends without an allow.
func (t *transition) unanswered(p messages.PermissionRecord) {
	if t.s.run == nil || p.ToolUse == "" || p.Run != t.s.run.Run || prompts.Permits(p.Decision) || slices.Contains(t.s.run.UnansweredCalls, p.ToolUse) {
		return
	}
	run := *t.s.run
	run.UnansweredCalls = append(slices.Clone(run.UnansweredCalls), p.ToolUse)
	run.UnansweredCalls = run.UnansweredCalls[max(0, len(run.UnansweredCalls)-maxUnansweredCalls):]
	t.putRun(run)
}

// thawed reports whether the agent may be sent something. If not, it answers the caller.
func (t *transition) thawed(from *actor.PID, op string) bool {
	if !t.s.frozen() {
		return true
	}
	t.then(act.Reply{To: from, With: messages.Errorf(op, messages.WrongState, "the agent is frozen: %s", alarms[t.s.run.Alarm].told).
		WithCode(messages.AgentFrozen).With("session_id", string(t.s.id)).
		WithHint("'betcode session resume' lets it go on, 'betcode session stop' ends it")})
	return false
}

// thaw continues a frozen agent at the request of a person.
func (t *transition) thaw() {
	if !t.s.frozen() {
		return
	}
	record := *t.s.run
	record.Frozen = false
	t.putRun(record)
	t.audit(messages.AuditEntry{Type: messages.AuditAgentResumed, ActorType: messages.ActorUser, Context: map[string]string{"alarm": string(record.Alarm)}})
	t.sendToAgent(run.Freeze{Why: run.Alarm, On: false})
}

// alarmsOf is a run's record as its actor has it, with what the session alone knows.
func alarmsOf(known, told messages.RunRecord) messages.RunRecord {
	told.ControlsAnswered, told.UnansweredCalls, told.Alarm, told.Frozen = known.ControlsAnswered, known.UnansweredCalls, known.Alarm, known.Frozen
	told.CallsDecided = known.CallsDecided
	return told
}
