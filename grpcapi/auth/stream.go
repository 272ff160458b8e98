package auth

import (
	"context"

	"google.golang.org/grpc"
	"google.golang.org/protobuf/proto"

	"betcode/grpcapi/wire"
	"betcode/messages"
	pb "betcode/proto/betcode/v1"
)

// admitted is the stream of an admitted caller. It checks each request again: the requests
// of one stream need different rights.
type admitted struct {
	grpc.ServerStream
	ctx         context.Context
	interceptor *Interceptor
	call        *Call

	end      context.CancelCauseFunc // of ctx; nil for unary calls and for callers without a token
	member   *membership             // of a limited caller, once it has named its session
	incoming wire.Incoming           // nil = gRPC reads
	request  wire.Reservation        // of the last request
}

// Context implements grpc.ServerStream.
func (a *admitted) Context() context.Context { return a.ctx }

// SendMsg implements grpc.ServerStream.
func (a *admitted) SendMsg(m any) error {
	a.request.Release() // an answer to the request has begun
	a.interceptor.traceFrame(a.ctx, "out", m)
	return a.ServerStream.SendMsg(m)
}

// RecvMsg implements grpc.ServerStream. A [messages.Error] refuses one request, which could
// not be decoded or needs other rights; the stream stays usable.
func (a *admitted) RecvMsg(m any) error {
	if err := a.receive(m); err != nil {
		return err
	}
	if !a.call.stream {
		NoteSession(a.ctx, m)
	}
	a.interceptor.traceFrame(a.ctx, "in", m)
	if err := wire.Malformed(m); err != nil {
		return err
	}
	a.interceptor.countUnknown(a.ctx, m)
	if err := a.narrow(m); err != nil {
		return a.interceptor.refuse(a.ctx, a.call, messages.AuditRefused, err)
	}
	if !a.call.stream {
		return noteKey(a.ctx, m)
	}
	request, ok := m.(*pb.AgentRequest)
	if !ok {
		return nil
	}
	return a.check(request)
}

// check refuses a request on a Converse stream that is over the limit or needs other rights.
func (a *admitted) check(request *pb.AgentRequest) error {
	if err := a.interceptor.limitRequest(a.ctx, a.call, request); err != nil {
		return a.interceptor.refuse(a.ctx, a.call, messages.AuditRateLimited, err)
	}
	if need := requestNeeds(request); !a.call.Rights.Has(need) {
		return a.interceptor.refuse(a.ctx, a.call, messages.AuditRefused, lacking(a.ctx, a.call, need&^a.call.Rights))
	}
	start := request.GetStart()
	if start == nil {
		return nil
	}
	if err := a.screenEnvironment(start); err != nil {
		return err
	}
	if a.call.Rights.Has(messages.MayControl) {
		return nil
	}
	exists, err := a.interceptor.options.Exists(a.ctx, start.GetSessionId())
	if err == nil && !exists { // the request would create it
		return lacking(a.ctx, a.call, messages.MayControl)
	}
	return err
}

func (a *admitted) receive(m any) error {
	if a.incoming == nil {
		return a.ServerStream.RecvMsg(m)
	}
	c := wire.Call{Caller: callerOf(a.ctx, a.call), Probe: a.call.probe, Streaming: a.call.clientStream}
	return a.interceptor.requests.Receive(a.ctx, a.incoming, c, &a.request, m)
}

// screenEnvironment checks the environment in the first request of a Converse stream. An
// environment decides which programs the agents of a session find, so it needs the right to
// approve. Over TCP it is dropped unless the settings admit it ([TCPOptions].Environment), and the
// client gets a notice if a session begins without it.
func (a *admitted) screenEnvironment(start *pb.StartConversation) error {
	if len(start.GetEnvironment()) == 0 {
		return nil
	}
	if p, ok := PeerOf(a.ctx); ok && p.Address.IsValid() && !a.interceptor.options.TCP.Environment {
		start.Environment, a.call.EnvironmentDropped = nil, true
		return nil
	}
	if need := messages.MayControl | messages.MayApprove; !a.call.Rights.Has(need) {
		err := wire.AsError(lacking(a.ctx, a.call, need&^a.call.Rights))
		return err.WithHint("An environment decides which programs an agent finds. Send none, or use a token with the scope approve.")
	}
	return nil
}

// traceFrame logs a received or sent message at trace, with its type and length and without its content.
func (d *Interceptor) traceFrame(ctx context.Context, direction string, m any) {
	e := d.log.Trace()
	if !e.Enabled() {
		return
	}
	c := CallOf(ctx)
	e = e.Str(FieldTarget, Target).Str(FieldSpan, span(c.method)).Str(FieldSession, string(c.Session)).
		Str(FieldClient, string(c.Client)).Str("direction", direction)
	switch m := m.(type) {
	case *messages.Event:
		e = e.Str("type", "AgentEvent").Uint64("sequence", uint64(m.Seq)).Int("bytes", len(m.Bytes))
	case proto.Message:
		e = e.Str("type", string(m.ProtoReflect().Descriptor().Name())).Int("bytes", proto.Size(m))
	}
	e.Msg("frame")
}

// countUnknown counts and logs the fields of a request that this daemon does not know.
func (d *Interceptor) countUnknown(ctx context.Context, v any) {
	m, ok := v.(proto.Message)
	if !ok {
		return
	}
	found := wire.UnknownFields(m)
	if len(found) == 0 {
		return
	}
	d.unknown.Add(int64(len(found)))
	c := CallOf(ctx)
	d.log.Debug().Str(FieldTarget, Target).Str(FieldSpan, span(c.method)).Str(FieldSession, string(c.Session)).
		Strs("fields", found[:min(len(found), 20)]).Msg("request has fields unknown to this daemon")
}
