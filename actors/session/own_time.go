package session

import (
	"slices"

	pb "betcode/proto/betcode/v1"

	"betcode/actors/session/prompts"
	"betcode/messages"
)

// The duration of a tool result excludes the time that its call waited for a person. The
// translator measures from the call to the result and sees no decisions. The session records
// with the run when a request was decided, so that the next daemon knows it too.

// maxCallsDecided bounds the calls that a run has noted.
const maxCallsDecided = 256

// callDecided records when a call was decided.
func (t *transition) callDecided(p messages.PermissionRecord) {
	if t.s.run == nil || p.ToolUse == "" || p.Run != t.s.run.Run || p.Orphaned() {
		return
	}
	run := *t.s.run
	run.CallsDecided = append(withoutCall(run.CallsDecided, p.ToolUse), messages.CallDecided{ToolUse: p.ToolUse, At: p.DecidedAt})
	run.CallsDecided = run.CallsDecided[max(0, len(run.CallsDecided)-maxCallsDecided):]
	t.putRun(run)
}

// forgetDecided drops the note about a call that has ended.
func (t *transition) forgetDecided(call string) {
	if t.s.run == nil || !slices.ContainsFunc(t.s.run.CallsDecided, func(c messages.CallDecided) bool { return c.ToolUse == call }) {
		return
	}
	run := *t.s.run
	run.CallsDecided = withoutCall(run.CallsDecided, call)
	t.putRun(run)
}

func withoutCall(calls []messages.CallDecided, call string) []messages.CallDecided {
	return slices.DeleteFunc(slices.Clone(calls), func(c messages.CallDecided) bool { return c.ToolUse == call })
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
