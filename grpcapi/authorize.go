package grpcapi

import (
	"context"
	"errors"

	"google.golang.org/grpc"

	"betcode/grpcapi/wire"
	"betcode/messages"
	pb "betcode/proto/betcode/v1"
)

// What stands at the door: who may not come in, or not do what is asked, or asks for a
// feature that is off, is turned away here, before anything of the request is read; calls
// that need the admin right are written down, and fields that nobody knows are counted.

func (s *Server) admit(ctx context.Context, srv any, stream grpc.ServerStream, next grpc.StreamHandler) (err error) {
	c := callOf(ctx)
	if refusal, err := s.enter(ctx, c); err != nil {
		c.turnedAway = true
		return s.refused(ctx, c, refusal, err)
	}
	leave, err := s.occupy(ctx, c)
	defer leave()
	if err != nil {
		c.turnedAway = true
		return s.refused(ctx, c, messages.AuditRateLimited, err)
	}
	defer func() { s.auditAdmin(ctx, c.method, err) }()
	if err := s.open(c.method); err != nil {
		return err
	}
	in := &admitted{ServerStream: stream, ctx: ctx, server: s, call: c, incoming: wire.IncomingOf(stream.Context())}
	defer in.request.End()
	if !c.stream {
		return s.guarded(ctx, func() error { return next(srv, in) })
	}
	counts, done := whileItCounts(ctx, c)
	defer done()
	in.ctx = counts
	err = s.guarded(ctx, func() error { return next(srv, in) })
	var over *messages.Error
	if errors.As(context.Cause(counts), &over) && ctx.Err() == nil {
		return over
	}
	return err
}

// enter decides whether a call is served. What costs least comes first, and what a caller
// can repeat at will is limited before it is written down. With an error it says as what
// that is recorded.
func (s *Server) enter(ctx context.Context, c *call) (messages.AuditType, error) {
	need, _ := needOf(c.method)
	if c.probe = need == anyone; c.probe && wire.Compressed(ctx) {
		return messages.AuditRefused, messages.Errorf(opAdmit, messages.Unimplemented, "compressed requests are not taken from callers without a scope").
			WithHint("Send health checks uncompressed.")
	}
	if refusal, err := s.authenticate(ctx, c); err != nil {
		return refusal, err
	}
	if err := s.limitCall(ctx, c); err != nil {
		return messages.AuditRateLimited, err
	}
	if err := allow(ctx, c, c.method); err != nil {
		if need == messages.MayAdmin {
			return messages.AuditAdmin, err
		}
		return messages.AuditRefused, err
	}
	s.auditArrival(ctx, c)
	return "", nil
}

// allow refuses a call for which the caller has none of the rights needed.
func allow(ctx context.Context, c *call, method string) error {
	need, known := needOf(method)
	switch {
	case !known:
		return messages.Errorf(opAdmit, messages.Denied, "nobody has decided who may call %s", method)
	case need == anyone, c.rights&need != 0:
		return nil
	}
	return lacking(ctx, c, need)
}

// lacking says why a caller may not do what needs one of some rights.
func lacking(ctx context.Context, c *call, need messages.Rights) error {
	if p, ok := PeerOf(ctx); ok && p.judged.get() != unrestricted {
		return p.judged.get().refuse()
	}
	return messages.Errorf(opAdmit, messages.Denied, "the token %s has the scopes %s, and this needs %s", c.token, c.rights, need).
		With("token", c.token).WithHint("Use a token that has it: betcode token create NAME --scope ...")
}

// admitted is a stream of a caller who was let in: each request is looked at again,
// since one stream carries what needs different rights.
type admitted struct {
	grpc.ServerStream
	ctx    context.Context
	server *Server
	call   *call

	incoming wire.Incoming    // nil = gRPC reads
	request  wire.Reservation // of the last request
}

// Context implements grpc.ServerStream.
func (a *admitted) Context() context.Context { return a.ctx }

// SendMsg implements grpc.ServerStream.
func (a *admitted) SendMsg(m any) error {
	a.request.Release() // the request is answered, or has begun to be
	a.server.frame(a.ctx, "out", m)
	return a.ServerStream.SendMsg(m)
}

// RecvMsg implements grpc.ServerStream. A request that could not be decoded, or is
// refused, is an error of ours; the stream itself is sound and may go on.
func (a *admitted) RecvMsg(m any) error {
	if err := a.receive(m); err != nil {
		return err
	}
	if !a.call.stream {
		noteSession(a.ctx, m)
	}
	a.server.frame(a.ctx, "in", m)
	if err := wire.Malformed(m); err != nil {
		return err
	}
	a.server.noteUnknown(a.ctx, m)
	if !a.call.stream {
		return noteKey(a.ctx, m)
	}
	request, ok := m.(*pb.AgentRequest)
	if !ok {
		return nil
	}
	if err := a.server.limitRequest(a.ctx, a.call, request); err != nil {
		return a.server.refused(a.ctx, a.call, messages.AuditRateLimited, err)
	}
	if need := requestNeeds(request); !a.call.rights.Has(need) {
		return a.server.refused(a.ctx, a.call, messages.AuditRefused, lacking(a.ctx, a.call, need&^a.call.rights))
	}
	start := request.GetStart()
	if start == nil {
		return nil
	}
	if err := a.screenEnvironment(start); err != nil {
		return err
	}
	if !a.call.rights.Has(messages.MayControl) {
		return a.mustExist(start.GetSessionId())
	}
	return nil
}

func (a *admitted) receive(m any) error {
	if a.incoming == nil {
		return a.ServerStream.RecvMsg(m)
	}
	c := wire.Call{Caller: callerOf(a.ctx, a.call), Probe: a.call.probe, Streaming: a.call.clientStream}
	return a.server.requests.Receive(a.ctx, a.incoming, c, &a.request, m)
}

// mustExist refuses to begin a session for a caller who may only approve.
func (a *admitted) mustExist(id string) error {
	session, err := sessionIn("start conversation", id)
	if err != nil {
		return lacking(a.ctx, a.call, messages.MayControl) // it would be made
	}
	_, err = ask[messages.SessionView](a.ctx, a.server.asker, messages.GetSession{Session: session})
	if err != nil && wire.AsError(err).Kind == messages.NotFound {
		return lacking(a.ctx, a.call, messages.MayControl)
	}
	return err
}

// requestNeeds are all the rights that a request on a Converse stream needs. To say what
// an agent may do unasked is to approve it.
func requestNeeds(r *pb.AgentRequest) messages.Rights {
	switch r := r.GetRequest().(type) {
	case *pb.AgentRequest_Permission, *pb.AgentRequest_QuestionResponse:
		return messages.MayApprove
	case *pb.AgentRequest_Start:
		if len(r.Start.GetAllowedTools()) > 0 || r.Start.GetConfirmMode() || asksLess(r.Start.GetPermissionMode()) || widens(r.Start.GetOptions()) {
			return messages.MayControl | messages.MayApprove
		}
		return messages.MayView
	case *pb.AgentRequest_Settings:
		if r.Settings.GetConfirmMode() || asksLess(r.Settings.GetPermissionMode()) {
			return messages.MayControl | messages.MayApprove
		}
	}
	return messages.MayControl
}

// asksLess says whether an agent asks less in a permission mode than by default.
func asksLess(mode string) bool {
	switch mode {
	case "", "default", "manual", "plan", "dontAsk":
		return false
	}
	return true
}
