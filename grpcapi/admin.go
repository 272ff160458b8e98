package grpcapi

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"betcode/grpcapi/door"
	"betcode/grpcapi/wire"
	"betcode/messages"
	pb "betcode/proto/betcode/v1"
)

// adminService is AdminService. It accepts every reference to a session that a person types:
// an id, its beginning, a name, "@last".
type adminService struct {
	pb.UnimplementedAdminServiceServer
	asker Asker
	one   *expensive
}

// GetTree implements AdminService.
func (s adminService) GetTree(ctx context.Context, _ *pb.GetTreeRequest) (*pb.TreeNode, error) {
	return unary(ctx, s.asker, messages.GetTree{}, nil, treeOut)
}

// ListPermissions implements AdminService.
func (s adminService) ListPermissions(ctx context.Context, r *pb.ListPermissionsRequest) (*pb.ListPermissionsResponse, error) {
	pending, err := s.pending(ctx, r.GetSessionId())
	if err != nil {
		return nil, err
	}
	names, err := s.names(ctx, pending)
	if err != nil {
		return nil, err
	}
	out := &pb.ListPermissionsResponse{}
	for _, p := range pending {
		out.Permissions = append(out.Permissions, pendingOut(p, names[p.Session]))
	}
	return out, nil
}

// AnswerPermission implements AdminService.
func (s adminService) AnswerPermission(ctx context.Context, r *pb.AnswerPermissionRequest) (*pb.AnswerPermissionResponse, error) {
	m, err := adminAnswerIn(r, door.CallOf(ctx).Client)
	if err != nil {
		return nil, err
	}
	repeated, err := s.repeatedIn(ctx, r)
	if m.Session = repeated; repeated == "" && err == nil {
		m.Session, m.Request, err = s.meant(ctx, r)
	}
	if err != nil {
		return nil, err
	}
	answered, err := ask[messages.PermissionAnswered](ctx, once{s.asker}, m)
	if err != nil {
		return nil, err
	}
	if repeated != "" {
		m.Request = cmp.Or(answered.Request, m.Request)
	}
	out := answeredOut(answered)
	out.SessionId, out.RequestId = string(m.Session), string(m.Request)
	return out, nil
}

// repeatedIn returns the session of an earlier call with the same key, if this call names
// no session; empty if there was none. The present meaning of the request does not matter.
func (s adminService) repeatedIn(ctx context.Context, r *pb.AnswerPermissionRequest) (messages.SessionID, error) {
	key := door.CallOf(ctx).Key
	if key == "" || r.GetSessionId() != "" {
		return "", nil
	}
	resolved, err := ask[messages.SessionResolved](ctx, s.asker, messages.ResolveKey{Key: key})
	if messages.KindOf(err) == messages.NotFound {
		return "", nil
	}
	return resolved.Session, err
}

// meant returns the request that an answer is about, and its session.
func (s adminService) meant(ctx context.Context, r *pb.AnswerPermissionRequest) (messages.SessionID, messages.RequestID, error) {
	pending, err := s.pending(ctx, r.GetSessionId())
	if err != nil {
		return "", "", err
	}
	session, request, err := findRequest(pending, r.GetRequestId())
	if err == nil || messages.KindOf(err) != messages.NotFound {
		return session, request, err
	}
	// Not pending: the session answers whether it existed and who decided it.
	if r.GetSessionId() != "" {
		session, err = s.resolve(ctx, r.GetSessionId())
		return session, messages.RequestID(r.GetRequestId()), err
	}
	base, _, _ := strings.Cut(r.GetRequestId(), "/")
	decided, failed := ask[messages.RequestResolved](ctx, s.asker, messages.ResolveRequest{Reference: base})
	switch {
	case failed != nil && messages.KindOf(failed) == messages.NotFound:
		return "", "", err
	case failed != nil:
		return "", "", failed
	}
	return decided.Session, decided.Request, nil
}

