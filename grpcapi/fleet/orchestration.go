package fleet

import (
	"context"
	"math"

	"github.com/google/uuid"
	"google.golang.org/grpc"
	"google.golang.org/grpc/metadata"

	"betcode/grpcapi/auth"
	"betcode/grpcapi/handler"
	"betcode/grpcapi/translate"
	"betcode/grpcapi/wire"
	"betcode/messages"
	pb "betcode/proto/betcode/v1"
)

// Orchestrations are a part of SubagentService.

// CreateOrchestration implements SubagentService. The idempotency key of the call, if it has one, becomes the id.
func (s subagents) CreateOrchestration(ctx context.Context, r *pb.CreateOrchestrationRequest) (*pb.CreateOrchestrationResponse, error) {
	m, err := createOrchestrationIn(r, auth.CallOf(ctx))
	return handler.Unary(ctx, s.patient.Asker, m, err, func(a messages.OrchestrationCreated) *pb.CreateOrchestrationResponse {
		return &pb.CreateOrchestrationResponse{OrchestrationId: string(a.ID), TotalSteps: stepsOut(a.Steps)}
	})
}

// GetOrchestration implements SubagentService.
func (s subagents) GetOrchestration(ctx context.Context, r *pb.GetOrchestrationRequest) (*pb.OrchestrationInfo, error) {
	id, err := orchestrationIn("show orchestration", r.GetOrchestrationId())
	return handler.Unary(ctx, s.patient.Asker, messages.GetOrchestration{ID: id}, err, orchestrationOut)
}

// ListOrchestrations implements SubagentService.
func (s subagents) ListOrchestrations(ctx context.Context, _ *pb.ListOrchestrationsRequest) (*pb.ListOrchestrationsResponse, error) {
	return handler.Unary(ctx, s.patient.Asker, messages.ListOrchestrations{}, nil, func(l messages.OrchestrationList) *pb.ListOrchestrationsResponse {
		out := &pb.ListOrchestrationsResponse{}
		for _, v := range l.Orchestrations {
			out.Orchestrations = append(out.Orchestrations, orchestrationOut(v))
		}
		return out
	})
}

// maxOrchestrationReason bounds the reason of a cancellation, in bytes.
const maxOrchestrationReason = 1 << 10

// CancelOrchestration implements SubagentService.
func (s subagents) CancelOrchestration(ctx context.Context, r *pb.CancelOrchestrationRequest) (*pb.OrchestrationInfo, error) {
	const op = "cancel orchestration"
	id, err := orchestrationIn(op, r.GetOrchestrationId())
	if err == nil && len(r.GetReason()) > maxOrchestrationReason {
		err = wire.Invalid(op, "Give a shorter reason.", "reason has %d bytes, more than %d", len(r.GetReason()), maxOrchestrationReason)
	}
	m := messages.CancelOrchestration{ID: id, Step: r.GetStepId(), Reason: r.GetReason(), Client: auth.CallOf(ctx).Client}
	return handler.Unary(ctx, s.patient.Asker, m, err, orchestrationOut)
}

// RetryOrchestration implements SubagentService.
func (s subagents) RetryOrchestration(ctx context.Context, r *pb.RetryOrchestrationRequest) (*pb.OrchestrationInfo, error) {
	id, err := orchestrationIn("retry orchestration", r.GetOrchestrationId())
	m := messages.RetryOrchestration{ID: id, Step: r.GetStepId(), Client: auth.CallOf(ctx).Client}
	return handler.Unary(ctx, s.patient.Asker, m, err, orchestrationOut)
}

// PauseOrchestration implements SubagentService.
func (s subagents) PauseOrchestration(ctx context.Context, r *pb.PauseOrchestrationRequest) (*pb.OrchestrationInfo, error) {
	m := messages.PauseOrchestration{Paused: r.GetPaused(), Client: auth.CallOf(ctx).Client}
	id, err := orchestrationIn(m.Op(), r.GetOrchestrationId())
	m.ID = id
	return handler.Unary(ctx, s.patient.Asker, m, err, orchestrationOut)
}

