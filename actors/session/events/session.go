package events

import (
	"cmp"

	pb "betcode/proto/betcode/v1"

	"betcode/actors/internal/process"
	"betcode/messages"
)

// Session describes the session: model, directory, head, condition. resumed says that the conversation went on before.
func Session(r messages.SessionRecord, lineage string, resumed bool) *pb.AgentEvent {
	return &pb.AgentEvent{Event: &pb.AgentEvent_SessionInfo{SessionInfo: &pb.SessionInfo{
		SessionId:        string(r.ID),
		Model:            cmp.Or(r.AgentModel, r.Model),
		WorkingDirectory: r.WorkingDirectory,
		WorktreeId:       r.WorktreeID,
		MessageCount:     uint64(r.Messages),
		IsResumed:        resumed,

		ContextUsagePercent: contextUsage(r.Past),
		Lineage:             lineage,
		Head:                uint64(r.Head),
		Condition:           string(r.Condition),
		Waiting:             r.Waiting,
		ForkedFrom:          forkOrigin(r.Fork),
	}}}
}

func forkOrigin(f messages.Fork) *pb.ForkOrigin {
	if f.Session == "" {
		return nil
	}
	return &pb.ForkOrigin{SessionId: string(f.Session), Sequence: uint64(f.Seq)}
}

// contextUsage is how full the model's context is after the newest turn, in percent;
// 0 while it is not known.
func contextUsage(p messages.Past) float32 {
	if p.ContextWindow == 0 {
		return 0
	}
	return float32(100 * float64(p.ContextTokens) / float64(p.ContextWindow))
}

// UserInput is a message that the session accepted: its acknowledgement for every client. iteration is its number among the prompts
// of a repeated message; 0 if it is none.
func UserInput(in messages.InputRecord, iteration uint32) *pb.AgentEvent {
	said := &pb.UserInput{Content: in.Content, IdempotencyKey: in.Key, Iteration: iteration}
	for _, a := range in.Attachments {
		said.Attachments = append(said.Attachments, &pb.AttachedFile{Filename: a.Filename, MimeType: a.MimeType, Size: uint64(len(a.Data))})
	}
	return &pb.AgentEvent{Event: &pb.AgentEvent_UserInput{UserInput: said}}
}

// Status is a change of what the agent does; message is for people and may be empty.
func Status(status pb.AgentStatus, message string) *pb.AgentEvent {
	return &pb.AgentEvent{Event: &pb.AgentEvent_StatusChange{StatusChange: &pb.StatusChange{Status: status, Message: message}}}
}

// Error is an error that the session goes on after.
func Error(code messages.Code, message string, details map[string]string) *pb.AgentEvent {
	return &pb.AgentEvent{Event: &pb.AgentEvent_Error{Error: &pb.ErrorEvent{Code: string(code), Message: message, Details: details}}}
}

// TurnComplete is the end of a turn that the agent itself did not end.
func TurnComplete(reason string) *pb.AgentEvent {
	return &pb.AgentEvent{Event: &pb.AgentEvent_TurnComplete{TurnComplete: &pb.TurnComplete{StopReason: reason}}}
}

// Run is what became of a process of the agent.
func Run(r messages.RunRecord, state pb.RunState) *pb.AgentEvent {
	return &pb.AgentEvent{Event: &pb.AgentEvent_Run{Run: &pb.RunEvent{
		Run:            uint64(r.Run),
		State:          state,
		Pid:            int32(r.Process.PID),
		ExitCode:       int32(process.Status(r.Exit)),
		Reason:         r.Exit.Reason,
		AgentSessionId: r.AgentSession,
		Resumed:        r.Resumed,
		StatusUnknown:  r.State == messages.RunFinished && !r.Exit.Known,
	}}}
}

// Closed is the last event of every stream of a deleted session.
func Closed() *pb.AgentEvent {
	return &pb.AgentEvent{Event: &pb.AgentEvent_Error{Error: &pb.ErrorEvent{
		Code: string(messages.SessionClosed), Message: "Session has been closed", IsFatal: true,
	}}}
}

// Notice is something that a person should know, under a code of its own.
func Notice(code, message string, details map[string]string) *pb.AgentEvent {
	return &pb.AgentEvent{Event: &pb.AgentEvent_Notice{Notice: &pb.Notice{Code: code, Message: message, Details: details}}}
}

// SubagentSpawned is the first event of a subagent.
func SubagentSpawned(parent messages.SessionID, model string) *pb.AgentEvent {
	return subagentChange(&pb.SubagentChange{Status: messages.SubagentPending.String(), ParentSessionId: string(parent), Model: model})
}

// SubagentEnded is the end of a subagent.
func SubagentEnded(parent messages.SessionID, e messages.SubagentEnding, exit int32) *pb.AgentEvent {
	return subagentChange(&pb.SubagentChange{Status: e.Status.String(), ParentSessionId: string(parent), ResultSummary: e.Reason, ExitCode: exit})
}

func subagentChange(c *pb.SubagentChange) *pb.AgentEvent {
	return &pb.AgentEvent{Event: &pb.AgentEvent_Subagent{Subagent: c}}
}
