package session

import (
	pb "betcode/proto/betcode/v1"

	"betcode/actors/internal/claude"
	"betcode/actors/internal/texts"
	"betcode/actors/session/events"
	"betcode/actors/session/evidence"
	"betcode/actors/session/prompts"
	"betcode/actors/settings"
	"betcode/messages"
)

// callInterrupted reports what is known of a call without a result whose agent has ended, unless no agent continues it.
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

// ownTime takes the wait for a person out of a tool result. A call that still waits when
// its result comes has not run.
func (t *transition) ownTime(e *pb.AgentEvent) {
	result := e.GetToolCallResult()
	if result == nil || t.s.run == nil {
		return
	}
	for _, c := range t.s.run.CallsDecided {
		if c.ToolUse == result.GetToolId() {
			own := max(0, e.GetTimestamp().AsTime().Sub(c.At).Milliseconds())
			result.DurationMs = uint32(min(uint64(own), uint64(result.GetDurationMs()))) //nolint:gosec // the smaller of the two fits
		}
	}
	for _, p := range t.s.prompts.List(prompts.Every) {
		if prompts.Undecided(p) && !p.Orphaned() && p.ToolUse != "" && p.ToolUse == result.GetToolId() {
			result.DurationMs = 0
		}
	}
}

// callDone looks at who allowed a call that has ended, and forgets it.
func (t *transition) callDone(m claude.ToolDone) {
	request, open := t.requestOfCall(m.ID)
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
	if t.s.run == nil || p.ToolUse == "" || p.Run != t.s.run.Run || prompts.Permits(p.Decision) {
		return
	}
	if record, added := evidence.Refused(*t.s.run, p.ToolUse); added {
		t.putRun(record)
	}
}
