package grpcapi

import (
	"context"
	"strings"
	"time"

	"github.com/google/uuid"

	"betcode/grpcapi/door"
	"betcode/grpcapi/wire"
	"betcode/messages"
	pb "betcode/proto/betcode/v1"
)

// subagentService is SubagentService. WatchSubagent is in subagent_watch.go.
type subagentService struct {
	pb.UnimplementedSubagentServiceServer
	server *Server
}

// Bounds of requests about subagents, in bytes.
const (
	maxSubagentReason = 1 << 10
	minRevokeReason   = 10
)

// SpawnSubagent implements SubagentService.
func (s subagentService) SpawnSubagent(ctx context.Context, r *pb.SpawnSubagentRequest) (*pb.SpawnSubagentResponse, error) {
	m, err := spawnIn(r, door.CallOf(ctx))
	return unary(ctx, s.server.asker, m, err, func(a messages.SubagentSpawned) *pb.SpawnSubagentResponse {
		return &pb.SpawnSubagentResponse{SubagentId: string(a.Subagent), SessionId: string(a.Subagent), Fenced: a.Fenced}
	})
}

// SendToSubagent implements SubagentService.
func (s subagentService) SendToSubagent(ctx context.Context, r *pb.SendToSubagentRequest) (*pb.SendToSubagentResponse, error) {
	m, err := sendToSubagentIn(r, door.CallOf(ctx))
	return unary(ctx, s.server.asker, m, err, func(messages.InputAcknowledged) *pb.SendToSubagentResponse {
		return &pb.SendToSubagentResponse{Delivered: true}
	})
}

// CancelSubagent implements SubagentService. The agent may have ten seconds.
func (s subagentService) CancelSubagent(ctx context.Context, r *pb.CancelSubagentRequest) (*pb.CancelSubagentResponse, error) {
	const op = "cancel subagent"
	id, err := subagentIn(op, r.GetSubagentId())
	if err == nil && len(r.GetReason()) > maxSubagentReason {
		err = wire.Invalid(op, "Give a shorter reason.", "reason has %d bytes, more than %d", len(r.GetReason()), maxSubagentReason)
	}
	m := messages.CancelSubagent{
		Subagent: id, Client: door.CallOf(ctx).Client, Reason: strings.ToValidUTF8(r.GetReason(), "?"), Force: r.GetForce(), CleanupWorktree: r.GetCleanupWorktree(),
	}
	return unary(ctx, once{patientAsker{s.server}}, m, err, func(a messages.SubagentCanceled) *pb.CancelSubagentResponse {
		return &pb.CancelSubagentResponse{
			Cancelled: a.Canceled, FinalStatus: a.Status.String(), ToolCallsExecuted: int32Of(a.ToolCalls), ToolCallsAutoApproved: int32Of(a.AutoApproved),
		}
	})
}

// ListSubagents implements SubagentService.
func (s subagentService) ListSubagents(ctx context.Context, r *pb.ListSubagentsRequest) (*pb.ListSubagentsResponse, error) {
	var m messages.ListSubagents
	var err error
	if r.GetParentSessionId() != "" {
		m.Parent, err = sessionIn("list subagents", r.GetParentSessionId())
	}
	if err == nil {
		m.Status, err = messages.ParseSubagentStatus(r.GetStatusFilter())
	}
	return unary(ctx, s.server.asker, m, err, func(l messages.SubagentList) *pb.ListSubagentsResponse {
		out := &pb.ListSubagentsResponse{}
		for i := range l.Subagents {
			out.Subagents = append(out.Subagents, subagentInfoOut(&l.Subagents[i]))
		}
		return out
	})
}

