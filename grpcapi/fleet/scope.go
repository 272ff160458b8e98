package fleet

import (
	"context"

	"google.golang.org/grpc"

	"betcode/grpcapi/auth"
	"betcode/grpcapi/handler"
	"betcode/grpcapi/wire"
	"betcode/messages"
	pb "betcode/proto/betcode/v1"
)

// scope limits calls of fleet servers to the descendants of their sessions. Other calls pass. A session that is no
// descendant is reported as not found, whether it exists or not.
type scope struct {
	pb.SubagentServiceServer
	asker handler.Asker
}

// SpawnSubagent implements SubagentService.
func (s scope) SpawnSubagent(ctx context.Context, r *pb.SpawnSubagentRequest) (*pb.SpawnSubagentResponse, error) {
	if own := auth.CallOf(ctx).Fleet; own != "" {
		if err := ownParent("spawn subagent", own, &r.ParentSessionId); err != nil {
			return nil, err
		}
	}
	return s.SubagentServiceServer.SpawnSubagent(ctx, r)
}

// ListSubagents implements SubagentService. Without a parent a fleet server gets all descendants.
func (s scope) ListSubagents(ctx context.Context, r *pb.ListSubagentsRequest) (*pb.ListSubagentsResponse, error) {
	own := auth.CallOf(ctx).Fleet
	if own == "" {
		return s.SubagentServiceServer.ListSubagents(ctx, r)
	}
	family, err := s.family(ctx, own)
	if err != nil {
		return nil, err
	}
	if p := messages.SessionID(wire.CanonicalUUID(r.GetParentSessionId())); r.GetParentSessionId() != "" && p != own && !family[p] {
		return nil, notBelow("list subagents", r.GetParentSessionId())
	}
	list, err := s.SubagentServiceServer.ListSubagents(ctx, r)
	if err != nil {
		return nil, err
	}
	out := &pb.ListSubagentsResponse{}
	for _, info := range list.GetSubagents() {
		if family[messages.SessionID(info.GetId())] {
			out.Subagents = append(out.Subagents, info)
		}
	}
	return out, nil
}

// WatchSubagent implements SubagentService.
func (s scope) WatchSubagent(r *pb.WatchSubagentRequest, stream grpc.ServerStreamingServer[pb.SubagentEvent]) error {
	if err := s.below(stream.Context(), "watch subagent", r.GetSubagentId()); err != nil {
		return err
	}
	return s.SubagentServiceServer.WatchSubagent(r, stream)
}

// SendToSubagent implements SubagentService.
func (s scope) SendToSubagent(ctx context.Context, r *pb.SendToSubagentRequest) (*pb.SendToSubagentResponse, error) {
	if err := s.below(ctx, "send to subagent", r.GetSubagentId()); err != nil {
		return nil, err
	}
	return s.SubagentServiceServer.SendToSubagent(ctx, r)
}

// CancelSubagent implements SubagentService.
func (s scope) CancelSubagent(ctx context.Context, r *pb.CancelSubagentRequest) (*pb.CancelSubagentResponse, error) {
	const op = "cancel subagent"
	if err := s.below(ctx, op, r.GetSubagentId()); err != nil {
		return nil, err
	}
	if auth.CallOf(ctx).Fleet != "" && r.GetCleanupWorktree() {
		return nil, messages.Errorf(op, messages.Denied, "an agent may not remove a worktree with uncommitted work").
			WithHint("Leave cleanup_worktree out; people remove worktrees: betcode worktree remove")
	}
	return s.SubagentServiceServer.CancelSubagent(ctx, r)
}

// CreateOrchestration implements SubagentService.
func (s scope) CreateOrchestration(ctx context.Context, r *pb.CreateOrchestrationRequest) (*pb.CreateOrchestrationResponse, error) {
	if own := auth.CallOf(ctx).Fleet; own != "" {
		if err := ownParent("create orchestration", own, &r.ParentSessionId); err != nil {
			return nil, err
		}
	}
	return s.SubagentServiceServer.CreateOrchestration(ctx, r)
}

