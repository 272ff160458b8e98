package evidence

import (
	"slices"
	"time"

	"betcode/actors/internal/control"
	"betcode/messages"
)

// Bounds of the lists of a record. Entries beyond them are not recognised any more.
const (
	maxControls = 512
	maxDecided  = 256
	maxRefused  = 256
)

// Decided notes when a call was decided, in the place of an earlier note.
func Decided(r messages.RunRecord, call string, at time.Time) messages.RunRecord {
	r, _ = ForgetDecided(r, call)
	r.CallsDecided = newest(append(slices.Clone(r.CallsDecided), messages.CallDecided{ToolUse: call, At: at}), maxDecided)
	return r
}

// ForgetDecided drops the note about a call that has ended, and reports whether there was one.
func ForgetDecided(r messages.RunRecord, call string) (messages.RunRecord, bool) {
	of := func(c messages.CallDecided) bool { return c.ToolUse == call }
	if !slices.ContainsFunc(r.CallsDecided, of) {
		return r, false
	}
	r.CallsDecided = slices.DeleteFunc(slices.Clone(r.CallsDecided), of)
	return r, true
}

// Refused notes a call whose request ended without an allow, and reports whether that is new.
func Refused(r messages.RunRecord, call string) (messages.RunRecord, bool) {
	if slices.Contains(r.UnansweredCalls, call) {
		return r, false
	}
	r.UnansweredCalls = newest(append(slices.Clone(r.UnansweredCalls), call), maxRefused)
	return r, true
}

// ForgetRefused drops a call that has ended, and reports whether it was noted.
func ForgetRefused(r messages.RunRecord, call string) (messages.RunRecord, bool) {
	if !slices.Contains(r.UnansweredCalls, call) {
		return r, false
	}
	r.UnansweredCalls = slices.DeleteFunc(slices.Clone(r.UnansweredCalls), func(c string) bool { return c == call })
	return r, true
}

// Ours reports whether the id of a control request has the signature of the run.
func Ours(r messages.RunRecord, request string) bool {
	_, ours := control.SignatureOf(r.ControlKey, request)
	return ours
}

// Answered notes the answer to a control request. It reports false for a request that the daemon did not send, or that was answered
// before.
func Answered(r messages.RunRecord, request string) (messages.RunRecord, bool) {
	sign, ours := control.SignatureOf(r.ControlKey, request)
	if !ours || slices.Contains(r.ControlsAnswered, sign) {
		return r, false
	}
	r.ControlsAnswered = newest(append(slices.Clone(r.ControlsAnswered), sign), maxControls)
	return r, true
}

// Kept returns a run's record as its actor has it, with what the session alone knows.
func Kept(known, told messages.RunRecord) messages.RunRecord {
	told.ControlsAnswered, told.UnansweredCalls, told.Alarm, told.Frozen = known.ControlsAnswered, known.UnansweredCalls, known.Alarm, known.Frozen
	told.CallsDecided = known.CallsDecided
	return told
}

func newest[T any](all []T, most int) []T { return all[max(0, len(all)-most):] }