// RevokeAutoApprove implements SubagentService.
func (s subagentService) RevokeAutoApprove(ctx context.Context, r *pb.RevokeAutoApproveRequest) (*pb.RevokeAutoApproveResponse, error) {
	const op = "revoke auto-approve"
	id, err := subagentIn(op, r.GetSubagentId())
	reason := strings.TrimSpace(strings.ToValidUTF8(r.GetReason(), "?"))
	if err == nil && (len([]rune(reason)) < minRevokeReason || len(reason) > maxSubagentReason) {
		err = wire.Invalid(op, "Say why, in 10 characters to 1 KiB.", "reason has %d bytes", len(reason))
	}
	m := messages.RevokeAutoApprove{Subagent: id, Client: door.CallOf(ctx).Client, Reason: reason, Terminate: r.GetTerminateIfPending()}
	return unary(ctx, once{s.server.asker}, m, err, func(a messages.AutoApproveRevoked) *pb.RevokeAutoApproveResponse {
		return &pb.RevokeAutoApproveResponse{Revoked: a.Revoked, PendingToolCalls: int32Of(uint32Of(int64(a.Pending))), SubagentStatus: a.Status.String()}
	})
}

// patientAsker is an [Asker] whose requests may take long.
type patientAsker struct{ server *Server }

// Ask implements [Asker].
func (p patientAsker) Ask(ctx context.Context, r messages.Request) (messages.Reply, error) {
	return patient(p).Ask(ctx, r)
}

// Attach implements [Asker].
func (p patientAsker) Attach(ctx context.Context, a messages.Attach) (Stream, messages.Attached, error) {
	return p.server.asker.Attach(ctx, a)
}

// subagentIn checks a required id of a subagent.
func subagentIn(op, id string) (messages.SessionID, error) {
	canonical := wire.CanonicalUUID(id)
	if canonical == "" {
		return "", wire.Invalid(op, "Give subagent_id, as 'betcode subagent list' shows it.", "the subagent id %q is not a UUID", wire.Clip(id))
	}
	return messages.SessionID(canonical), nil
}

// spawnIn translates a request to spawn. What lets an agent do more without a person needs the right to approve.
func spawnIn(r *pb.SpawnSubagentRequest, call *door.Call) (messages.SpawnSubagent, error) {
	const op = "spawn subagent"
	auto := r.GetAutoApproveConfig()
	m := messages.SpawnSubagent{
		Client: call.Client, Prompt: r.GetPrompt(), Name: strings.TrimSpace(r.GetName()), Environment: r.GetEnv(), AutoApprove: r.GetAutoApprove(),
		Timeout: time.Duration(r.GetTimeoutSeconds()) * time.Second, BudgetUSD: r.GetBudgetUsd(),
		InheritGrants: r.GetInheritGrants(),
		Auto: messages.AutoApproveLimits{
			Duration: time.Duration(auto.GetDurationSeconds()) * time.Second, PerMinute: auto.GetMaxCallsPerMinute(),
			Queue: auto.GetOnExceeded() == pb.RateExceeded_RATE_EXCEEDED_QUEUE, Unfenced: auto.GetUnfenced(),
		},
	}
	if !call.Rights.Has(messages.MayApprove) && (m.AutoApprove || m.InheritGrants || len(m.Environment) > 0) {
		return m, messages.Errorf(op, messages.Denied, "auto_approve, inherit_grants and env need the right to approve").
			WithHint("Use a token with the right to approve, or leave them out.")
	}
	if r.GetForwardPermissions() {
		return m, messages.Errorf(op, messages.Unimplemented, "requests are not forwarded to the streams of the parent yet").
			WithHint("Leave forward_permissions out, and answer on the subagent's session: its id is subagent_id.")
	}
	var err error
	if m.Parent, err = sessionIn(op, r.GetParentSessionId()); err != nil {
		return m, err
	}
	if m.Subagent = messages.SessionID(uuid.NewString()); r.GetSubagentId() != "" {
		if m.Subagent, err = subagentIn(op, r.GetSubagentId()); err != nil {
			return m, err
		}
	} else if wire.CanonicalUUID(call.Key) != "" { // the same call again
		m.Subagent = messages.SessionID(wire.CanonicalUUID(call.Key))
	}
	if m.Model, err = argumentIn(op, "model", r.GetModel()); err != nil {
		return m, err
	}
	if m.WorktreeID, err = argumentIn(op, "worktree_id", r.GetWorktreeId()); err != nil {
		return m, err
	}
	if m.Tools, err = toolsIn(op, "allowed_tools", r.GetAllowedTools()); err != nil {
		return m, err
	}
	if m.WorkingDirectory, err = directoryIn(op, r.GetWorkingDirectory()); err != nil {
		return m, err
	}
	if m.Lease, err = leaseIn(op, r.GetWorktreeLock(), m.WorktreeID); err != nil {
		return m, err
	}
	switch turns := r.GetMaxTurns(); {
	case strings.TrimSpace(m.Prompt) == "":
		return m, wire.Invalid(op, "Say what is to be done.", "prompt is empty")
	case len(m.Prompt) > maxContentBytes:
		return m, wire.Invalid(op, "Put the text into a file.", "prompt has %d bytes, the limit is %d", len(m.Prompt), maxContentBytes)
	case turns < 0:
		return m, wire.Invalid(op, "Give a number from 1, or 0 for no limit.", "max_turns is %d", turns)
	default:
		m.MaxTurns = uint32(turns) //nolint:gosec // not negative
	}
	return m, nameIn(op, m.Name)
}

