package fleet

import (
	"context"
	"strings"
	"time"

	"github.com/google/uuid"

	"betcode/grpcapi/auth"
	"betcode/grpcapi/handler"
	"betcode/grpcapi/translate"
	"betcode/grpcapi/wire"
	"betcode/messages"
	pb "betcode/proto/betcode/v1"
)

// subagents is SubagentService. WatchSubagent is in watch.go, orchestrations are in orchestration.go.
type subagents struct {
	pb.UnimplementedSubagentServiceServer
	patient handler.Patient
}

// NewSubagents returns SubagentService; see [scope] for calls of fleet servers.
func NewSubagents(p handler.Patient) pb.SubagentServiceServer {
	return scope{subagents{patient: p}, p.Asker}
}

// Bounds of requests about subagents, in bytes.
const (
	maxSubagentReason = 1 << 10
	minRevokeReason   = 10
)

// SpawnSubagent implements SubagentService.
func (s subagents) SpawnSubagent(ctx context.Context, r *pb.SpawnSubagentRequest) (*pb.SpawnSubagentResponse, error) {
	m, err := spawnIn(r, auth.CallOf(ctx))
	return handler.Unary(ctx, s.patient.Asker, m, err, func(a messages.SubagentSpawned) *pb.SpawnSubagentResponse {
		return &pb.SpawnSubagentResponse{SubagentId: string(a.Subagent), SessionId: string(a.Subagent), Fenced: a.Fenced}
	})
}

// SendToSubagent implements SubagentService.
func (s subagents) SendToSubagent(ctx context.Context, r *pb.SendToSubagentRequest) (*pb.SendToSubagentResponse, error) {
	m, err := sendToSubagentIn(r, auth.CallOf(ctx))
	return handler.Unary(ctx, s.patient.Asker, m, err, func(messages.InputAcknowledged) *pb.SendToSubagentResponse {
		return &pb.SendToSubagentResponse{Delivered: true}
	})
}

// CancelSubagent implements SubagentService. The agent has ten seconds to end, unless the request forces it.
func (s subagents) CancelSubagent(ctx context.Context, r *pb.CancelSubagentRequest) (*pb.CancelSubagentResponse, error) {
	const op = "cancel subagent"
	id, err := subagentIn(op, r.GetSubagentId())
	if err == nil && len(r.GetReason()) > maxSubagentReason {
		err = wire.Invalid(op, "Give a shorter reason.", "reason has %d bytes, more than %d", len(r.GetReason()), maxSubagentReason)
	}
	m := messages.CancelSubagent{
		Subagent: id, Client: auth.CallOf(ctx).Client, Reason: strings.ToValidUTF8(r.GetReason(), "?"), Force: r.GetForce(), CleanupWorktree: r.GetCleanupWorktree(),
	}
	return handler.Unary(ctx, handler.Idempotent{Asker: s.patient}, m, err, func(a messages.SubagentCanceled) *pb.CancelSubagentResponse {
		return &pb.CancelSubagentResponse{
			Cancelled: a.Canceled, FinalStatus: a.Status.String(), ToolCallsExecuted: translate.Int32Of(a.ToolCalls), ToolCallsAutoApproved: translate.Int32Of(a.AutoApproved),
		}
	})
}

// ListSubagents implements SubagentService.
func (s subagents) ListSubagents(ctx context.Context, r *pb.ListSubagentsRequest) (*pb.ListSubagentsResponse, error) {
	var m messages.ListSubagents
	var err error
	if r.GetParentSessionId() != "" {
		m.Parent, err = translate.SessionIn("list subagents", r.GetParentSessionId())
	}
	if err == nil {
		m.Status, err = messages.ParseSubagentStatus(r.GetStatusFilter())
	}
	return handler.Unary(ctx, s.patient.Asker, m, err, func(l messages.SubagentList) *pb.ListSubagentsResponse {
		out := &pb.ListSubagentsResponse{}
		for i := range l.Subagents {
			out.Subagents = append(out.Subagents, subagentInfoOut(&l.Subagents[i]))
		}
		return out
	})
}

// RevokeAutoApprove implements SubagentService.
func (s subagents) RevokeAutoApprove(ctx context.Context, r *pb.RevokeAutoApproveRequest) (*pb.RevokeAutoApproveResponse, error) {
	const op = "revoke auto-approve"
	id, err := subagentIn(op, r.GetSubagentId())
	reason := strings.TrimSpace(strings.ToValidUTF8(r.GetReason(), "?"))
	if err == nil && (len([]rune(reason)) < minRevokeReason || len(reason) > maxSubagentReason) {
		err = wire.Invalid(op, "Say why, in 10 characters to 1 KiB.", "reason has %d bytes", len(reason))
	}
	m := messages.RevokeAutoApprove{Subagent: id, Client: auth.CallOf(ctx).Client, Reason: reason, Terminate: r.GetTerminateIfPending()}
	return handler.Unary(ctx, handler.Idempotent{Asker: s.patient.Asker}, m, err, func(a messages.AutoApproveRevoked) *pb.RevokeAutoApproveResponse {
		return &pb.RevokeAutoApproveResponse{Revoked: a.Revoked, PendingToolCalls: translate.Int32Of(translate.Uint32Of(int64(a.Pending))), SubagentStatus: a.Status.String()}
	})
}