// WatchOrchestration implements SubagentService: it sends the stored events, then new ones, until the orchestration
// has ended. It reads a page of the journal after it has sent the one before, so a slow client needs no buffer.
func (s subagents) WatchOrchestration(r *pb.WatchOrchestrationRequest, stream grpc.ServerStreamingServer[pb.OrchestrationEvent]) error {
	if err := stream.SendHeader(metadata.MD{}); err != nil {
		return err
	}
	ctx := stream.Context()
	id, err := orchestrationIn("watch orchestration", r.GetOrchestrationId())
	if err != nil {
		return err
	}
	m := messages.ReadOrchestration{ID: id, From: messages.OrchestrationCursor{Seq: r.GetFromSequence()}}
	var plan messages.OrchestrationPage // the first page, with the names of the steps
	for {
		page, err := handler.Ask[messages.OrchestrationPage](ctx, s.patient.Asker, m)
		if err != nil {
			return err
		}
		if page.Titles != nil {
			plan, m.ID = page, page.ID
		}
		for _, e := range page.Events {
			if err := stream.Send(orchestrationEventOut(plan, e)); err != nil {
				return err
			}
		}
		m.From = page.Next
		switch {
		case len(page.Events) > 0:
			continue
		case page.Ended:
			return nil
		}
		select {
		case <-page.Changed:
		case <-s.patient.Draining:
			return handler.ShuttingDown()
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

func stepsOut(n int) int32 { return int32(min(max(n, 0), math.MaxInt32)) } //nolint:gosec // it is bounded here

// orchestrationIn checks the reference to an orchestration.
func orchestrationIn(op, reference string) (messages.OrchestrationID, error) {
	if reference == "" {
		return "", wire.Invalid(op, "Give orchestration_id, as 'betcode orchestrate list' shows it.", "orchestration_id is empty")
	}
	if canonical := wire.CanonicalUUID(reference); canonical != "" {
		reference = canonical
	}
	return messages.OrchestrationID(reference), nil
}

func createOrchestrationIn(r *pb.CreateOrchestrationRequest, call *auth.Call) (messages.CreateOrchestration, error) {
	const op = "create orchestration"
	out := messages.CreateOrchestration{Client: call.Client, Digest: auth.Digest(op, r), Agent: call.Fleet != ""}
	var err error
	if out.Plan, err = planIn(op, r); err != nil {
		return out, err
	}
	for _, step := range r.GetSteps() {
		if step.GetAutoApprove() && !call.Rights.Has(messages.MayApprove) {
			return out, messages.Errorf(op, messages.Denied, "auto_approve needs the right to approve").
				WithHint("Use a token with the right to approve, or leave it out.")
		}
	}
	if r.GetParentSessionId() != "" {
		if out.Parent, err = translate.SessionIn(op, r.GetParentSessionId()); err != nil {
			return out, err
		}
	}
	if out.Directory, err = translate.DirectoryIn(op, r.GetWorkingDirectory()); err != nil {
		return out, err
	}
	if out.Parent == "" && out.Directory == "" {
		return out, wire.Invalid(op, "Give the session on whose behalf the plan is played, or working_directory.", "parent_session_id and working_directory are empty")
	}
	id := uuid.NewString()
	switch {
	case r.GetOrchestrationId() != "":
		if id = wire.CanonicalUUID(r.GetOrchestrationId()); id == "" {
			return out, wire.Invalid(op, "Give a UUID of 36 characters, or leave it out.", "orchestration_id %q is not a UUID", wire.Clip(r.GetOrchestrationId()))
		}
	case call.Key != "":
		id = call.Key
	}
	out.ID = messages.OrchestrationID(id)
	return out, nil
}

func orchestrationOut(v messages.OrchestrationView) *pb.OrchestrationInfo {
	out := &pb.OrchestrationInfo{
		Id: string(v.ID), Name: v.Name, ParentSessionId: string(v.Parent), Strategy: strategies[v.Strategy], State: orchestrationStates[v.State],
		Paused: v.Paused, Reason: v.Reason, CreatedAt: translate.TimeOut(v.CreatedAt), EndedAt: translate.TimeOut(v.EndedAt), Head: v.Head,
		TotalSteps: translate.Uint32Of(int64(v.Total)), CompletedSteps: translate.Uint32Of(int64(v.Completed)), FailedSteps: translate.Uint32Of(int64(v.Failed)), RunningSteps: translate.Uint32Of(int64(v.Running)),
		CostUsd: v.Usage.CostUSD, InputTokens: v.Usage.InputTokens, OutputTokens: v.Usage.OutputTokens,
		Budget: &pb.SessionBudget{
			Spent: translate.SpendingOut(v.Usage.Spent), Limit: translate.LimitOut(v.Limit), State: v.Limit.Level(v.Usage.Spent).String(), Held: string(v.Held), Refused: v.Refused,
		},
	}
	for _, step := range v.Steps {
		out.Steps = append(out.Steps, &pb.OrchestrationStepInfo{
			Id: step.ID, Name: step.Name, DependsOn: step.DependsOn, Status: stepStatuses[step.Status], Attempt: translate.Uint32Of(int64(step.Attempt)),
			SubagentId: string(step.Subagent), ResultSummary: step.Summary, ErrorMessage: step.Error,
			StartedAt: translate.TimeOut(step.StartedAt), EndedAt: translate.TimeOut(step.EndedAt), CostUsd: step.Usage.CostUSD,
			Branch: step.Branch, MergeInto: step.MergeInto, Conflicts: step.Conflicts,
		})
	}
	return out
}

// orchestrationEventOut translates an event. Events that published clients know are sent in their form; a cancelled
// step is sent as a failed one.
func orchestrationEventOut(plan messages.OrchestrationPage, e messages.OrchestrationEvent) *pb.OrchestrationEvent {
	out := &pb.OrchestrationEvent{OrchestrationId: string(plan.ID), Timestamp: translate.TimeOut(e.At), Sequence: e.Seq}
	switch e.Kind {
	case messages.EventStepStarted:
		out.Event = &pb.OrchestrationEvent_StepStarted{StepStarted: &pb.StepStarted{
			StepId: e.Step, SubagentId: string(e.Subagent), Name: plan.Titles[e.Step], Attempt: translate.Uint32Of(int64(e.Attempt)),
		}}
	case messages.EventStepCompleted:
		out.Event = &pb.OrchestrationEvent_StepCompleted{StepCompleted: &pb.StepCompleted{
			StepId: e.Step, ResultSummary: e.Summary, CompletedCount: stepsOut(e.Completed), TotalCount: stepsOut(plan.Total),
		}}
	case messages.EventStepFailed, messages.EventStepCancelled:
		out.Event = &pb.OrchestrationEvent_StepFailed{StepFailed: &pb.StepFailed{
			StepId: e.Step, ErrorMessage: e.Error, BlockedSteps: e.Blocked, WillRetry: e.WillRetry, Attempt: translate.Uint32Of(int64(e.Attempt)),
			Cancelled: e.Kind == messages.EventStepCancelled, Conflicts: e.Conflicts,
		}}
	case messages.EventCompleted:
		out.Event = &pb.OrchestrationEvent_Completed{Completed: &pb.OrchestrationCompleted{
			TotalSteps: stepsOut(plan.Total), Succeeded: stepsOut(e.Completed), Failed: stepsOut(e.Failed), CostUsd: e.Usage.CostUSD,
		}}
	case messages.EventFailed:
		out.Event = &pb.OrchestrationEvent_Failed{Failed: &pb.OrchestrationFailed{
			ErrorMessage: e.Error, CompletedSteps: stepsOut(e.Completed), FailedSteps: stepsOut(e.Failed), CostUsd: e.Usage.CostUSD,
		}}
	case messages.EventPaused, messages.EventResumed, messages.EventRestored, messages.EventBudgetUsed, messages.EventBudgetRaised, messages.EventBudgetRefused, messages.EventStopping, messages.EventRetried, messages.EventStepCancelling:
		out.Event = &pb.OrchestrationEvent_Changed{Changed: &pb.OrchestrationChanged{
			Change: string(e.Kind), StepId: e.Step, Steps: e.Steps, Reason: e.Error, ClientId: string(e.Client),
		}}
	}
	return out
}
