package grpcapi

import (
	"context"
	"math"

	"betcode/grpcapi/auth"
	"betcode/grpcapi/handler"
	"betcode/grpcapi/translate"
	"betcode/messages"
	pb "betcode/proto/betcode/v1"
)

// ListMembers implements AccessService.
func (s accessService) ListMembers(ctx context.Context, r *pb.ListMembersRequest) (*pb.ListMembersResponse, error) {
	store, err := s.tokens("list members")
	if err != nil {
		return nil, err
	}
	session, err := s.known(ctx, r.GetSessionId())
	if err != nil {
		return nil, err
	}
	all, err := store.Members(session, "")
	if err != nil {
		return nil, err
	}
	out := &pb.ListMembersResponse{}
	for _, m := range all {
		out.Members = append(out.Members, translate.MemberOut(m))
	}
	return out, nil
}

// ShareSession implements AccessService.
func (s accessService) ShareSession(ctx context.Context, r *pb.ShareSessionRequest) (*pb.ShareSessionResponse, error) {
	store, err := s.tokens("share session")
	if err != nil {
		return nil, err
	}
	session, err := s.known(ctx, r.GetSessionId())
	if err != nil {
		return nil, err
	}
	if err := store.Share(messages.Member{Session: session, Person: r.GetPerson(), Role: messages.Role(r.GetRole())}); err != nil {
		return nil, err
	}
	made, _, _ := store.Membership(session, r.GetPerson())
	return &pb.ShareSessionResponse{Member: translate.MemberOut(made)}, nil
}

// UnshareSession implements AccessService.
func (s accessService) UnshareSession(ctx context.Context, r *pb.UnshareSessionRequest) (*pb.UnshareSessionResponse, error) {
	const op = "unshare session"
	store, err := s.tokens(op)
	if err != nil {
		return nil, err
	}
	if r.GetPerson() == "" {
		return nil, messages.Errorf(op, messages.Invalid, "no person is named")
	}
	session, err := (adminService{asker: s.server.asker}).resolve(ctx, r.GetSessionId())
	if err != nil {
		return nil, err
	}
	return &pb.UnshareSessionResponse{}, store.Unshare(session, r.GetPerson())
}

// known returns the session of a reference. It returns an error if the session does not exist.
func (s accessService) known(ctx context.Context, ref string) (messages.SessionID, error) {
	session, err := (adminService{asker: s.server.asker}).resolve(ctx, ref)
	if err != nil {
		return "", err
	}
	_, err = handler.Ask[messages.SessionView](ctx, s.server.asker, messages.GetSession{Session: session})
	return session, err
}

// list returns a page of sessions. A limited caller gets only sessions of which its person is a member.
func (s agentService) list(ctx context.Context, m messages.ListSessions) (messages.SessionList, error) {
	c := auth.CallOf(ctx)
	if !c.Limited {
		return handler.Ask[messages.SessionList](ctx, s.server.asker, m)
	}
	shared, err := s.server.options.Tokens.Members("", c.Person)
	if err != nil {
		return messages.SessionList{}, err
	}
	mine := map[messages.SessionID]bool{}
	for _, member := range shared {
		mine[member.Session] = true
	}
	out := messages.SessionList{}
	if m.Resting != nil { // a limited caller has few sessions, so none is omitted
		m.Limit, m.Offset = math.MaxInt, 0
	}
	for ask := (messages.ListSessions{WorkingDirectory: m.WorkingDirectory, WorktreeID: m.WorktreeID, Limit: 1000}); ; ask.Offset += ask.Limit {
		page, err := handler.Ask[messages.SessionList](ctx, s.server.asker, ask)
		if err != nil {
			return messages.SessionList{}, err
		}
		for _, record := range page.Sessions {
			if !mine[record.ID] {
				continue
			}
			if out.Total++; out.Total > m.Offset && len(out.Sessions) < m.Limit {
				out.Sessions = append(out.Sessions, record)
			}
		}
		if len(page.Sessions) < ask.Limit {
			return out, nil
		}
	}
}