// subagentIn checks a required id of a subagent.
func subagentIn(op, id string) (messages.SessionID, error) {
	canonical := wire.CanonicalUUID(id)
	if canonical == "" {
		return "", wire.Invalid(op, "Give subagent_id, as 'betcode subagent list' shows it.", "the subagent id %q is not a UUID", wire.Clip(id))
	}
	return messages.SessionID(canonical), nil
}

// spawnIn translates a request to spawn. Options that let an agent do more without a person need the right to approve.
func spawnIn(r *pb.SpawnSubagentRequest, call *auth.Call) (messages.SpawnSubagent, error) {
	const op = "spawn subagent"
	auto := r.GetAutoApproveConfig()
	m := messages.SpawnSubagent{
		Client: call.Client, Prompt: r.GetPrompt(), Name: strings.TrimSpace(r.GetName()), Environment: r.GetEnv(), AutoApprove: r.GetAutoApprove(),
		Timeout: time.Duration(r.GetTimeoutSeconds()) * time.Second, BudgetUSD: r.GetBudgetUsd(),
		InheritGrants: r.GetInheritGrants(), Forward: r.GetForwardPermissions(),
		Auto: messages.AutoApproveLimits{
			Duration: time.Duration(auto.GetDurationSeconds()) * time.Second, PerMinute: auto.GetMaxCallsPerMinute(),
			Queue: auto.GetOnExceeded() == pb.RateExceeded_RATE_EXCEEDED_QUEUE, Unfenced: auto.GetUnfenced(),
		},
	}
	if !call.Rights.Has(messages.MayApprove) && (m.AutoApprove || m.InheritGrants || len(m.Environment) > 0) {
		return m, messages.Errorf(op, messages.Denied, "auto_approve, inherit_grants and env need the right to approve").
			WithHint("Use a token with the right to approve, or leave them out.")
	}
	var err error
	if m.Parent, err = translate.SessionIn(op, r.GetParentSessionId()); err != nil {
		return m, err
	}
	if m.Subagent = messages.SessionID(uuid.NewString()); r.GetSubagentId() != "" {
		if m.Subagent, err = subagentIn(op, r.GetSubagentId()); err != nil {
			return m, err
		}
	} else if wire.CanonicalUUID(call.Key) != "" { // a repetition has the same key
		m.Subagent = messages.SessionID(wire.CanonicalUUID(call.Key))
	}
	if m.Model, err = translate.ArgumentIn(op, "model", r.GetModel()); err != nil {
		return m, err
	}
	if m.WorktreeID, err = translate.ArgumentIn(op, "worktree_id", r.GetWorktreeId()); err != nil {
		return m, err
	}
	if m.Tools, err = translate.ToolsIn(op, "allowed_tools", r.GetAllowedTools()); err != nil {
		return m, err
	}
	if m.WorkingDirectory, err = translate.DirectoryIn(op, r.GetWorkingDirectory()); err != nil {
		return m, err
	}
	if m.Lease, err = translate.LeaseIn(op, r.GetWorktreeLock(), m.WorktreeID); err != nil {
		return m, err
	}
	switch turns := r.GetMaxTurns(); {
	case strings.TrimSpace(m.Prompt) == "":
		return m, wire.Invalid(op, "Give a prompt.", "prompt is empty")
	case len(m.Prompt) > translate.MaxContentBytes:
		return m, wire.Invalid(op, "Put the text into a file.", "prompt has %d bytes, the limit is %d", len(m.Prompt), translate.MaxContentBytes)
	case turns < 0:
		return m, wire.Invalid(op, "Give a number from 1, or 0 for no limit.", "max_turns is %d", turns)
	default:
		m.MaxTurns = uint32(turns) //nolint:gosec // not negative
	}
	return m, translate.NameIn(op, m.Name)
}

func sendToSubagentIn(r *pb.SendToSubagentRequest, call *auth.Call) (messages.SendToSubagent, error) {
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
	case len(in.Content) > translate.MaxContentBytes:
		err = wire.Invalid(op, "Put the text into a file.", "content has %d bytes, the limit is %d", len(in.Content), translate.MaxContentBytes)
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
		Id: string(r.ID), ParentSessionId: string(child.Parent), SessionId: string(r.ID), Name: translate.TextOut(r.Name), Prompt: translate.TextOut(child.Prompt), Model: r.Model,
		WorkingDirectory: translate.TextOut(r.WorkingDirectory), Status: pb.SubagentStatus(child.Status), AutoApprove: child.Auto.Given && !child.Auto.Revoked,
		MaxTurns: translate.Int32Of(child.MaxTurns), AllowedTools: child.Tools, ResultSummary: translate.TextOut(child.Result), CreatedAt: translate.TimeOut(r.CreatedAt), CompletedAt: translate.TimeOut(child.CompletedAt),
		ToolCallsExecuted: child.ToolCalls, ToolCallsAutoApproved: child.AutoApproved, Deadline: translate.TimeOut(child.Deadline), WorktreeId: r.WorktreeID,
		WorktreeLock: worktreeLockOut(child.Lease), CostUsd: r.Usage.CostUSD, OrchestrationId: child.Step.Orchestration, StepId: child.Step.Step,
		Attempt: child.Step.Attempt, Depth: child.Depth,
	}
	if child.Auto.Given {
		out.AutoApproveUntil = translate.TimeOut(child.Auto.Until)
	}
	return out
}
