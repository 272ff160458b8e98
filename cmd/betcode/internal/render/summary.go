package render

import (
	"strings"

	"betcode/cmd/betcode/internal/console"
	pb "betcode/proto/betcode/v1"
)

// Kind returns the name of an event's kind, as JSON has it; empty for one of a newer daemon.
func Kind(e *pb.AgentEvent) string {
	m := e.ProtoReflect()
	if field := m.WhichOneof(m.Descriptor().Oneofs().ByName("event")); field != nil {
		return string(field.Name())
	}
	return ""
}

// Summary describes an event on one line.
func Summary(e *pb.AgentEvent) string {
	switch event := e.GetEvent().(type) {
	case *pb.AgentEvent_PermissionRequest:
		return console.Line(event.PermissionRequest.GetToolName() + " " + event.PermissionRequest.GetDescription())
	case *pb.AgentEvent_UserQuestion:
		return console.Line(event.UserQuestion.GetQuestion())
	}
	var out strings.Builder
	NewRenderer(&out, false, true).Event(e)
	return strings.Join(strings.Fields(out.String()), " ")
}
