package grpcapi

import (
	"context"
	"strings"
	"time"

	"betcode/grpcapi/auth"
	"betcode/grpcapi/handler"
	"betcode/grpcapi/translate"
	"betcode/grpcapi/wire"
	"betcode/messages"
	pb "betcode/proto/betcode/v1"
)

// adminService is AdminService. It accepts every kind of reference to a session: an id, a prefix of
// one, a name, "@last".
type adminService struct {
	pb.UnimplementedAdminServiceServer
	asker handler.Asker
	one   *expensive
}

// GetTree implements AdminService.
func (s adminService) GetTree(ctx context.Context, _ *pb.GetTreeRequest) (*pb.TreeNode, error) {
	return handler.Unary(ctx, s.asker, messages.GetTree{}, nil, translate.TreeOut)
}

// TrustDirectory implements AdminService.
func (s adminService) TrustDirectory(ctx context.Context, r *pb.TrustDirectoryRequest) (*pb.TrustDirectoryResponse, error) {
	m := messages.TrustDirectory{Trusted: !r.GetRemove()}
	if r.GetDirectory() != "" {
		var err error
		if m.Directory, err = translate.DirectoryIn("trust directory", r.GetDirectory()); err != nil {
			return nil, err
		}
	}
	m.Digest = r.GetDigest()
	if r.GetInspect() {
		return s.reviewDirectory(ctx, r)
	}
	return handler.Unary(ctx, s.asker, m, nil, func(a messages.TrustedDirectories) *pb.TrustDirectoryResponse {
		return &pb.TrustDirectoryResponse{Directories: a.Directories}
	})
}

// ShowSession implements AdminService.
func (s adminService) ShowSession(ctx context.Context, r *pb.ShowSessionRequest) (*pb.ShowSessionResponse, error) {
	session, err := s.resolve(ctx, r.GetSessionId())
	return handler.Unary(ctx, s.asker, messages.GetSession{Session: session}, err, func(v messages.SessionView) *pb.ShowSessionResponse {
		return translate.ViewOut(v, time.Now())
	})
}

// StopSession implements AdminService.
func (s adminService) StopSession(ctx context.Context, r *pb.StopSessionRequest) (*pb.StopSessionResponse, error) {
	session, err := s.resolve(ctx, r.GetSessionId())
	m := messages.StopSession{Session: session, Client: auth.CallOf(ctx).Client}
	return handler.Unary(ctx, handler.Idempotent{Asker: s.asker}, m, err, func(a messages.SessionStopped) *pb.StopSessionResponse {
		return &pb.StopSessionResponse{WasRunning: a.WasRunning}
	})
}

// ContinueSession implements AdminService.
func (s adminService) ContinueSession(ctx context.Context, r *pb.ContinueSessionRequest) (*pb.ContinueSessionResponse, error) {
	session, err := s.resolve(ctx, r.GetSessionId())
	return handler.Unary(ctx, handler.Idempotent{Asker: s.asker}, messages.ContinueSession{Session: session}, err, func(a messages.SessionContinued) *pb.ContinueSessionResponse {
		return &pb.ContinueSessionResponse{WasWaiting: a.WasWaiting}
	})
}

// StopRepeat implements AdminService.
func (s adminService) StopRepeat(ctx context.Context, r *pb.StopRepeatRequest) (*pb.StopRepeatResponse, error) {
	session, err := s.resolve(ctx, r.GetSessionId())
	m := messages.StopRepeat{Session: session, Client: auth.CallOf(ctx).Client}
	return handler.Unary(ctx, handler.Idempotent{Asker: s.asker}, m, err, func(a messages.RepeatStopped) *pb.StopRepeatResponse {
		return &pb.StopRepeatResponse{WasRepeating: a.WasRepeating, Iteration: a.Iteration}
	})
}

// RestartSession implements AdminService.
func (s adminService) RestartSession(ctx context.Context, r *pb.RestartSessionRequest) (*pb.RestartSessionResponse, error) {
	session, err := s.resolve(ctx, r.GetSessionId())
	return handler.Unary(ctx, handler.Idempotent{Asker: s.asker}, messages.RestartSession{Session: session}, err, func(a messages.SessionRestarted) *pb.RestartSessionResponse {
		return &pb.RestartSessionResponse{WasRunning: a.WasRunning, Queued: a.Queued}
	})
}

// SetSessionBudget implements AdminService.
func (s adminService) SetSessionBudget(ctx context.Context, r *pb.SetSessionBudgetRequest) (*pb.SetSessionBudgetResponse, error) {
	m, err := translate.SetBudgetIn(r)
	if err == nil {
		m.Session, err = s.resolve(ctx, r.GetSessionId())
	}
	m.Client = auth.CallOf(ctx).Client
	return handler.Unary(ctx, handler.Idempotent{Asker: s.asker}, m, err, handler.Empty[pb.SetSessionBudgetResponse])
}

// Shutdown implements AdminService.
func (s adminService) Shutdown(ctx context.Context, r *pb.ShutdownRequest) (*pb.ShutdownResponse, error) {
	return handler.Unary(ctx, s.asker, messages.Shutdown{KeepAgents: r.GetKeepAgents()}, nil, handler.Empty[pb.ShutdownResponse])
}

// Resolve implements AdminService.
func (s adminService) Resolve(ctx context.Context, r *pb.ResolveRequest) (*pb.ResolveResponse, error) {
	const op = "resolve session"
	if strings.TrimSpace(r.GetRef()) == "" {
		return nil, wire.Invalid(op, `Give an id, its beginning, a name, or "@last".`, "ref is empty")
	}
	return handler.Unary(ctx, s.asker, messages.ResolveSession{Reference: r.GetRef(), Directory: r.GetWorkingDirectory()}, nil, func(a messages.SessionResolved) *pb.ResolveResponse {
		return &pb.ResolveResponse{SessionId: string(a.Session)}
	})
}

// resolve returns the session that a reference names. A complete id needs no look-up.
func (s adminService) resolve(ctx context.Context, ref string) (messages.SessionID, error) {
	if id := wire.CanonicalUUID(ref); id != "" {
		return messages.SessionID(id), nil
	}
	resolved, err := s.Resolve(ctx, &pb.ResolveRequest{Ref: ref})
	return messages.SessionID(resolved.GetSessionId()), err
}

// expensive are the calls that are served one at a time.
type expensive struct{ verify, rules exclusive }
