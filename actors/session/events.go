package session

import (
	"cmp"

	pb "betcode/proto/betcode/v1"

	"betcode/actors/internal/process"
	"betcode/messages"
)

func sessionInfo(r messages.SessionRecord, lineage string, resumed bool) *pb.AgentEvent {
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

func userInput(in messages.InputRecord) *pb.AgentEvent {
	said := &pb.UserInput{Content: in.Content, IdempotencyKey: in.Key}
	for _, a := range in.Attachments {
		said.Attachments = append(said.Attachments, &pb.AttachedFile{Filename: a.Filename, MimeType: a.MimeType, Size: uint64(len(a.Data))})
	}
	return &pb.AgentEvent{Event: &pb.AgentEvent_UserInput{UserInput: said}}
}

func statusChange(status pb.AgentStatus, message string) *pb.AgentEvent {
	return &pb.AgentEvent{Event: &pb.AgentEvent_StatusChange{StatusChange: &pb.StatusChange{Status: status, Message: message}}}
}

func errorEvent(code messages.Code, message string, details map[string]string) *pb.AgentEvent {
	return &pb.AgentEvent{Event: &pb.AgentEvent_Error{Error: &pb.ErrorEvent{Code: string(code), Message: message, Details: details}}}
}

func turnComplete(reason string) *pb.AgentEvent {
	return &pb.AgentEvent{Event: &pb.AgentEvent_TurnComplete{TurnComplete: &pb.TurnComplete{StopReason: reason}}}
}

func runEvent(r messages.RunRecord, state pb.RunState) *pb.AgentEvent {
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

// wireDecisions has the wire value of each decision, and its reason where no client decided.
var wireDecisions = map[messages.Decision]struct {
	decision pb.PermissionDecision
	reason   string
}{
	messages.AllowOnce:         {pb.PermissionDecision_ALLOW_ONCE, "client"},
	messages.AllowSession:      {pb.PermissionDecision_ALLOW_SESSION, "client"},
	messages.Deny:              {pb.PermissionDecision_DENY, "client"},
	messages.AllowWithEdit:     {pb.PermissionDecision_ALLOW_WITH_EDIT, "client"},
	messages.DenyNoInterrupt:   {pb.PermissionDecision_DENY_NO_INTERRUPT, "client"},
	messages.DenyWithInterrupt: {pb.PermissionDecision_DENY_WITH_INTERRUPT, "client"},
	messages.DecisionAnswered:  {pb.PermissionDecision_ALLOW_ONCE, "client"},
	messages.DecisionWithdrawn: {pb.PermissionDecision_PERMISSION_DECISION_UNSPECIFIED, "withdrawn"},
	messages.DecisionExpired:   {pb.PermissionDecision_DENY, "expired"},
}

// permissionSuperseded reports that the agent repeats a request under another id.
func permissionSuperseded(p messages.PermissionRecord, by messages.RequestID) *pb.AgentEvent {
	return &pb.AgentEvent{Event: &pb.AgentEvent_PermissionResolved{PermissionResolved: &pb.PermissionResolved{
		RequestId: string(p.Request), ResolvedBy: "agent", Reason: "superseded", SupersededBy: string(by),
	}}}
}

func permissionResolved(p messages.PermissionRecord) *pb.AgentEvent {
	wire := wireDecisions[p.Decision]
	return &pb.AgentEvent{Event: &pb.AgentEvent_PermissionResolved{PermissionResolved: &pb.PermissionResolved{
		RequestId: string(p.Request), Decision: wire.decision, ResolvedBy: p.DecidedBy, Reason: wire.reason, Formerly: idsOf(p.Formerly),
	}}}
}

func idsOf(requests []messages.RequestID) []string {
	var ids []string
	for _, id := range requests {
		ids = append(ids, string(id))
	}
	return ids
}
