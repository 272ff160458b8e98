package actortest

import (
	"fmt"
	"strings"

	"google.golang.org/protobuf/proto"

	"betcode/messages"
	pb "betcode/proto/betcode/v1"
)

// ShowEvent writes an event in a few words, with its number first if it has one.
func ShowEvent(e messages.Event) string {
	var event pb.AgentEvent
	if err := proto.Unmarshal(e.Bytes, &event); err != nil {
		return err.Error()
	}
	word := ShowPayload(&event)
	if e.Seq > 0 {
		return fmt.Sprintf("%d %s", e.Seq, word)
	}
	return word
}

// ShowPayload writes the payload of an event in a few words; empty for presence, which has tests of its own.
func ShowPayload(event *pb.AgentEvent) string {
	switch m := event.GetEvent().(type) {
	case *pb.AgentEvent_SessionInfo:
		if m.SessionInfo.GetModel() != "" {
			return "info " + m.SessionInfo.GetModel()
		}
		return "info"
	case *pb.AgentEvent_UserInput:
		return "input " + m.UserInput.GetIdempotencyKey()
	case *pb.AgentEvent_Repeat:
		r := m.Repeat
		state := strings.ToLower(strings.TrimPrefix(r.GetState().String(), "REPEAT_STATE_"))
		return strings.TrimSuffix(fmt.Sprintf("repeat %d/%d %s: %s", r.GetIteration(), r.GetMax(), state, r.GetReason()), ": ")
	case *pb.AgentEvent_StatusChange:
		return m.StatusChange.GetStatus().String()
	case *pb.AgentEvent_TurnComplete:
		return "turn " + m.TurnComplete.GetStopReason()
	case *pb.AgentEvent_Notice:
		return "notice " + m.Notice.GetCode()
	case *pb.AgentEvent_Error:
		return "error " + m.Error.GetCode()
	case *pb.AgentEvent_Lock:
		return showLock(m.Lock)
	case *pb.AgentEvent_Presence: // too frequent; it has tests of its own
		return ""
	case *pb.AgentEvent_TextDelta:
		return "text " + m.TextDelta.GetText()
	case *pb.AgentEvent_Run:
		state := strings.ToLower(strings.TrimPrefix(m.Run.GetState().String(), "RUN_STATE_"))
		return fmt.Sprintf("run %d %s", m.Run.GetRun(), state)
	case *pb.AgentEvent_PermissionRequest:
		word := "request " + m.PermissionRequest.GetRequestId()
		if m.PermissionRequest.GetIsReplay() {
			word += " again"
		}
		return word
	case *pb.AgentEvent_UserQuestion:
		return "question " + m.UserQuestion.GetQuestionId()
	case *pb.AgentEvent_PermissionResolved:
		r := m.PermissionResolved
		if r.GetSupersededBy() != "" {
			return fmt.Sprintf("%s takes the place of %s", r.GetSupersededBy(), r.GetRequestId())
		}
		return fmt.Sprintf("resolved %s %s by %s", r.GetRequestId(), r.GetDecision(), r.GetResolvedBy())
	}
	return fmt.Sprintf("%T", event.GetEvent())
}

func showLock(l *pb.LockChange) string {
	word := fmt.Sprintf("lock %q", l.GetHolder())
	if len(l.GetWaiting()) > 0 {
		word += " waiting " + strings.Join(l.GetWaiting(), " ")
	}
	if l.GetRequestedBy() != "" {
		word += " asked by " + l.GetRequestedBy()
	}
	if l.GetOfferedTo() != "" {
		word += " offered to " + l.GetOfferedTo()
	}
	return word
}
