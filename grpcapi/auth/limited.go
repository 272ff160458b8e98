package auth

import (
	"google.golang.org/protobuf/proto"

	"betcode/messages"
	pb "betcode/proto/betcode/v1"
)

// limited lists the methods that limited callers may use, and whether each of their requests has a
// session_id. Handlers of methods without one consider only the caller's sessions. Methods not listed are
// denied by default.
var limited = map[string]bool{
	"/betcode.v1.AgentService/Converse":                true,
	"/betcode.v1.AgentService/ResumeSession":           true,
	"/betcode.v1.AgentService/CancelTurn":              true,
	"/betcode.v1.AgentService/ListSessions":            false,
	"/betcode.v1.SearchService/Search":                 false,
	"/betcode.v1.AdminService/ShowSession":             true,
	"/betcode.v1.AdminService/ExportSession":           true,
	"/betcode.v1.AdminService/StopSession":             true,
	"/betcode.v1.AdminService/AnswerPermission":        true,
	"/betcode.v1.AccessService/ListMembers":            true,
	"/betcode.v1.AccessService/GetCaller":              false,
	"/betcode.v1.VersionService/GetVersion":            false,
	"/betcode.v1.VersionService/NegotiateCapabilities": false,
}

// membership is the role of a limited caller in the session of its stream.
type membership struct {
	session messages.SessionID
	role    messages.Role // when the stream began; another role ends it
}

// limit refuses a method to a limited caller.
func (c *Call) limit() error {
	if _, known := limited[c.method]; c.Limited && !known {
		return messages.Errorf(opAdmit, messages.Denied, "the token %s is limited to sessions that are shared with %s", c.token, c.Person).
			With("token", c.token).WithHint("Use a token without this limit.")
	}
	return nil
}

// narrow refuses a request of a limited caller if the caller is not a member of the session, or if its role
// does not allow the request. The error is the same for a session that does not exist. Each request is checked
// against the present membership.
func (a *admitted) narrow(m any) error {
	if !a.call.Limited || !limited[a.call.method] {
		return nil
	}
	first := a.member == nil
	if first {
		session, err := a.named(m)
		if err != nil {
			return err
		}
		if session == "" { // any session
			return notShared(session)
		}
		a.member = &membership{session: session}
	} else if r, ok := m.(*pb.AgentRequest); ok && r.GetStart() != nil {
		return messages.Errorf(opAdmit, messages.Denied, "this stream has its session")
	}
	found, ended, ok := a.interceptor.options.Tokens.Membership(a.member.session, a.call.Person)
	if !ok || !first && found.Role != a.member.role {
		return notShared(a.member.session)
	}
	if first { // the rights are not read before the first request
		a.member.role = found.Role
		a.call.Rights &= found.Role.Rights()
	}
	if need, _ := Needs(a.call.method); a.call.Rights&need == 0 {
		return lacking(a.ctx, a.call, need)
	}
	if err := a.plain(m); err != nil {
		return err
	}
	if first && a.end != nil {
		go a.whileMember(ended)
	}
	return nil
}

// named returns the session that the first request of a call is about. A limited caller must use
// ids; any other reference is refused.
func (a *admitted) named(m any) (messages.SessionID, error) {
	if r, ok := m.(*pb.AgentRequest); ok {
		if r.GetStart() == nil {
			return "", messages.Errorf(opAdmit, messages.Denied, "the first request of the stream names no session")
		}
		return messages.SessionID(r.GetStart().GetSessionId()), nil
	}
	r, ok := m.(interface{ GetSessionId() string })
	if !ok {
		return "", messages.Errorf(opAdmit, messages.Denied, "the request names no session")
	}
	return messages.SessionID(r.GetSessionId()), nil
}

// plain refuses requests on a stream that no role allows: to begin a session, and to change how its agent runs.
func (a *admitted) plain(m any) error {
	request, ok := m.(*pb.AgentRequest)
	if !ok {
		return nil
	}
	refuse := func() error {
		return messages.Errorf(opAdmit, messages.Denied, "members of a session do not change how its agent runs").
			WithHint("Use a token that is not limited to shared sessions.")
	}
	switch r := request.GetRequest().(type) {
	case *pb.AgentRequest_Start:
		exists, err := a.interceptor.options.Exists(a.ctx, r.Start.GetSessionId())
		if err == nil && !exists { // the request would create it
			err = notShared(a.member.session)
		}
		if err != nil {
			return err
		}
		rest := proto.CloneOf(r.Start)
		rest.SessionId, rest.FromSequence, rest.History, rest.Observer, rest.KeepsPrompts, rest.Metadata = "", 0, 0, false, false, nil
		if proto.Size(rest) > 0 {
			return refuse()
		}
	case *pb.AgentRequest_Message, *pb.AgentRequest_Permission, *pb.AgentRequest_QuestionResponse, *pb.AgentRequest_Cancel, *pb.AgentRequest_Lock:
	default:
		return refuse()
	}
	return nil
}

// whileMember ends a stream when the membership of its caller ends, or its role changes.
func (a *admitted) whileMember(ended <-chan struct{}) {
	select {
	case <-ended:
		a.end(notShared(a.member.session))
	case <-a.ctx.Done():
	}
}

// notShared returns the error for sessions that are not shared with a caller, whether they exist or not.
func notShared(session messages.SessionID) error {
	return messages.Errorf(opAdmit, messages.NotFound, "session %s does not exist", session).WithCode(messages.SessionNotFound).
		WithHint("'betcode session list' shows sessions.")
}