// GetOrchestration implements SubagentService.
func (s scope) GetOrchestration(ctx context.Context, r *pb.GetOrchestrationRequest) (*pb.OrchestrationInfo, error) {
	if err := s.ownPlan(ctx, "show orchestration", r.GetOrchestrationId()); err != nil {
		return nil, err
	}
	return s.SubagentServiceServer.GetOrchestration(ctx, r)
}

// CancelOrchestration implements SubagentService.
func (s scope) CancelOrchestration(ctx context.Context, r *pb.CancelOrchestrationRequest) (*pb.OrchestrationInfo, error) {
	if err := s.ownPlan(ctx, "cancel orchestration", r.GetOrchestrationId()); err != nil {
		return nil, err
	}
	return s.SubagentServiceServer.CancelOrchestration(ctx, r)
}

// ownPlan refuses a fleet server a plan whose parent is neither its session nor a descendant. It accepts complete ids
// only: prefixes would reveal which other orchestrations exist.
func (s scope) ownPlan(ctx context.Context, op, reference string) error {
	own := auth.CallOf(ctx).Fleet
	if own == "" {
		return nil
	}
	if id := messages.OrchestrationID(wire.CanonicalUUID(reference)); id != "" {
		view, err := handler.Ask[messages.OrchestrationView](ctx, s.asker, messages.GetOrchestration{ID: id})
		switch {
		case err != nil && messages.KindOf(err) != messages.NotFound:
			return err
		case err == nil && view.Parent == own:
			return nil
		case err == nil:
			if family, err := s.family(ctx, own); err != nil || family[view.Parent] {
				return err
			}
		}
	}
	return messages.Errorf(op, messages.NotFound, "there is no orchestration %q", wire.Clip(reference)).
		WithHint("Name a plan of this session: submit_plan returned its id.")
}

// below refuses a fleet server an id that is not one of its descendants.
func (s scope) below(ctx context.Context, op, id string) error {
	own := auth.CallOf(ctx).Fleet
	if own == "" {
		return nil
	}
	family, err := s.family(ctx, own)
	if err == nil && !family[messages.SessionID(wire.CanonicalUUID(id))] {
		err = notBelow(op, id)
	}
	return err
}

// family returns the descendants of a session.
func (s scope) family(ctx context.Context, own messages.SessionID) (map[messages.SessionID]bool, error) {
	list, err := handler.Ask[messages.SubagentList](ctx, s.asker, messages.ListSubagents{})
	if err != nil {
		return nil, err
	}
	children := map[messages.SessionID][]messages.SessionID{}
	for i := range list.Subagents {
		if r := &list.Subagents[i]; r.Subagent != nil {
			children[r.Subagent.Parent] = append(children[r.Subagent.Parent], r.ID)
		}
	}
	family := map[messages.SessionID]bool{}
	for left := children[own]; len(left) > 0; left = left[1:] {
		if id := left[0]; !family[id] {
			family[id] = true
			left = append(left, children[id]...)
		}
	}
	delete(family, own) // a damaged journal may name a session as its own descendant
	return family, nil
}

// ownParent makes the session of a fleet server the parent of a request that names none. It refuses any other.
func ownParent(op string, own messages.SessionID, parent *string) error {
	if *parent == "" {
		*parent = string(own)
	}
	if wire.CanonicalUUID(*parent) != string(own) {
		return messages.Errorf(op, messages.NotFound, "the parent session %q does not exist", wire.Clip(*parent)).WithCode(messages.SessionNotFound).
			WithHint("Leave parent_session_id out: a fleet server spawns for its own session.")
	}
	return nil
}

// notBelow returns the error for a session that is not below the fleet server's session: the same as for
// one that does not exist.
func notBelow(op, id string) error {
	return messages.Errorf(op, messages.NotFound, "there is no subagent %q", wire.Clip(id)).WithCode(messages.SubagentNotFound).
		WithHint("Name a subagent of this session: list_subagents shows them.")
}
