package kit

import (
	"fmt"
	"strings"

	"google.golang.org/protobuf/encoding/prototext"

	pb "betcode/proto/betcode/v1"
)

// Line returns an event on one line, for failing tests and demos.
func Line(e Event) string {
	text := prototext.MarshalOptions{Multiline: false}.Format(withoutTime(e))
	if len(text) > 300 {
		text = text[:300] + "…"
	}
	return text
}

// Describe writes events, one to a line.
func Describe(events []Event) string {
	var b strings.Builder
	for _, e := range events {
		fmt.Fprintln(&b, Line(e))
	}
	return b.String()
}

func withoutTime(e Event) *pb.AgentEvent {
	return &pb.AgentEvent{Sequence: e.GetSequence(), ParentToolUseId: e.GetParentToolUseId(), Event: e.GetEvent()}
}

// Text joins the assistant's text of events, without thinking and without text that was withdrawn.
func Text(events []Event) string {
	var b strings.Builder
	for _, e := range events {
		if d := e.GetTextDelta(); d != nil && !d.GetThinking() && !d.GetWithdrawn() && e.GetParentToolUseId() == "" {
			b.WriteString(d.GetText())
		}
	}
	return b.String()
}

// Conditions for events that tests wait for.

// IsTurnComplete matches the end of a turn.
func IsTurnComplete(e Event) bool { return e.GetTurnComplete() != nil }

// IsIdle matches StatusChange(IDLE).
func IsIdle(e Event) bool { return IsStatus(pb.AgentStatus_IDLE)(e) }

// IsStatus matches a StatusChange.
func IsStatus(status pb.AgentStatus) func(Event) bool {
	return func(e Event) bool {
		return e.GetStatusChange() != nil && e.GetStatusChange().GetStatus() == status
	}
}

// IsPermission matches a journaled permission request.
func IsPermission(e Event) bool {
	return e.GetPermissionRequest() != nil && e.GetSequence() > 0
}

// IsText matches a piece of the assistant's text.
func IsText(e Event) bool { return e.GetTextDelta().GetText() != "" }

// IsRun matches a process that has reached a state.
func IsRun(state pb.RunState) func(Event) bool {
	return func(e Event) bool { return e.GetRun() != nil && e.GetRun().GetState() == state }
}
