// Package alarm decides what is done when something other than the daemon has given an agent orders.
//
//	             freeze                      a person resumes it
//	RUNS ─────────────────────► FROZEN ──────────────────────────────► RUNS
//	 │ │         tell
//	 │ └──────────────────────► RUNS, and people know
//	 │           stop                        a person, or a message
//	 └────────────────────────► KILLED ──────────────────────────────► RUNS again
//
// A process that an agent starts runs as the same user and can write into the FIFO that the agent reads, unless the kernel forbids it
// (see [settings.FenceProject]). Four traces of that raise an alarm:
//
//	SELF_APPROVED    a call ran because its permission request was allowed, and the daemon did not allow it
//	FORGED_REQUEST   the agent answered a control request that the daemon did not send
//	FORGED_FLEET     a process that is not the agent's fleet server has presented the ticket of that
//	FORGED_INPUT     the agent took up a message or a shell command that the daemon did not send, or repeated a message that was done
//
// The agent reports the source of each decision, so calls that its own rules or hooks allow raise nothing. Functions take the record of
// a run and return the next; the session journals it, tells people, and freezes or ends the agent.
package alarm

import (
	"cmp"
	"maps"

	"betcode/actors/internal/claude"
	"betcode/actors/settings"
	"betcode/messages"
)

// kinds has for each code what the audit log calls it and the text for people.
var kinds = map[messages.Code]struct {
	audit messages.AuditType
	text  string
}{
	messages.SelfApproved:  {messages.AuditSelfApproved, "A tool call ran although no person or rule has allowed it: its permission request was answered by something that the agent has started"},
	messages.ForgedRequest: {messages.AuditForgedRequest, "The agent obeyed a control request that the daemon did not send: something that the agent has started has written into its input"},
	messages.ForgedFleet:   {messages.AuditForgedFleet, "A process that is not the agent's fleet server has tried to direct subagents as if it were"},
	messages.ForgedInput:   {messages.AuditForgedInput, "The agent took up a message that the daemon did not send: something that the agent has started has written into its input"},
}

// reactions say what becomes of the agent, for people.
var reactions = map[settings.OnAlarm]string{
	settings.AlarmFreezes: ". The agent is frozen: 'betcode session resume' lets it go on, 'betcode session stop' ends it",
	settings.AlarmStops:   ". The agent is killed: 'betcode session resume' or a message starts it again",
	settings.AlarmTells:   ". The agent goes on (agent.on_self_approval is tell)",
}

// Order is what the run is text at once: what the agent does until the journal has the alarm cannot be undone.
type Order uint8

// The orders.
const (
	Nothing Order = iota
	Freeze
	Kill
)

// Raised is an alarm and what follows.
type Raised struct {
	Run     messages.RunRecord // of the run, with the alarm
	Text    string             // what has happened
	Message string             // the same, and what becomes of the agent
	Details map[string]string
	Entry   messages.AuditEntry
	Repeats bool // the agent is frozen since an earlier alarm: a person knows
	Blocks  bool // the session does nothing by itself until a person acts
	Order   Order
}

// Raise raises an alarm about a run; live says whether its agent is under way.
func Raise(r messages.RunRecord, live bool, code messages.Code, reaction settings.OnAlarm, details map[string]string) Raised {
	reaction = cmp.Or(reaction, settings.AlarmFreezes)
	kind := kinds[code]
	details = maps.Clone(details)
	details["reaction"] = string(reaction)
	a := Raised{
		Run: r, Text: kind.text, Message: kind.text + reactions[reaction], Details: details,
		Entry: messages.AuditEntry{
			Type: kind.audit, Outcome: messages.OutcomeFailure, ErrorCode: string(code), ErrorMessage: kind.text, Tool: details["tool"], Context: details,
		},
		Repeats: r.Alarm != "" && r.Frozen,
		Blocks:  reaction != settings.AlarmTells,
	}
	a.Run.Alarm, a.Run.Frozen = code, r.Frozen || reaction == settings.AlarmFreezes && live
	switch {
	case !a.Blocks || !live:
	case reaction == settings.AlarmFreezes:
		a.Order = Freeze
	default:
		a.Order = Kill
	}
	return a
}

// Thaw ends the freeze of a run at the request of a person.
func Thaw(r messages.RunRecord) (messages.RunRecord, messages.AuditEntry) {
	r.Frozen = false
	return r, messages.AuditEntry{Type: messages.AuditAgentResumed, ActorType: messages.ActorUser, Context: map[string]string{"alarm": string(r.Alarm)}}
}

// Refusal is the error of a request to an agent that an alarm has frozen.
func Refusal(op string, id messages.SessionID, code messages.Code) *messages.Error {
	return messages.Errorf(op, messages.WrongState, "the agent is frozen: %s", kinds[code].text).
		WithCode(messages.AgentFrozen).With("session_id", string(id)).
		WithHint("'betcode session resume' lets it go on, 'betcode session stop' ends it")
}

// ForeignInput reports whether the agent has read a message that the daemon did not write, from a report about one that the session does
// not have. There are two traces: a key that the session never gave is queued, or a message that was done begins again. The second
// repeats the key of one of the session's messages that the agent has forgotten (/clear and a new process). A message that the agent
// still knows is queued and completed without beginning; that is no alarm. Nor is the message of an interrupted turn, which is
// continued: if the transcript ends with that message, the resumed agent begins it again. Prompts that the agent gives itself are not
// read from the FIFO, and never queued.
func ForeignInput(m claude.InputState, known, continued bool) bool {
	return m.State == claude.Queued && !known || m.State == claude.Started && known && !continued
}
