package grpcapi

import (
	"context"
	"errors"
	"io"
	"time"

	"github.com/google/uuid"
	"google.golang.org/grpc"
	"google.golang.org/grpc/metadata"

	"betcode/grpcapi/door"
	"betcode/messages"
	pb "betcode/proto/betcode/v1"
)

// agentService is AgentService. Converse is in converse.go.
type agentService struct {
	pb.UnimplementedAgentServiceServer
	server *Server
}

// ListSessions implements AgentService.
func (s agentService) ListSessions(ctx context.Context, r *pb.ListSessionsRequest) (*pb.ListSessionsResponse, error) {
	m, err := listIn(r)
	if err != nil {
		return nil, err
	}
	list, err := ask[messages.SessionList](ctx, s.server.asker, m)
	if err != nil {
		return nil, err
	}
	pending, err := ask[messages.PermissionList](ctx, s.server.asker, messages.ListPermissions{})
	if err != nil {
		return nil, err
	}
	out := listOut(list, time.Now())
	for _, session := range out.GetSessions() {
		noteAsks(session, pending.Permissions)
	}
	return out, nil
}

// ResumeSession implements AgentService: it replays, and goes on live for as long
// as the request says.
func (s agentService) ResumeSession(r *pb.ResumeSessionRequest, stream grpc.ServerStreamingServer[pb.AgentEvent]) error {
	if err := stream.SendHeader(metadata.MD{}); err != nil {
		return err
	}
	ctx := stream.Context()
	door.NoteSession(ctx, r)
	m, err := resumeIn(r, door.CallOf(ctx).Client)
	if err != nil {
		return err
	}
	view, err := ask[messages.SessionView](ctx, s.server.asker, messages.GetSession{Session: m.Session})
	if err != nil {
		return err
	}
	if err := withinHead("resume session", m.From, view.Record.Head); err != nil {
		return err
	}
	m.Type = door.CallOf(ctx).Type
	var joined <-chan struct{} // the connection's Converse stream goes on live
	if m.Follow == messages.FollowTurn {
		beside, forget := s.server.conversing.beside(ctx, m.Session)
		defer forget()
		select {
		case <-beside:
			m.Follow = messages.FollowReplay
		default:
			joined = beside
		}
	}
	events, _, err := s.server.asker.Attach(ctx, m)
	if err != nil {
		return err
	}
	defer func() { events.Close() }()
	for {
		select {
		case <-events.Ready():
		case <-joined:
			joined = nil
			events.Close()
			m.Follow, m.Stream = messages.FollowReplay, uuid.NewString()
			if events, _, err = s.server.asker.Attach(ctx, m); err != nil {
				return err
			}
			continue
		case <-s.server.draining:
			return sendFatal(ctx, stream, errDraining())
		case <-ctx.Done():
			return ctx.Err()
		}
		batch, err := events.Take(ctx)
		for i := range batch {
			if err := stream.SendMsg(&batch[i]); err != nil {
				return err
			}
			if batch[i].Seq > 0 {
				m.History, m.From = messages.HistoryFromSequence, batch[i].Seq
			}
		}
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return sendFatal(ctx, stream, err)
		}
	}
}

// withinHead refuses a cursor that the journal has not reached.
func withinHead(op string, from, head messages.Seq) error {
	if from <= head {
		return nil
	}
	return messages.Errorf(op, messages.OutOfRange, "sequence %d is beyond %d, the newest there is", from, head).
		WithHint("The journal may have been restored from a backup: begin again from 0.")
}

// CompactSession implements AgentService. It answers before clients lose their
// patience, with what is known by then.
func (s agentService) CompactSession(ctx context.Context, r *pb.CompactSessionRequest) (*pb.CompactSessionResponse, error) {
	m, err := compactIn(r)
	if err != nil {
		return nil, err
	}
	if key := door.CallOf(ctx).Key; key != "" && r.GetIdempotencyKey() == "" {
		m.Key = key
	}
	compacted, err := askPatiently[messages.SessionCompacted](ctx, s.server, m)
	if err != nil {
		return nil, err
	}
	return compactOut(compacted), nil
}