func sendToSubagentIn(r *pb.SendToSubagentRequest, call *door.Call) (messages.SendToSubagent, error) {
	const op = "send to subagent"
	in := messages.SendInput{Client: call.Client, Content: r.GetContent(), Key: r.GetIdempotencyKey()}
	var err error
	if in.Session, err = subagentIn(op, r.GetSubagentId()); err != nil {
		return messages.SendToSubagent{}, err
	}
	if in.Key == "" {
		in.Key = call.Key
	}
	if in.Key == "" {
		in.Key = uuid.NewString()
	}
	switch in.Key = wire.CanonicalUUID(in.Key); {
	case in.Key == "":
		err = wire.Invalid(op, "Give a UUID, or none.", "the idempotency_key is not a UUID")
	case strings.TrimSpace(in.Content) == "":
		err = wire.Invalid(op, "Say something.", "content is empty")
	case len(in.Content) > maxContentBytes:
		err = wire.Invalid(op, "Put the text into a file.", "content has %d bytes, the limit is %d", len(in.Content), maxContentBytes)
	}
	return messages.SendToSubagent{Input: in}, err
}

// worktreeLockOut translates how a subagent shares its worktree.
func worktreeLockOut(lease messages.LeaseMode) pb.WorktreeLock {
	switch lease {
	case messages.LeaseShared:
		return pb.WorktreeLock_WORKTREE_LOCK_SHARED
	case messages.LeaseExclusive:
		return pb.WorktreeLock_WORKTREE_LOCK_EXCLUSIVE
	case messages.LeaseNone:
	}
	return pb.WorktreeLock_WORKTREE_LOCK_NONE
}

// subagentInfoOut translates a session that is a subagent.
func subagentInfoOut(r *messages.SessionRecord) *pb.SubagentInfo {
	child := r.Subagent
	out := &pb.SubagentInfo{
		Id: string(r.ID), ParentSessionId: string(child.Parent), SessionId: string(r.ID), Name: textOut(r.Name), Prompt: textOut(child.Prompt), Model: r.Model,
		WorkingDirectory: textOut(r.WorkingDirectory), Status: pb.SubagentStatus(child.Status), AutoApprove: child.Auto.Given && !child.Auto.Revoked,
		MaxTurns: int32Of(child.MaxTurns), AllowedTools: child.Tools, ResultSummary: textOut(child.Result), CreatedAt: timeOut(r.CreatedAt), CompletedAt: timeOut(child.CompletedAt),
		ToolCallsExecuted: child.ToolCalls, ToolCallsAutoApproved: child.AutoApproved, Deadline: timeOut(child.Deadline), WorktreeId: r.WorktreeID,
		WorktreeLock: worktreeLockOut(child.Lease), CostUsd: r.Usage.CostUSD, OrchestrationId: child.Step.Orchestration, StepId: child.Step.Step,
		Attempt: child.Step.Attempt, Depth: child.Depth,
	}
	if child.Auto.Given {
		out.AutoApproveUntil = timeOut(child.Auto.Until)
	}
	return out
}

// int32Of is a count in a field that is too small for all of them.
func int32Of(n uint32) int32 { return int32(min(n, 1<<31-1)) } //nolint:gosec // it fits
