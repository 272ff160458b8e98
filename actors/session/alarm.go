package session

import (
	"slices"
	"strconv"

	"github.com/asynkron/protoactor-go/actor"

	pb "betcode/proto/betcode/v1"

	"betcode/actors/internal/act"
	"betcode/actors/internal/claude"
	"betcode/actors/internal/texts"
	"betcode/actors/run"
	"betcode/actors/session/alarm"
	"betcode/actors/session/events"
	"betcode/actors/session/evidence"
	"betcode/actors/session/prompts"
	"betcode/actors/session/requests"
	"betcode/actors/settings"
	"betcode/messages"
)

// What an agent did is compared with what it was allowed to do, and what it obeyed with what it was sent. A difference raises an alarm
// (package alarm). What is needed between lines is part of the run's record (package evidence) and is committed with the offset of
// those lines.

// alarm reports that the agent obeyed something other than the daemon, and freezes or ends the agent. An agent under a proxy belongs
// to another machine and may get orders there, so it raises no alarm.
func (t *transition) alarm(code messages.Code, reaction settings.OnAlarm, details map[string]string) {
	if t.s.proxied() {
		return
	}
	a := alarm.Raise(*t.s.run, t.s.active(), code, reaction, details)
	t.notice(string(code), a.Message, a.Details)
	t.audit(a.Entry)
	if !a.Repeats {
		t.then(notifyPerson{Notice{Code: string(code), Message: a.Message, Session: t.s.id, Name: t.s.record.Label(), Details: a.Details}})
	}
	t.putRun(a.Run)
	if a.Blocks {
		t.change().Condition = messages.AgentAlarmed
		t.status(pb.AgentStatus_ERROR, a.Text)
	}
	switch a.Order {
	case alarm.Freeze:
		t.at = append(t.at, sendToRun{a.Run.Run, run.Freeze{Why: run.Alarm, On: true}})
	case alarm.Kill:
		t.at = append(t.at, sendToRun{a.Run.Run, run.Stop{How: run.StopKill}})
	case alarm.Nothing:
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

// foreignInput reports whether the agent has read a message that the daemon did not write, and that the session does not have.
func (t *transition) foreignInput(m claude.InputState) bool {
	_, known := t.s.ledger.Find("", requests.Key{Name: m.Key})
	return alarm.ForeignInput(m, known, slices.Contains(t.s.record.InterruptedKeys, m.Key) && !t.s.agent.working)
}

// thawed reports whether the agent may be sent something. If not, it answers the caller.
func (t *transition) thawed(from *actor.PID, op string) bool {
	if !t.s.frozen() {
		return true
	}
	t.then(act.Reply{To: from, With: alarm.Refusal(op, t.s.id, t.s.run.Alarm)})
	return false
}

// thaw continues a frozen agent at the request of a person.
func (t *transition) thaw() {
	if !t.s.frozen() {
		return
	}
	record, entry := alarm.Thaw(*t.s.run)
	t.putRun(record)
	t.audit(entry)
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

// callInterrupted reports a call without a result whose agent has ended, unless the session is being stopped or deleted.
func (t *transition) callInterrupted(m claude.ToolDone) {
	if !t.s.endsForGood() {
		t.emit(events.CutOff(m))
	}
}

// The duration of a tool result excludes the time that its call waited for a person. The
// translator measures from the call to the result and sees no decisions. The session records
// with the run when a request was decided, so that the next daemon knows it too.

// callDecided records when a call was decided.
func (t *transition) callDecided(p messages.PermissionRecord) {
	if t.s.run == nil || p.ToolUse == "" || p.Run != t.s.run.Run || p.Orphaned() {
		return
	}
	t.putRun(evidence.Decided(*t.s.run, p.ToolUse, p.DecidedAt))
}

// forgetDecided drops the note about a call that has ended.
func (t *transition) forgetDecided(call string) {
	if t.s.run == nil {
		return
	}
	if record, noted := evidence.ForgetDecided(*t.s.run, call); noted {
		t.putRun(record)
	}
}

// ownTime takes the wait for a person out of a tool result.
func (t *transition) ownTime(e *pb.AgentEvent) {
	if result := e.GetToolCallResult(); result != nil && t.s.run != nil {
		events.OwnTime(e, t.s.run.CallsDecided, t.s.prompts.CallWaits(result.GetToolId()))
	}
}

// callDone checks who allowed a call that has ended, and forgets it.
func (t *transition) callDone(m claude.ToolDone) {
	request, open := t.s.prompts.OfCall(m.ID, t.s.record.Run)
	refused := false
	if t.s.run != nil {
		var record messages.RunRecord
		if record, refused = evidence.ForgetRefused(*t.s.run, m.ID); refused {
			t.putRun(record)
		}
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
		if open && !m.IsError && !t.s.ending.Shutdown && !t.s.replacing() {
			t.alarm(messages.SelfApproved, settings.AlarmTells, details)
		}
	case claude.VerdictOther:
	}
}

// unanswered records a call whose request ends without an allow, until the call has ended.
func (t *transition) unanswered(p messages.PermissionRecord) {
	if t.s.run == nil || p.ToolUse == "" || p.Run != t.s.run.Run || prompts.Permits(p.Decision) {
		return
	}
	if record, added := evidence.Refused(*t.s.run, p.ToolUse); added {
		t.putRun(record)
	}
}
