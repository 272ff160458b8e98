package grpcapi

import (
	"context"
	"errors"
	"io"
	"time"

	"github.com/google/uuid"
	"google.golang.org/grpc"
	"google.golang.org/grpc/metadata"

	"betcode/grpcapi/auth"
	"betcode/grpcapi/handler"
	"betcode/grpcapi/translate"
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
	m, err := translate.ListIn(r)
	if err != nil {
		return nil, err
	}
	page := s.server.summaries.Page()
	m.Known = page.Known
	list, err := s.list(ctx, m)
	if err != nil {
		return nil, err
	}
	pending, err := handler.Ask[messages.PermissionList](ctx, s.server.asker, messages.ListPermissions{})
	if err != nil {
		return nil, err
	}
	return page.Encode(list, pending.Permissions, time.Now())
}

// ResumeSession implements AgentService. It replays the history, then follows the session as the request asks.
func (s agentService) ResumeSession(r *pb.ResumeSessionRequest, stream grpc.ServerStreamingServer[pb.AgentEvent]) error {
	if err := stream.SendHeader(metadata.MD{}); err != nil {
		return err
	}
	ctx := stream.Context()
	auth.NoteSession(ctx, r)
	m, err := translate.ResumeIn(r, auth.CallOf(ctx).Client)
	if err != nil {
		return err
	}
	view, err := handler.Ask[messages.SessionView](ctx, s.server.asker, messages.GetSession{Session: m.Session})
	if err != nil {
		return err
	}
	if err := translate.WithinHead("resume session", m.From, view.Record.Head); err != nil {
		return err
	}
	m.Type = auth.CallOf(ctx).Type
	var joined <-chan struct{} // closed when the connection has a Converse stream on the session
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
			return sendFatal(ctx, stream, handler.ShuttingDown())
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

// CompactSession implements AgentService. It answers before clients time out, if necessary with estimates.
func (s agentService) CompactSession(ctx context.Context, r *pb.CompactSessionRequest) (*pb.CompactSessionResponse, error) {
	m, err := translate.CompactIn(r)
	if key := auth.CallOf(ctx).Key; key != "" && r.GetIdempotencyKey() == "" {
		m.Key = key
	}
	return handler.Unary(ctx, s.server.patient(), m, err, translate.CompactOut)
}

// CancelTurn implements AgentService. It is for operators and needs no input lock.
func (s agentService) CancelTurn(ctx context.Context, r *pb.CancelTurnRequest) (*pb.CancelTurnResponse, error) {
	session, err := translate.SessionIn("cancel turn", r.GetSessionId())
	if err != nil {
		return nil, err
	}
	m, err := translate.CancelIn(r, session, auth.CallOf(ctx).Client)
	m.Force = true
	return handler.Unary(ctx, handler.Idempotent{Asker: s.server.asker}, m, err, func(a messages.TurnCanceling) *pb.CancelTurnResponse {
		return &pb.CancelTurnResponse{WasActive: a.WasActive}
	})
}

// RequestInputLock implements AgentService. It answers when the holder responds, or after
// 10 s without a response.
func (s agentService) RequestInputLock(ctx context.Context, r *pb.InputLockRequest) (*pb.InputLockResponse, error) {
	session, err := translate.SessionIn("request input lock", r.GetSessionId())
	return handler.Unary(ctx, s.server.patient(), messages.TakeLock{Session: session, Client: auth.CallOf(ctx).Client}, err, translate.LockOut)
}

// ListSessionGrants implements AgentService.
func (s agentService) ListSessionGrants(ctx context.Context, r *pb.ListSessionGrantsRequest) (*pb.ListSessionGrantsResponse, error) {
	session, err := translate.SessionIn("list grants", r.GetSessionId())
	return handler.Unary(ctx, s.server.asker, messages.GetSession{Session: session}, err, func(v messages.SessionView) *pb.ListSessionGrantsResponse {
		return &pb.ListSessionGrantsResponse{Grants: translate.GrantsOut(v.Record.Grants)}
	})
}

// ClearSessionGrants implements AgentService.
func (s agentService) ClearSessionGrants(ctx context.Context, r *pb.ClearSessionGrantsRequest) (*pb.ClearSessionGrantsResponse, error) {
	m, err := translate.ClearGrantsIn(r)
	m.Client = auth.CallOf(ctx).Client
	return handler.Unary(ctx, handler.Idempotent{Asker: s.server.asker}, m, err, handler.Empty[pb.ClearSessionGrantsResponse])
}

// SetSessionGrant implements AgentService.
func (s agentService) SetSessionGrant(ctx context.Context, r *pb.SetSessionGrantRequest) (*pb.SetSessionGrantResponse, error) {
	m, err := translate.SetGrantIn(r)
	m.Client = auth.CallOf(ctx).Client
	return handler.Unary(ctx, handler.Idempotent{Asker: s.server.asker}, m, err, handler.Empty[pb.SetSessionGrantResponse])
}

// RenameSession implements AgentService.
func (s agentService) RenameSession(ctx context.Context, r *pb.RenameSessionRequest) (*pb.RenameSessionResponse, error) {
	m, err := translate.RenameIn(r)
	return handler.Unary(ctx, handler.Idempotent{Asker: s.server.asker}, m, err, handler.Empty[pb.RenameSessionResponse])
}

// DeleteSession implements AgentService. It is idempotent: a session that does not exist is no error.
func (s agentService) DeleteSession(ctx context.Context, r *pb.DeleteSessionRequest) (*pb.DeleteSessionResponse, error) {
	session, err := translate.SessionIn("delete session", r.GetSessionId())
	m := messages.DeleteSession{Session: session, Client: auth.CallOf(ctx).Client}
	out, err := handler.Unary(ctx, handler.Idempotent{Asker: s.server.asker}, m, err, func(messages.Done) *pb.DeleteSessionResponse {
		return &pb.DeleteSessionResponse{Deleted: true}
	})
	if err == nil && s.server.options.Tokens != nil {
		_ = s.server.options.Tokens.Unshare(session, "") // it may have no members
	}
	if err != nil && messages.KindOf(err) == messages.NotFound {
		return &pb.DeleteSessionResponse{}, nil
	}
	return out, err
}
