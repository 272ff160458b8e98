package session

import (
	"cmp"
	"maps"
	"slices"
	"strconv"

	"github.com/asynkron/protoactor-go/actor"

	pb "betcode/proto/betcode/v1"

	"betcode/actors/internal/act"
	"betcode/actors/internal/claude"
	"betcode/actors/run"
	"betcode/actors/session/evidence"
	"betcode/actors/session/requests"
	"betcode/actors/settings"
	"betcode/messages"
)

// A process that an agent starts runs as the same user and can write into the FIFO that the agent reads, unless the kernel
// forbids it (see [settings.FenceProject]). Four traces of that raise an alarm:
//
// 	SELF_APPROVED    a call ran because its permission request was allowed, and the daemon did not allow it
// 	FORGED_REQUEST   the agent answered a control request that the daemon did not send
// 	FORGED_FLEET     a process that is not the agent's fleet server has presented the ticket of that
// 	FORGED_INPUT     the agent took up a message or a shell command that the daemon did not send, or repeated a message that was done
//
// The agent reports the source of each decision, so calls that its own rules or hooks allow raise nothing. What is needed between
// lines is part of the run's record (package evidence) and is committed with the offset of those lines.

// alarms has for each code what the audit log calls it and what people are told.
var alarms = map[messages.Code]struct {
	audit messages.AuditType
	told  string
}{
	messages.SelfApproved:  {messages.AuditSelfApproved, "A tool call ran although no person or rule has allowed it: its permission request was answered by something that the agent has started"},
	messages.ForgedRequest: {messages.AuditForgedRequest, "The agent obeyed a control request that the daemon did not send: something that the agent has started has written into its input"},
	messages.ForgedFleet:   {messages.AuditForgedFleet, "A process that is not the agent's fleet server has tried to direct subagents as if it were"},
	messages.ForgedInput:   {messages.AuditForgedInput, "The agent took up a message that the daemon did not send: something that the agent has started has written into its input"},
}

// what becomes of the agent, for people.
var reactions = map[settings.OnAlarm]string{
	settings.AlarmFreezes: ". The agent is frozen: 'betcode session resume' lets it go on, 'betcode session stop' ends it",
	settings.AlarmStops:   ". The agent is killed: 'betcode session resume' or a message starts it again",
	settings.AlarmTells:   ". The agent goes on (agent.on_self_approval is tell)",
}

// alarm reports that something else than the daemon gave the agent orders, and freezes or ends the agent. Orders of others are
// nothing unusual for an agent under a proxy, which belongs to another machine.
func (t *transition) alarm(code messages.Code, reaction settings.OnAlarm, details map[string]string) {
	if t.s.proxied() {
		return
	}
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
		t.then(notifyPerson{Notice{Code: string(code), Message: message, Session: t.s.id, Name: t.s.record.Label(), Details: details}})
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

// fleetIntruder raises the alarm for a process that has presented the ticket of the running agent.
func (t *transition) fleetIntruder(m FleetIntruder) {
	if t.s.run == nil || t.s.run.Run != m.Run || !t.s.active() {
		return
	}
	t.alarm(messages.ForgedFleet, t.s.options.OnAlarm, map[string]string{"pid": strconv.Itoa(m.PID), "why": m.Why})
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

// Ids of control requests prove that the daemon sent them. Any process that an agent starts may write into the agent's FIFO, so an
// answer of the agent alone proves nothing. Each id ends in a signature made with a key of the run that the agent never gets, and
// each counts once (package evidence). So a rebuilt session, or a daemon that adopts the agent, checks them like the one before.

// asked reports whether an answer belongs to a control request of this session that was not answered before, and notes the answer.
// Runs of older daemons are not checked.
func (t *transition) asked(request string) bool {
	if t.s.run == nil || t.s.run.ControlKey == "" {
		return true
	}
	record, first := evidence.Answered(*t.s.run, request)
	if first {
		t.putRun(record)
	}
	return first
}

// repeats reports whether an answer that [transition.asked] refuses is the second answer of an old agent to the same request. The
// codec drops such answers from the first turn on, when the agent has reported its version. Before that, only the version of the
// program is known.
func (t *transition) repeats(request string) bool {
	if t.s.run == nil || t.s.can().SingleAnswers {
		return false
	}
	return evidence.Ours(*t.s.run, request)
}