// findRequest returns the pending request whose id begins with ref, and its session. A
// question may be named with its number, "<request>/<n>".
func findRequest(pending []messages.PermissionRecord, ref string) (messages.SessionID, messages.RequestID, error) {
	const op = "find permission request"
	base, number, numbered := strings.Cut(ref, "/")
	var found []messages.PermissionRecord
	for _, p := range pending {
		if string(p.Request) == base || slices.Contains(p.Formerly, messages.RequestID(base)) {
			found = []messages.PermissionRecord{p}
			break
		}
		if strings.HasPrefix(string(p.Request), base) {
			found = append(found, p)
		}
	}
	switch len(found) {
	case 0:
		return "", "", messages.Errorf(op, messages.NotFound, "no pending request has an id that begins with %q", wire.Clip(ref)).
			WithHint("It may have been answered already; 'betcode permission list' shows the pending ones.")
	case 1:
		request := found[0].Request
		if numbered {
			request += messages.RequestID("/" + number)
		}
		return found[0].Session, request, nil
	}
	ids := make([]string, len(found))
	for i, p := range found {
		ids[i] = string(p.Request)
	}
	return "", "", wire.Invalid(op, "Give more of the id.", "%q may be %s", wire.Clip(ref), wire.Clip(strings.Join(ids, ", ")))
}

// ExplainPermission implements AdminService.
func (s adminService) ExplainPermission(ctx context.Context, r *pb.ExplainPermissionRequest) (*pb.ExplainPermissionResponse, error) {
	m, err := explainIn(r)
	if err != nil {
		return nil, err
	}
	if m.WorkingDirectory == "" {
		session, err := s.resolve(ctx, r.GetSessionId())
		if err != nil {
			return nil, err
		}
		view, err := ask[messages.SessionView](ctx, s.asker, messages.GetSession{Session: session})
		if err != nil {
			return nil, err
		}
		m.Session, m.WorkingDirectory = session, view.Record.WorkingDirectory
	}
	explained, err := ask[messages.PermissionExplained](ctx, s.asker, m)
	if err != nil {
		return nil, err
	}
	return explainedOut(explained, m.Session), nil
}

// TrustDirectory implements AdminService.
func (s adminService) TrustDirectory(ctx context.Context, r *pb.TrustDirectoryRequest) (*pb.TrustDirectoryResponse, error) {
	m := messages.TrustDirectory{Trusted: !r.GetRemove()}
	if r.GetDirectory() != "" {
		var err error
		if m.Directory, err = directoryIn("trust directory", r.GetDirectory()); err != nil {
			return nil, err
		}
	}
	m.Digest = r.GetDigest()
	if r.GetInspect() {
		return s.reviewDirectory(ctx, r)
	}
	return unary(ctx, s.asker, m, nil, func(a messages.TrustedDirectories) *pb.TrustDirectoryResponse {
		return &pb.TrustDirectoryResponse{Directories: a.Directories}
	})
}

// ShowSession implements AdminService.
func (s adminService) ShowSession(ctx context.Context, r *pb.ShowSessionRequest) (*pb.ShowSessionResponse, error) {
	session, err := s.resolve(ctx, r.GetSessionId())
	return unary(ctx, s.asker, messages.GetSession{Session: session}, err, func(v messages.SessionView) *pb.ShowSessionResponse {
		return viewOut(v, time.Now())
	})
}

// StopSession implements AdminService.
func (s adminService) StopSession(ctx context.Context, r *pb.StopSessionRequest) (*pb.StopSessionResponse, error) {
	session, err := s.resolve(ctx, r.GetSessionId())
	m := messages.StopSession{Session: session, Client: door.CallOf(ctx).Client}
	return unary(ctx, once{s.asker}, m, err, func(a messages.SessionStopped) *pb.StopSessionResponse {
		return &pb.StopSessionResponse{WasRunning: a.WasRunning}
	})
}

