// Package subagent is the life of a subagent and what its auto-approve allows.
//
//	PENDING ──its agent begins──► RUNNING ──its turn ends, nothing is queued──► COMPLETED or FAILED
//	   │                             │ time is over, revoked with a call under way, cancelled
//	   └─────────────────────────────┴──► an ending is noted ──its agent has gone──► FAILED or CANCELLED
//
// A [messages.SubagentRecord] is a value that is never changed: functions return the next one. They do no I/O and read no
// clock. The session journals each record, announces the end, and ends the agent.
package subagent

import (
	"strings"
	"time"
	"unicode/utf8"

	"betcode/messages"
)

const (
	// MaxResult bounds what a record keeps of a result, in bytes.
	MaxResult = 4 << 10
	// MaxPrompt bounds what a record keeps of a prompt, in bytes.
	MaxPrompt = 1 << 10
	// Restarted is why a subagent failed that the end of a daemon left without an agent that can go on.
	Restarted = "daemon restarted"
	// Stopped is why a subagent is cancelled whose session was stopped.
	Stopped = "the session was stopped"
)

// Began is the record when the agent works. A turn that follows another one takes back how that one would have ended it.
func Began(r messages.SubagentRecord) messages.SubagentRecord {
	r.Status, r.Ending = messages.SubagentRunning, messages.SubagentEnding{}
	return r
}

// Facts is what the session knows of its work.
type Facts struct {
	Working  bool   // a turn or a task runs, a message or a request waits
	Live     bool   // there is an agent process
	Stopping bool   // it is being ended for good
	GaveUp   string // why no agent follows without a person; empty: one may
}

// Ends returns how a subagent ends now, and whether it does.
func Ends(r messages.SubagentRecord, f Facts) (messages.SubagentEnding, bool) {
	switch {
	case r.Status.Final() || f.Stopping:
		return messages.SubagentEnding{}, false
	case f.GaveUp != "" && !f.Live:
		if r.Ending.Status == messages.SubagentAny {
			return messages.SubagentEnding{Status: messages.SubagentFailed, Reason: f.GaveUp}, true
		}
		return r.Ending, true
	case f.Working:
		return messages.SubagentEnding{}, false
	case r.Ending.Status == messages.SubagentAny:
		return messages.SubagentEnding{Status: messages.SubagentCancelled, Reason: Stopped}, true
	}
	return r.Ending, true
}

// End is the record of a subagent that has ended, with the number of the event that says so.
func End(r messages.SubagentRecord, e messages.SubagentEnding, exit int32, at time.Time, seq messages.Seq) messages.SubagentRecord {
	r.Status, r.Ending, r.Result = e.Status, messages.SubagentEnding{}, e.Reason
	r.Exit, r.CompletedAt, r.EndSeq = exit, at, seq
	return r
}

// Cut returns the beginning of a text, at most so many bytes, in valid UTF-8.
func Cut(text string, most int) string {
	text = strings.ToValidUTF8(text, "?")
	if len(text) <= most {
		return text
	}
	const mark = "…"
	text = text[:most-len(mark)]
	for !utf8.ValidString(text) {
		text = text[:len(text)-1]
	}
	return text + mark
}

// Due returns when the subagent's time is over, and what is over then; the zero time if it is never.
func Due(r messages.SubagentRecord) (time.Time, string) {
	at, what := r.Deadline, "the subagent's time"
	if a := r.Auto; a.Given && !a.Revoked && (at.IsZero() || a.Until.Before(at)) {
		at, what = a.Until, "the time for which calls were approved"
	}
	if at.IsZero() || r.Status.Final() {
		return time.Time{}, ""
	}
	return at, what
}

// ExitCode returns what a subagent's end is for callers that know exit codes: that of its agent, at least 1 and at most 255 for one
// that has not completed.
func ExitCode(e messages.SubagentEnding, agent int) int32 {
	if e.Status == messages.SubagentCompleted {
		return 0
	}
	return int32(max(1, min(255, agent))) //nolint:gosec // at most 255
}

// ExistsError refuses to begin a subagent under the id of another session.
func ExistsError(op string, id messages.SessionID) *messages.Error {
	return messages.Errorf(op, messages.AlreadyExists, "there is another session %s", id).
		With("session_id", string(id)).WithHint("leave subagent_id empty, or give a new one")
}

// EndedError refuses a message to a subagent that has ended.
func EndedError(op string, id messages.SessionID, how messages.SubagentStatus) *messages.Error {
	return messages.Errorf(op, messages.WrongState, "the subagent has ended: %s", how).
		With("session_id", string(id)).WithHint("spawn another one, or go on with its session: betcode attach " + messages.ShortID(id))
}