// CancelTurn implements AgentService. As the unary call of an operator it needs no
// input lock.
func (s agentService) CancelTurn(ctx context.Context, r *pb.CancelTurnRequest) (*pb.CancelTurnResponse, error) {
	session, err := sessionIn("cancel turn", r.GetSessionId())
	if err != nil {
		return nil, err
	}
	cancel, err := cancelIn(r, session, door.CallOf(ctx).Client)
	if err != nil {
		return nil, err
	}
	cancel.Force = true
	canceling, err := act[messages.TurnCanceling](ctx, s.server.asker, cancel)
	if err != nil {
		return nil, err
	}
	return &pb.CancelTurnResponse{WasActive: canceling.WasActive}, nil
}

// RequestInputLock implements AgentService. It is answered when the holder has, or 10 s
// later without it.
func (s agentService) RequestInputLock(ctx context.Context, r *pb.InputLockRequest) (*pb.InputLockResponse, error) {
	session, err := sessionIn("request input lock", r.GetSessionId())
	if err != nil {
		return nil, err
	}
	answer, err := askPatiently[messages.LockAnswer](ctx, s.server,
		messages.TakeLock{Session: session, Client: door.CallOf(ctx).Client})
	if err != nil {
		return nil, err
	}
	return lockOut(answer), nil
}

// ListSessionGrants implements AgentService.
func (s agentService) ListSessionGrants(ctx context.Context, r *pb.ListSessionGrantsRequest) (*pb.ListSessionGrantsResponse, error) {
	session, err := sessionIn("list grants", r.GetSessionId())
	if err != nil {
		return nil, err
	}
	view, err := ask[messages.SessionView](ctx, s.server.asker, messages.GetSession{Session: session})
	if err != nil {
		return nil, err
	}
	return &pb.ListSessionGrantsResponse{Grants: grantsOut(view.Record.Grants)}, nil
}

// ClearSessionGrants implements AgentService.
func (s agentService) ClearSessionGrants(ctx context.Context, r *pb.ClearSessionGrantsRequest) (*pb.ClearSessionGrantsResponse, error) {
	m, err := clearGrantsIn(r)
	if err != nil {
		return nil, err
	}
	m.Client = door.CallOf(ctx).Client
	if _, err := act[messages.Done](ctx, s.server.asker, m); err != nil {
		return nil, err
	}
	return &pb.ClearSessionGrantsResponse{}, nil
}

// SetSessionGrant implements AgentService.
func (s agentService) SetSessionGrant(ctx context.Context, r *pb.SetSessionGrantRequest) (*pb.SetSessionGrantResponse, error) {
	m, err := setGrantIn(r)
	if err != nil {
		return nil, err
	}
	m.Client = door.CallOf(ctx).Client
	if _, err := act[messages.Done](ctx, s.server.asker, m); err != nil {
		return nil, err
	}
	return &pb.SetSessionGrantResponse{}, nil
}

// RenameSession implements AgentService.
func (s agentService) RenameSession(ctx context.Context, r *pb.RenameSessionRequest) (*pb.RenameSessionResponse, error) {
	m, err := renameIn(r)
	if err != nil {
		return nil, err
	}
	if _, err := act[messages.Done](ctx, s.server.asker, m); err != nil {
		return nil, err
	}
	return &pb.RenameSessionResponse{}, nil
}

// DeleteSession implements AgentService. A session that is not there counts as
// not deleted, so that the call may be repeated.
func (s agentService) DeleteSession(ctx context.Context, r *pb.DeleteSessionRequest) (*pb.DeleteSessionResponse, error) {
	session, err := sessionIn("delete session", r.GetSessionId())
	if err != nil {
		return nil, err
	}
	_, err = act[messages.Done](ctx, s.server.asker, messages.DeleteSession{Session: session, Client: door.CallOf(ctx).Client})
	if err != nil && messages.KindOf(err) == messages.NotFound {
		return &pb.DeleteSessionResponse{}, nil
	}
	if err != nil {
		return nil, err
	}
	return &pb.DeleteSessionResponse{Deleted: true}, nil
}