// ContinueSession implements AdminService.
func (s adminService) ContinueSession(ctx context.Context, r *pb.ContinueSessionRequest) (*pb.ContinueSessionResponse, error) {
	session, err := s.resolve(ctx, r.GetSessionId())
	return unary(ctx, once{s.asker}, messages.ContinueSession{Session: session}, err, func(a messages.SessionContinued) *pb.ContinueSessionResponse {
		return &pb.ContinueSessionResponse{WasWaiting: a.WasWaiting}
	})
}

// RestartSession implements AdminService.
func (s adminService) RestartSession(ctx context.Context, r *pb.RestartSessionRequest) (*pb.RestartSessionResponse, error) {
	session, err := s.resolve(ctx, r.GetSessionId())
	return unary(ctx, once{s.asker}, messages.RestartSession{Session: session}, err, func(a messages.SessionRestarted) *pb.RestartSessionResponse {
		return &pb.RestartSessionResponse{WasRunning: a.WasRunning, Queued: a.Queued}
	})
}

// SetSessionBudget implements AdminService.
func (s adminService) SetSessionBudget(ctx context.Context, r *pb.SetSessionBudgetRequest) (*pb.SetSessionBudgetResponse, error) {
	m, err := setBudgetIn(r)
	if err == nil {
		m.Session, err = s.resolve(ctx, r.GetSessionId())
	}
	m.Client = door.CallOf(ctx).Client
	return unary(ctx, once{s.asker}, m, err, empty[pb.SetSessionBudgetResponse])
}

// Shutdown implements AdminService.
func (s adminService) Shutdown(ctx context.Context, r *pb.ShutdownRequest) (*pb.ShutdownResponse, error) {
	return unary(ctx, s.asker, messages.Shutdown{KeepAgents: r.GetKeepAgents()}, nil, empty[pb.ShutdownResponse])
}

// Resolve implements AdminService.
func (s adminService) Resolve(ctx context.Context, r *pb.ResolveRequest) (*pb.ResolveResponse, error) {
	const op = "resolve session"
	if strings.TrimSpace(r.GetRef()) == "" {
		return nil, wire.Invalid(op, `Give an id, its beginning, a name, or "@last".`, "ref is empty")
	}
	return unary(ctx, s.asker, messages.ResolveSession{Reference: r.GetRef()}, nil, func(a messages.SessionResolved) *pb.ResolveResponse {
		return &pb.ResolveResponse{SessionId: string(a.Session)}
	})
}

// resolve returns the session that a reference names. A whole id needs no look-up.
func (s adminService) resolve(ctx context.Context, ref string) (messages.SessionID, error) {
	if id := wire.CanonicalUUID(ref); id != "" {
		return messages.SessionID(id), nil
	}
	resolved, err := s.Resolve(ctx, &pb.ResolveRequest{Ref: ref})
	return messages.SessionID(resolved.GetSessionId()), err
}

// pending returns the undecided requests of one session or, for "", of all.
func (s adminService) pending(ctx context.Context, ref string) ([]messages.PermissionRecord, error) {
	var question messages.ListPermissions
	if ref != "" {
		session, err := s.resolve(ctx, ref)
		if err != nil {
			return nil, err
		}
		question.Session = session
	}
	list, err := ask[messages.PermissionList](ctx, s.asker, question)
	return list.Permissions, err
}

// names returns the names of the sessions of pending.
func (s adminService) names(ctx context.Context, pending []messages.PermissionRecord) (map[messages.SessionID]string, error) {
	names := map[messages.SessionID]string{}
	for _, p := range pending {
		if _, ok := names[p.Session]; ok {
			continue
		}
		view, err := ask[messages.SessionView](ctx, s.asker, messages.GetSession{Session: p.Session})
		switch {
		case err != nil && messages.KindOf(err) == messages.NotFound: // deleted meanwhile
		case err != nil:
			return nil, err
		}
		names[p.Session] = view.Record.Name
	}
	return names, nil
}
