package grpcapi

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"betcode/grpcapi/auth"
	"betcode/grpcapi/handler"
	"betcode/grpcapi/translate"
	"betcode/grpcapi/wire"
	"betcode/messages"
	pb "betcode/proto/betcode/v1"
)

// ListPermissions implements AdminService.
func (s adminService) ListPermissions(ctx context.Context, r *pb.ListPermissionsRequest) (*pb.ListPermissionsResponse, error) {
	pending, err := s.pending(ctx, r.GetSessionId())
	if err != nil {
		return nil, err
	}
	records, err := s.records(ctx, pending)
	if err != nil {
		return nil, err
	}
	out := &pb.ListPermissionsResponse{}
	for _, p := range pending {
		out.Permissions = append(out.Permissions, translate.PendingOut(p, records[p.Session]))
	}
	return out, nil
}

// AnswerPermission implements AdminService.
func (s adminService) AnswerPermission(ctx context.Context, r *pb.AnswerPermissionRequest) (*pb.AnswerPermissionResponse, error) {
	m, err := translate.AdminAnswerIn(r, auth.CallOf(ctx).Client)
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
	answered, err := handler.Ask[messages.PermissionAnswered](ctx, handler.Idempotent{Asker: s.asker}, m)
	if err != nil {
		return nil, err
	}
	if repeated != "" {
		m.Request = cmp.Or(answered.Request, m.Request)
	}
	out := translate.AnsweredOut(answered)
	out.SessionId, out.RequestId = string(m.Session), string(m.Request)
	return out, nil
}

// repeatedIn returns the session of an earlier call with the same key, for a call that names no
// session; empty if there was none.
func (s adminService) repeatedIn(ctx context.Context, r *pb.AnswerPermissionRequest) (messages.SessionID, error) {
	key := auth.CallOf(ctx).Key
	if key == "" || r.GetSessionId() != "" {
		return "", nil
	}
	resolved, err := handler.Ask[messages.SessionResolved](ctx, s.asker, messages.ResolveKey{Key: key})
	if messages.KindOf(err) == messages.NotFound {
		return "", nil
	}
	return resolved.Session, err
}

// meant returns the session and the request that an answer is about.
func (s adminService) meant(ctx context.Context, r *pb.AnswerPermissionRequest) (messages.SessionID, messages.RequestID, error) {
	pending, err := s.pending(ctx, r.GetSessionId())
	if err != nil {
		return "", "", err
	}
	session, request, err := findRequest(pending, r.GetRequestId())
	if err == nil || messages.KindOf(err) != messages.NotFound {
		return session, request, err
	}
	if child, own, ok := messages.ParseForwarded(messages.RequestID(r.GetRequestId())); ok && r.GetSessionId() == "" {
		session, err = translate.SessionIn("answer permission", string(child))
		return session, own, err
	}
	// The request is not pending. The session knows whether it existed and who decided it.
	if r.GetSessionId() != "" {
		session, err = s.resolve(ctx, r.GetSessionId())
		return session, messages.RequestID(r.GetRequestId()), err
	}
	base, _, _ := strings.Cut(r.GetRequestId(), "/")
	decided, failed := handler.Ask[messages.RequestResolved](ctx, s.asker, messages.ResolveRequest{Reference: base})
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
	m, err := translate.ExplainIn(r)
	if err != nil {
		return nil, err
	}
	if m.WorkingDirectory == "" {
		session, err := s.resolve(ctx, r.GetSessionId())
		if err != nil {
			return nil, err
		}
		view, err := handler.Ask[messages.SessionView](ctx, s.asker, messages.GetSession{Session: session})
		if err != nil {
			return nil, err
		}
		m.Session, m.WorkingDirectory = session, view.Record.WorkingDirectory
	}
	explained, err := handler.Ask[messages.PermissionExplained](ctx, s.asker, m)
	if err != nil {
		return nil, err
	}
	return translate.ExplainedOut(explained, m.Session), nil
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
	list, err := handler.Ask[messages.PermissionList](ctx, s.asker, question)
	return list.Permissions, err
}

// records returns the records of the sessions of pending.
func (s adminService) records(ctx context.Context, pending []messages.PermissionRecord) (map[messages.SessionID]messages.SessionRecord, error) {
	records := map[messages.SessionID]messages.SessionRecord{}
	for _, p := range pending {
		if _, ok := records[p.Session]; ok {
			continue
		}
		view, err := handler.Ask[messages.SessionView](ctx, s.asker, messages.GetSession{Session: p.Session})
		switch {
		case err != nil && messages.KindOf(err) == messages.NotFound: // the session was deleted meanwhile
		case err != nil:
			return nil, err
		}
		records[p.Session] = view.Record
	}
	return records, nil
}
