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

// adminService is AdminService. Where it takes a session it takes what a person
// types: an id, its beginning, a name, "@last".
type adminService struct {
	pb.UnimplementedAdminServiceServer
	asker Asker
	one   *expensive
}

// GetTree implements AdminService.
func (s adminService) GetTree(ctx context.Context, _ *pb.GetTreeRequest) (*pb.TreeNode, error) {
	tree, err := ask[messages.TreeNode](ctx, s.asker, messages.GetTree{})
	if err != nil {
		return nil, err
	}
	return treeOut(tree), nil
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
	answered, err := act[messages.PermissionAnswered](ctx, s.asker, m)
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

// repeatedIn is the session in which a call that names none was made before, under the
// same key; empty if it was not. What the request may mean by now does not matter.
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

// meant is the request that an answer is about, and its session.
func (s adminService) meant(ctx context.Context, r *pb.AnswerPermissionRequest) (messages.SessionID, messages.RequestID, error) {
	pending, err := s.pending(ctx, r.GetSessionId())
	if err != nil {
		return "", "", err
	}
	session, request, err := findRequest(pending, r.GetRequestId())
	if err == nil || messages.KindOf(err) != messages.NotFound {
		return session, request, err
	}
	// No longer pending, or never there: the session knows, and says who decided.
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

// findRequest finds what is pending by the beginning of its id. A question may be
// named with its number, "<request>/<n>".
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
		return "", "", messages.Errorf(op, messages.NotFound, "nothing pending has an id that begins with %q", wire.Clip(ref)).
			WithHint("It may have been answered already; 'betcode permission list' shows what waits.")
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
	trusted, err := ask[messages.TrustedDirectories](ctx, s.asker, m)
	if err != nil {
		return nil, err
	}
	return &pb.TrustDirectoryResponse{Directories: trusted.Directories}, nil
}

// ShowSession implements AdminService.
func (s adminService) ShowSession(ctx context.Context, r *pb.ShowSessionRequest) (*pb.ShowSessionResponse, error) {
	session, err := s.resolve(ctx, r.GetSessionId())
	if err != nil {
		return nil, err
	}
	view, err := ask[messages.SessionView](ctx, s.asker, messages.GetSession{Session: session})
	if err != nil {
		return nil, err
	}
	return viewOut(view, time.Now()), nil
}

// StopSession implements AdminService.
func (s adminService) StopSession(ctx context.Context, r *pb.StopSessionRequest) (*pb.StopSessionResponse, error) {
	session, err := s.resolve(ctx, r.GetSessionId())
	if err != nil {
		return nil, err
	}
	stopped, err := act[messages.SessionStopped](ctx, s.asker, messages.StopSession{Session: session, Client: door.CallOf(ctx).Client})
	if err != nil {
		return nil, err
	}
	return &pb.StopSessionResponse{WasRunning: stopped.WasRunning}, nil
}

// ContinueSession implements AdminService.
func (s adminService) ContinueSession(ctx context.Context, r *pb.ContinueSessionRequest) (*pb.ContinueSessionResponse, error) {
	session, err := s.resolve(ctx, r.GetSessionId())
	if err != nil {
		return nil, err
	}
	continued, err := act[messages.SessionContinued](ctx, s.asker, messages.ContinueSession{Session: session})
	if err != nil {
		return nil, err
	}
	return &pb.ContinueSessionResponse{WasWaiting: continued.WasWaiting}, nil
}

// RestartSession implements AdminService.
func (s adminService) RestartSession(ctx context.Context, r *pb.RestartSessionRequest) (*pb.RestartSessionResponse, error) {
	session, err := s.resolve(ctx, r.GetSessionId())
	if err != nil {
		return nil, err
	}
	restarted, err := act[messages.SessionRestarted](ctx, s.asker, messages.RestartSession{Session: session})
	if err != nil {
		return nil, err
	}
	return &pb.RestartSessionResponse{WasRunning: restarted.WasRunning, Queued: restarted.Queued}, nil
}

// Shutdown implements AdminService.
func (s adminService) Shutdown(ctx context.Context, r *pb.ShutdownRequest) (*pb.ShutdownResponse, error) {
	if _, err := ask[messages.Done](ctx, s.asker, messages.Shutdown{KeepAgents: r.GetKeepAgents()}); err != nil {
		return nil, err
	}
	return &pb.ShutdownResponse{}, nil
}

// Resolve implements AdminService.
func (s adminService) Resolve(ctx context.Context, r *pb.ResolveRequest) (*pb.ResolveResponse, error) {
	const op = "resolve session"
	if strings.TrimSpace(r.GetRef()) == "" {
		return nil, wire.Invalid(op, `Give an id, its beginning, a name, or "@last".`, "ref is empty")
	}
	resolved, err := ask[messages.SessionResolved](ctx, s.asker, messages.ResolveSession{Reference: r.GetRef()})
	if err != nil {
		return nil, err
	}
	return &pb.ResolveResponse{SessionId: string(resolved.Session)}, nil
}

// resolve is the session meant by what a person typed. A whole id needs no look-up.
func (s adminService) resolve(ctx context.Context, ref string) (messages.SessionID, error) {
	if id := wire.CanonicalUUID(ref); id != "" {
		return messages.SessionID(id), nil
	}
	resolved, err := s.Resolve(ctx, &pb.ResolveRequest{Ref: ref})
	return messages.SessionID(resolved.GetSessionId()), err
}

// pending is what waits for an answer, in one session or, for "", in all.
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

// names are the names of the sessions that pending is about.
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
