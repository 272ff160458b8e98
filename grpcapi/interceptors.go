package grpcapi

import (
	"context"
	"runtime/debug"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/status"

	"betcode/grpcapi/wire"
	"betcode/messages"
)

// A call comes in by one interceptor and not by a chain of them, because a stream keeps
// the stack of its handler, and what was made for it, as long as it lasts. It knows who
// calls, has the door decide, makes an error of ours of a panic and a status of an error
// of ours, and logs what the client sees. All calls are streams here (see streams).

func (s *Server) takeIn(srv any, stream grpc.ServerStream, info *grpc.StreamServerInfo, next grpc.StreamHandler) error {
	ctx, err := newCall(stream.Context(), info.FullMethod, info.IsClientStream || info.IsServerStream)
	if err != nil {
		return wire.Status(err).Err()
	}
	callOf(ctx).clientStream = info.IsClientStream
	began := time.Now()
	return s.ended(ctx, began, s.admit(ctx, srv, stream, next))
}

// ended logs how a call ended, and returns what the client is told of it.
func (s *Server) ended(ctx context.Context, began time.Time, err error) error {
	if err != nil {
		err = wire.Status(err).Err()
	}
	if c := callOf(ctx); !c.turnedAway && !s.repeats(ctx, c, status.Code(err)) {
		s.logCall(ctx, "call ended", time.Since(began), err)
	}
	return err
}

// noteSession remembers for the log which session a request is about.
func noteSession(ctx context.Context, req any) {
	if r, ok := req.(interface{ GetSessionId() string }); ok {
		callOf(ctx).session = messages.SessionID(wire.Printable(r.GetSessionId()))
	}
}

// recovered makes an error of a panic. Called where the panic is recovered, so
// that the stack still shows it.
func (s *Server) recovered(ctx context.Context, p any) error {
	c := callOf(ctx)
	s.log.Error().Str(fieldTarget, target).Str(fieldSpan, span(c.method)).Str(fieldSession, string(c.session)).
		Interface("panic", p).Bytes("stack", debug.Stack()).Msg("handler panicked")
	return messages.Errorf("serve", messages.Internal, "this is a bug in the daemon").
		WithHint("Please report it, with the daemon's log of this moment.")
}

// guarded runs f and makes an error of what it throws.
func (s *Server) guarded(ctx context.Context, f func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = s.recovered(ctx, p)
		}
	}()
	return f()
}
